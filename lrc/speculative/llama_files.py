"""Makes drafts on this machine out of model files that are there: blocks left out, or fewer bits a weight."""

import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lrc.speculative.binding import native
from lrc.speculative.errors import EngineError
from lrc.speculative.llama_model import LlamaModel, LoadOptions, log


def write_pruned(source: Path, destination: Path, dropped: Sequence[int]) -> None:
    """Copy the model `source` to `destination` without the blocks `dropped`, weights as they are.

    The copy is the draft of self-speculation. Raises `ModelUnreadable`, `EngineError`, and ValueError when a block is
    named that does not exist or none would be left.
    """
    blocks = _blocks(source)
    numbers = sorted(set(dropped))
    if not numbers or len(numbers) >= blocks or not set(numbers) <= set(range(blocks)):
        raise ValueError(f"cannot leave blocks {numbers} out of {blocks}")
    params = native.llama_model_quantize_default_params()
    params.only_copy = True
    # The native library wants them in order, with -1 at the end, and alive for the length of the call.
    kept_alive = (ctypes.c_int32 * (len(numbers) + 1))(*numbers, -1)
    params.prune_layers = kept_alive
    _write(source, destination, params, "leave blocks out of")


def write_slim(source: Path, destination: Path) -> None:
    """Copy the model `source` to `destination` with all weights as Q4_0, embedding and output layer included.

    Small models spend a large part of each token on these two, which files usually keep at more bits. As a draft, such
    a copy guesses nearly as well and costs clearly less. Raises `ModelUnreadable`, `EngineError`.
    """
    _blocks(source)
    params = native.llama_model_quantize_default_params()
    params.ftype = native.LLAMA_FTYPE_MOSTLY_Q4_0
    params.token_embedding_type = params.output_tensor_type = native.GGML_TYPE_Q4_0
    params.allow_requantize = params.pure = True
    _write(source, destination, params, "requantise")


def _blocks(source: Path) -> int:
    model = LlamaModel(source, LoadOptions())
    try:
        return model.blocks
    finally:
        model.close()


def _write(source: Path, destination: Path, params: Any, action: str) -> None:
    """Run the native writer aside of `destination` and rename, so that it is whole or absent."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    log.errors.clear()
    with tempfile.TemporaryDirectory(dir=destination.parent, prefix=destination.name) as folder:
        aside = Path(folder) / destination.name
        code = native.llama_model_quantize(str(source).encode(), str(aside).encode(), ctypes.byref(params))
        if code != 0:
            raise EngineError(f"cannot {action} {source.name}{log.cause}", "use the model as it is")
        aside.replace(destination)
