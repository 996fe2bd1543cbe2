"""The weights and the vocabulary of one GGUF file, over the low-level binding of llama.cpp.

The `llama*` modules are the only ones that know the binding, which `binding` imports for them.
"""

import ctypes
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lrc.speculative.binding import llama_cpp, native, rearranging_crashes
from lrc.speculative.errors import EngineError, ModelUnreadable, OutOfMemory, VocabularyMismatch

_ERROR_LEVEL = 4
"""`GGML_LOG_LEVEL_ERROR`; the table in the binding's own logger is out of date."""
_MAGIC = b"GGUF"
_FIRST_COMPARED_TOKEN = 5
_LARGEST_VOCABULARY_DIFFERENCE = 128
"""llama.cpp's own rule for a draft (`common_speculative_are_compatible`): sizes may differ by padding rows."""


class _Log:
    """Takes the native log away from the user's terminal and keeps the last errors for our own messages."""

    def __init__(self) -> None:
        self.verbose = False
        self.errors: list[str] = []
        self._callback = native.llama_log_callback(self._line)

    def install(self, verbose: bool) -> None:
        """Route the log here from now on; the binding's own callback prints errors."""
        self.verbose = verbose
        self.errors.clear()
        native.llama_log_set(self._callback, ctypes.c_void_p(0))

    def _line(self, level: int, text: bytes, _data: Any) -> None:
        if level == _ERROR_LEVEL:
            self.errors = [*self.errors[-7:], text.decode("utf-8", "replace").strip()]
        if self.verbose:
            os.write(2, text)

    @property
    def cause(self) -> str:
        """The first recorded error, as the end of a sentence."""
        return f": {self.errors[0]}" if self.errors else ""


log = _Log()
_backend: list[bool] = []


def version() -> str:
    """Version of the binding; the format of snapshots depends on it."""
    return str(llama_cpp.__version__)


def _start_backend(verbose: bool) -> None:
    log.install(verbose)
    if not _backend:
        native.llama_backend_init()
        _backend.append(True)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How weights are placed."""

    repack: bool = False
    """Rearrange weights for single rows; as stored nevertheless where `rearranging_crashes`."""
    gpu_layers: int = 0
    """Blocks on the GPU."""
    heads: bool = False
    """Load the blocks that predict further tokens as well."""
    verbose: bool = False
    """Let the native log through."""


def _check_file(path: Path) -> None:
    """Refuse what is plainly no model, in words better than the loader's."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
            size = file.seek(0, os.SEEK_END)
    except OSError as error:
        raise ModelUnreadable(f"cannot read the model {path}: {error.strerror}", "check the path") from error
    if magic != _MAGIC:
        raise ModelUnreadable(f"{path} is not a GGUF file", "download the model again, or name another file")
    if size < 64:
        raise ModelUnreadable(f"{path} is cut short ({size} bytes)", "download the model again")


