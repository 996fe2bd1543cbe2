"""A model of random weights in a GGUF file that llama.cpp really runs: the binding under test, in milliseconds."""

import struct
from pathlib import Path
from typing import Any

import numpy as np

WIDTH = 256
BLOCKS = 3
_ALIGNMENT = 32
_MARKERS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_MERGES = ('{ "', '" :', "a b", "l i", "li n", "n e", "lin e")


def _byte_letters() -> list[str]:
    """The letters by which byte-level vocabularies spell the 256 bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    extra = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(extra)) for byte in range(256)]


def vocabulary() -> list[str]:
    """All tokens: the bytes, the results of the merges, the markers."""
    return [*_byte_letters(), *(merge.replace(" ", "") for merge in _MERGES), *_MARKERS]


def write_model(path: Path, *, seed: int = 0, blocks: int = BLOCKS, tokens: list[str] | None = None) -> Path:
    """Write a model of random weights; the same seed gives the same file."""
    random = np.random.default_rng(seed)
    tokens = tokens or vocabulary()
    metadata: dict[str, Any] = {
        "general.architecture": "llama",
        "general.name": "tiny",
        "general.file_type": 0,
        "llama.context_length": 4096,
        "llama.block_count": blocks,
        "llama.embedding_length": WIDTH,
        "llama.feed_forward_length": WIDTH,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": WIDTH // 4,
        **_tokenizer(tokens),
    }
    tensors: dict[str, np.ndarray] = {
        "token_embd.weight": random.normal(0, 1, (len(tokens), WIDTH)),
        "output_norm.weight": np.ones(WIDTH),
        "output.weight": random.normal(0, 0.3, (len(tokens), WIDTH)),
    }
    for block in range(blocks):
        shapes = {"attn_q": WIDTH, "attn_k": WIDTH // 2, "attn_v": WIDTH // 2, "attn_output": WIDTH}
        shapes |= {"ffn_gate": WIDTH, "ffn_up": WIDTH, "ffn_down": WIDTH}
        for name, rows in shapes.items():
            tensors[f"blk.{block}.{name}.weight"] = random.normal(0, 0.08, (rows, WIDTH))
        tensors[f"blk.{block}.attn_norm.weight"] = np.ones(WIDTH)
        tensors[f"blk.{block}.ffn_norm.weight"] = np.ones(WIDTH)
    _write(path, metadata, tensors)
    return path


def write_recurrent(path: Path) -> Path:
    """Write a model with a recurrent memory (Mamba) of one block, which cannot take tokens back."""
    random = np.random.default_rng(0)
    tokens = vocabulary()
    width, inner, state, rank, kernel = 64, 128, 16, 4, 4
    metadata: dict[str, Any] = {
        "general.architecture": "mamba",
        "general.name": "recurrent",
        "general.file_type": 0,
        "mamba.context_length": 4096,
        "mamba.block_count": 1,
        "mamba.embedding_length": width,
        "mamba.feed_forward_length": 0,
        "mamba.attention.head_count": 0,
        "mamba.attention.layer_norm_rms_epsilon": 1e-5,
        "mamba.ssm.conv_kernel": kernel,
        "mamba.ssm.inner_size": inner,
        "mamba.ssm.state_size": state,
        "mamba.ssm.time_step_rank": rank,
        **_tokenizer(tokens),
    }
    shapes = {
        "token_embd.weight": (len(tokens), width),
        "output_norm.weight": (width,),
        "blk.0.attn_norm.weight": (width,),
        "blk.0.ssm_in.weight": (2 * inner, width),
        "blk.0.ssm_conv1d.weight": (inner, kernel),
        "blk.0.ssm_conv1d.bias": (inner,),
        "blk.0.ssm_x.weight": (rank + 2 * state, inner),
        "blk.0.ssm_dt.weight": (inner, rank),
        "blk.0.ssm_dt.bias": (inner,),
        "blk.0.ssm_a": (inner, state),
        "blk.0.ssm_d": (inner,),
        "blk.0.ssm_out.weight": (width, inner),
    }
    _write(path, metadata, {name: random.normal(0, 0.1, shape) for name, shape in shapes.items()})
    return path


def _tokenizer(tokens: list[str]) -> dict[str, Any]:
    end = len(tokens) - len(_MARKERS)
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if token in _MARKERS else 1 for token in tokens],
        "tokenizer.ggml.merges": list(_MERGES),
        "tokenizer.ggml.eos_token_id": end,
        "tokenizer.ggml.bos_token_id": end,
        "tokenizer.ggml.add_bos_token": False,
    }


def quantise(source: Path, destination: Path) -> Path:
    """The same model with Q4_K weights throughout, as real models have."""
    import ctypes

    from llama_cpp import llama_cpp as native

    params = native.llama_model_quantize_default_params()
    params.ftype = native.LLAMA_FTYPE_MOSTLY_Q4_K_S
    params.pure = True
    assert native.llama_model_quantize(str(source).encode(), str(destination).encode(), ctypes.byref(params)) == 0
    return destination


def _write(path: Path, metadata: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    header += b"".join(_text(key) + _value(value) for key, value in metadata.items())
    blobs: list[bytes] = []
    offset = 0
    for name, tensor in tensors.items():
        data = tensor.astype("<f4").tobytes()
        sizes = tensor.shape[::-1]
        header += _text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes)
        header += struct.pack("<IQ", 0, offset)
        data += bytes(-len(data) % _ALIGNMENT)
        blobs.append(data)
        offset += len(data)
    header += bytes(-len(header) % _ALIGNMENT)
    path.write_bytes(header + b"".join(blobs))


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value[0], int):
        return struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(item) for item in value)
