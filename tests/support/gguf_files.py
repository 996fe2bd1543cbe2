"""Small GGUF files written by the tests: real headers and a few real tensors, a few kilobytes long."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.support import gguf_writer

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
    weights = np.arange(values) / 7
    return gguf_writer.write(path, present, {"token_embd.weight": weights})
