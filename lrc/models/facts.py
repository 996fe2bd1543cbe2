"""What one GGUF says of itself: the few facts that a choice of model, a pair check and a memory estimate need."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from lrc.models.faults import ModelFault
from lrc.models.ggml_types import BLOCKS, MIXES
from lrc.models.gguf import ArraySpan, GgufFile


@dataclass(frozen=True, slots=True)
class Facts:
    """Read from the header alone; the weights are not looked at."""

    name: str
    """`general.name`, or empty."""
    architecture: str
    """llama.cpp's name of the architecture, such as `qwen2`."""
    quantisation: str
    """The mix, such as `Q4_K_M`; the commonest tensor type where the file does not name one."""
    parameters: int
    """Number of weights."""
    tensor_bytes: int
    """What the weights take on disk and in memory."""
    context_length: int
    """Tokens the model was trained for; 0 when the file does not say."""
    blocks: int
    """Transformer blocks."""
    kv_values: int
    """Values that one token adds to the key/value cache, over all blocks."""
    vocabulary: int
    """Number of tokens."""
    tokenizer: str
    """Kind of vocabulary (`gpt2`, `llama`, `bert`, …)."""
    pre_tokenizer: str
    """How text is split before merging (`qwen2`, `llama-bpe`, …), or empty."""
    bos: int | None
    """Begin-of-sequence token."""
    eos: int | None
    """End-of-sequence token."""
    adds_bos: bool
    """Whether the tokenizer puts `bos` in front."""
    adds_eos: bool
    """Whether the tokenizer puts `eos` behind."""
    mtp_layers: int
    """Heads for multi-token prediction."""


def read_facts(path: Path) -> Facts:
    """The facts of the GGUF at `path`.

    Raises `ModelFault` for what is no language model (an adapter, a vision encoder, one piece of a split file) and
    what `GgufFile` raises.
    """
    with GgufFile(path) as file:
        _require_language_model(file)
        architecture = _text(file, "general.architecture")
        tokenizer = _text(file, "tokenizer.ggml.model")
        tokens = file.metadata["tokenizer.ggml.tokens"]
        return Facts(
            name=_text(file, "general.name"),
            architecture=architecture,
            quantisation=_quantisation(file),
            parameters=sum(_product(tensor.shape) for tensor in file.tensors),
            tensor_bytes=sum(tensor.bytes or 0 for tensor in file.tensors),
            context_length=_whole(file, f"{architecture}.context_length") or 0,
            blocks=_whole(file, f"{architecture}.block_count") or 0,
            kv_values=_kv_values(file, architecture),
            vocabulary=tokens.count if isinstance(tokens, ArraySpan) else 0,
            tokenizer=tokenizer,
            pre_tokenizer=_text(file, "tokenizer.ggml.pre"),
            bos=_whole(file, "tokenizer.ggml.bos_token_id"),
            eos=_whole(file, "tokenizer.ggml.eos_token_id"),
            # Where the file is silent, llama.cpp adds a begin token for SentencePiece vocabularies only.
            adds_bos=bool(file.metadata.get("tokenizer.ggml.add_bos_token", tokenizer == "llama")),
            adds_eos=bool(file.metadata.get("tokenizer.ggml.add_eos_token", False)),
            mtp_layers=_whole(file, f"{architecture}.nextn_predict_layers") or 0,
        )


def read_tokens(path: Path) -> list[bytes]:
    """The text of every token of the GGUF at `path`, by id. Raises what `GgufFile` raises."""
    with GgufFile(path) as file:
        return file.strings("tokenizer.ggml.tokens")


def _require_language_model(file: GgufFile) -> None:
    kind = file.metadata.get("general.type", "model")
    if kind not in ("model", ""):
        raise ModelFault(f"{file.path} holds no model of its own (it is of type {kind!r})", "give a language model")
    pieces = _whole(file, "split.count") or 0
    if pieces > 1:
        raise ModelFault(
            f"{file.path} is one of {pieces} pieces of a model", "join them with llama.cpp's `llama-gguf-split --merge`"
        )
    if not isinstance(file.metadata.get("tokenizer.ggml.tokens"), ArraySpan) or not file.tensors:
        missing = "vocabulary" if file.tensors else "weights"
        raise ModelFault(f"{file.path} is no language model: it has no {missing}", "give a language model in GGUF")


def _quantisation(file: GgufFile) -> str:
    mix = file.metadata.get("general.file_type")
    if isinstance(mix, int) and mix in MIXES:
        return MIXES[mix]
    kinds: Counter[int] = Counter()
    for tensor in file.tensors:
        kinds[tensor.kind] += _product(tensor.shape)
    commonest = kinds.most_common(1)[0][0]
    return BLOCKS[commonest][0] if commonest in BLOCKS else f"type {commonest}"


def _kv_values(file: GgufFile, architecture: str) -> int:
    """Values a token adds to the cache: key and value heads of every block (grouped heads counted as they are)."""
    blocks = _whole(file, f"{architecture}.block_count") or 0
    heads = _whole(file, f"{architecture}.attention.head_count") or 0
    width = _whole(file, f"{architecture}.embedding_length") or 0
    head = width // heads if heads else 0
    key = _whole(file, f"{architecture}.attention.key_length") or head
    value = _whole(file, f"{architecture}.attention.value_length") or head
    grouped = file.numbers(f"{architecture}.attention.head_count_kv") or [heads]
    per_block = grouped if len(grouped) == blocks else grouped[:1] * blocks
    return int(sum(per_block)) * (key + value)


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def _text(file: GgufFile, key: str) -> str:
    found = file.metadata.get(key, "")
    return found if isinstance(found, str) else ""


def _whole(file: GgufFile, key: str) -> int | None:
    """The whole number under `key`; the largest where the file has one for each block."""
    found = [int(number) for number in file.numbers(key)]
    return max(found) if found else None
