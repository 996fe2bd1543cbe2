"""A model of random weights in a GGUF file that llama.cpp really runs: the binding under test, in milliseconds."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.support import gguf_writer

WIDTH = 256
BLOCKS = 3
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
    return gguf_writer.write(path, metadata, tensors)


def write_with_heads(path: Path, *, seed: int = 0, heads: int = 1, state: float = 0.0, lost: bool = False) -> Path:
    """Write a model with `heads` that predict a further token (GLM-4.5's form), the trunk one dense block.

    Attention and feed-forward add nothing, so the trunk predicts from the last token alone. A head reads that token
    and `state` times the hidden state before it: with 0 it says what the trunk will say, with a large number what the
    trunk said a token earlier. With `lost`, the file still names its heads and does not hold them.
    """
    random = np.random.default_rng(seed)
    tokens = vocabulary()
    width, experts, inner = 64, 2, 32
    metadata: dict[str, Any] = {
        "general.architecture": "glm4moe",
        "general.name": "tiny-heads",
        "general.file_type": 0,
        "glm4moe.context_length": 4096,
        "glm4moe.block_count": 1 + heads,
        "glm4moe.nextn_predict_layers": heads,
        "glm4moe.leading_dense_block_count": 1,
        "glm4moe.embedding_length": width,
        "glm4moe.feed_forward_length": inner,
        "glm4moe.attention.head_count": 2,
        "glm4moe.attention.head_count_kv": 2,
        "glm4moe.attention.layer_norm_rms_epsilon": 1e-5,
        "glm4moe.rope.dimension_count": width // 2,
        "glm4moe.expert_count": experts,
        "glm4moe.expert_used_count": 1,
        "glm4moe.expert_shared_count": 1,
        "glm4moe.expert_feed_forward_length": inner,
        **_tokenizer(tokens),
    }
    tensors: dict[str, np.ndarray] = {
        "token_embd.weight": random.normal(0, 1, (len(tokens), width)),
        "output_norm.weight": np.ones(width),
        "output.weight": random.normal(0, 1, (len(tokens), width)),
    }
    for block in range(1 if lost else 1 + heads):
        shapes = dict.fromkeys(("attn_q", "attn_k", "attn_v"), (width, width))
        if block:
            shapes |= {"ffn_gate_inp": (experts, width), "ffn_gate_exps": (experts, inner, width)}
            shapes |= {"ffn_up_exps": (experts, inner, width), "ffn_gate_shexp": (inner, width)}
            shapes |= {"ffn_up_shexp": (inner, width)}
        else:
            shapes |= {"ffn_gate": (inner, width), "ffn_up": (inner, width)}
        silent = {"attn_output": (width, width)}
        silent |= {"ffn_down_exps": (experts, width, inner), "ffn_down_shexp": (width, inner)} if block else {}
        silent |= {} if block else {"ffn_down": (width, inner)}
        for name, shape in shapes.items():
            tensors[f"blk.{block}.{name}.weight"] = random.normal(0, 0.1, shape)
        for name, shape in silent.items():
            tensors[f"blk.{block}.{name}.weight"] = np.zeros(shape)
        for name in ("attn_norm", "post_attention_norm"):
            tensors[f"blk.{block}.{name}.weight"] = np.ones(width)
        if block:
            tensors[f"blk.{block}.exp_probs_b.bias"] = np.zeros(experts)
            tensors[f"blk.{block}.nextn.enorm.weight"] = np.ones(width)
            tensors[f"blk.{block}.nextn.hnorm.weight"] = np.ones(width)
            both = np.concatenate([np.eye(width), state * np.eye(width)], axis=1)
            tensors[f"blk.{block}.nextn.eh_proj.weight"] = both
    return gguf_writer.write(path, metadata, tensors)


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
    return gguf_writer.write(path, metadata, {name: random.normal(0, 0.1, shape) for name, shape in shapes.items()})


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