class LlamaModel:
    """Weights and vocabulary. Close it after every context made from it."""

    def __init__(self, path: Path, options: LoadOptions) -> None:
        """Load `path`. Raises `ModelUnreadable`, `OutOfMemory`."""
        _check_file(path)
        _start_backend(options.verbose)
        self.path = path
        params = native.llama_model_default_params()
        params.use_extra_bufts = options.repack and not rearranging_crashes()
        params.n_gpu_layers = options.gpu_layers
        params.load_mtp = options.heads
        handle = native.llama_model_load_from_file(str(path).encode(), params)
        if not handle:
            cause = log.cause
            if "alloc" in cause or "memory" in cause:
                raise OutOfMemory(f"no memory for the model {path.name}{cause}", "use a smaller model")
            raise ModelUnreadable(f"cannot load the model {path.name}{cause}", "download the model again")
        self.handle: Any = handle
        self.vocab: Any = native.llama_model_get_vocab(handle)
        self.n_vocab = int(native.llama_vocab_n_tokens(self.vocab))
        self.ends = frozenset(t for t in range(self.n_vocab) if native.llama_vocab_is_eog(self.vocab, t))
        if not native.llama_model_has_decoder(handle):
            self.close()
            raise ModelUnreadable(f"{path.name} does not generate text", "name a text generation model")

    def close(self) -> None:
        """Give the memory back; harmless when repeated."""
        if self.handle:
            native.llama_model_free(self.handle)
            self.handle = None

    @property
    def n_ctx_train(self) -> int:
        """The context length that it was trained for."""
        return int(native.llama_model_n_ctx_train(self.handle))

    @property
    def blocks(self) -> int:
        """Transformer blocks."""
        return int(native.llama_model_n_layer(self.handle))

    @property
    def width(self) -> int:
        """Numbers that stand for a token between two blocks."""
        return int(native.llama_model_n_embd(self.handle))

    @property
    def cache_values(self) -> int:
        """Numbers that a cached token holds: keys and values of all blocks."""
        head = self.width // max(int(native.llama_model_n_head(self.handle)), 1)
        return 2 * head * int(native.llama_model_n_head_kv(self.handle)) * self.blocks

    @property
    def begin_tokens(self) -> tuple[int, ...]:
        """BOS where the vocabulary asks for one, else nothing."""
        if native.llama_vocab_get_add_bos(self.vocab):
            return (int(native.llama_vocab_bos(self.vocab)),)
        return ()

    @property
    def n_heads(self) -> int:
        """Blocks that predict further tokens (multi-token prediction); 0 in most models."""
        return int(native.llama_model_n_layer_nextn(self.handle))

    @property
    def forgets(self) -> bool:
        """Whether the end of a sequence can be taken back; recurrent and hybrid memories cannot."""
        return not (native.llama_model_is_recurrent(self.handle) or native.llama_model_is_hybrid(self.handle))

    def encode(self, text: str, special: bool) -> list[int]:
        """`text` as ids, without BOS or EOS; markers become their token only with `special`."""
        raw = text.encode("utf-8", "surrogateescape")
        room = len(raw) + 8
        while True:
            tokens = (native.llama_token * room)()
            count = native.llama_tokenize(self.vocab, raw, len(raw), tokens, room, False, special)
            if count >= 0:
                return list(tokens[:count])
            if -count <= room:
                raise EngineError(f"the tokenizer of {self.path.name} failed", "use another model")
            room = -count

    def fingerprint(self) -> str:
        """Identifies the vocabulary, for files of token ids: its size and kind, and the texts of some of its tokens."""
        seen = [str(self.n_vocab), self.meta("tokenizer.ggml.model"), self.meta("tokenizer.ggml.pre")]
        step = max(1, self.n_vocab // 199)
        texts = [native.llama_vocab_get_text(self.vocab, token) or b"" for token in range(0, self.n_vocab, step)]
        return hashlib.sha256(b"\0".join([*map(str.encode, seen), *texts])).hexdigest()

    def single_bytes(self) -> dict[int, int]:
        """ASCII bytes that have a token of their own, with that token."""
        found: dict[int, int] = {}
        for byte in range(128):
            tokens = self.encode(chr(byte), False)
            if len(tokens) == 1 and self.token_bytes(tokens[0]) == bytes([byte]):
                found[byte] = tokens[0]
        return found

    def token_bytes(self, token: int) -> bytes:
        """The bytes of one token, special ones spelt out."""
        room = 32
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = native.llama_token_to_piece(self.vocab, token, buffer, room, 0, True)
            if count >= 0:
                return buffer.raw[:count]
            room = -count

    def decode(self, tokens: Sequence[int]) -> bytes:
        """The bytes of `tokens`."""
        return b"".join(map(self.token_bytes, tokens))

    def meta(self, key: str) -> str:
        """A metadata value of the file as text; empty when absent."""
        room = 256
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = native.llama_model_meta_val_str(self.handle, key.encode(), buffer, room)
            if count < room:
                return buffer.value.decode("utf-8", "replace") if count >= 0 else ""
            room = count + 1

    def describe(self) -> dict[str, Any]:
        """Plain data about the model."""
        buffer = ctypes.create_string_buffer(256)
        native.llama_model_desc(self.handle, buffer, 256)
        return {
            "file": self.path.name,
            "name": self.meta("general.name"),
            "kind": buffer.value.decode("utf-8", "replace"),
            "bytes": int(native.llama_model_size(self.handle)),
            "parameters": int(native.llama_model_n_params(self.handle)),
            "layers": self.blocks,
            "context_trained": self.n_ctx_train,
            "vocabulary": self.n_vocab,
        }

    def vocabulary_rules(self) -> dict[str, int]:
        """What of the vocabulary a draft must share besides the tokens' texts."""
        rules = {
            "type": int(native.llama_vocab_type(self.vocab)),
            "adds BOS": int(native.llama_vocab_get_add_bos(self.vocab)),
            "adds EOS": int(native.llama_vocab_get_add_eos(self.vocab)),
        }
        if rules["adds BOS"]:
            rules["BOS"] = int(native.llama_vocab_bos(self.vocab))
        if rules["adds EOS"]:
            rules["EOS"] = int(native.llama_vocab_eos(self.vocab))
        return rules


def check_vocabularies(target: LlamaModel, draft: LlamaModel) -> None:
    """Raise `VocabularyMismatch`, naming both sides, unless `draft` speaks the vocabulary of `target`.

    The rule is llama.cpp's: the same type and BOS/EOS habits, sizes at most 128 apart, equal texts from token 5 on.
    """
    sides = f"target {target.path.name} and draft {draft.path.name}"
    hint = "choose a draft of the same family as the target"
    ours, theirs = target.vocabulary_rules(), draft.vocabulary_rules()
    for rule in {**ours, **theirs}:
        if ours.get(rule) != theirs.get(rule):
            raise VocabularyMismatch(
                f"{sides} differ in vocabulary ({rule}: {ours.get(rule)} and {theirs.get(rule)})", hint
            )
    if abs(target.n_vocab - draft.n_vocab) > _LARGEST_VOCABULARY_DIFFERENCE:
        raise VocabularyMismatch(f"{sides} have {target.n_vocab} and {draft.n_vocab} tokens", hint)
    for token in range(_FIRST_COMPARED_TOKEN, min(target.n_vocab, draft.n_vocab)):
        mine = native.llama_vocab_get_text(target.vocab, token)
        other = native.llama_vocab_get_text(draft.vocab, token)
        if mine != other:
            raise VocabularyMismatch(f"{sides} differ in token {token}: {mine!r} and {other!r}", hint)
