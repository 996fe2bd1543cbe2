"""Small GGUF files written by the tests: real headers and a few real tensors, a few kilobytes long."""

import struct
from pathlib import Path
from typing import Any

ALIGNMENT = 32
TOKENS = tuple(f"token{number}" for number in range(300))


def write_gguf(path: Path, tokens: tuple[str, ...] | None = TOKENS, values: int = 1024, **changes: Any) -> Path:
    """Write a small language model's file; `changes` replace metadata (dots as double underscores, None: left out).

    `tokens` None leaves the vocabulary out; `values` is the number of float32 weights.
    """
    metadata: dict[str, Any] = {
        "general.architecture": "qwen2",
        "general.name": "small",
        "general.file_type": 15,
        "qwen2.context_length": 32768,
        "qwen2.block_count": 2,
        "qwen2.embedding_length": 64,
        "qwen2.attention.head_count": 4,
        "qwen2.attention.head_count_kv": 2,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": False,
    }
    if tokens is not None:
        metadata["tokenizer.ggml.tokens"] = list(tokens)
    metadata |= {key.replace("__", "."): value for key, value in changes.items()}
    present = {key: value for key, value in metadata.items() if value is not None}
    header = b"GGUF" + struct.pack("<IQQ", 3, 1, len(present))
    header += b"".join(_text(key) + _value(value) for key, value in present.items())
    header += _text("token_embd.weight") + struct.pack("<IQIQ", 1, values, 0, 0)
    header += bytes(-len(header) % ALIGNMENT)
    path.write_bytes(header + struct.pack(f"<{values}f", *(number / 7 for number in range(values))))
    return path


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if value and isinstance(value[0], int):
        return struct.pack("<IIQ", 9, 4, len(value)) + struct.pack(f"<{len(value)}I", *value)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(item) for item in value)
