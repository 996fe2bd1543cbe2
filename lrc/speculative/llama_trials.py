"""Times the native library under given settings, for `tuning`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from lrc.speculative.binding import native
from lrc.speculative.llama import ContextOptions, LlamaTarget
from lrc.speculative.llama_model import LlamaModel, LoadOptions
from lrc.speculative.loading import threads_of_machine
from lrc.speculative.measure import measure_costs
from lrc.speculative.protocols import Row
from lrc.speculative.requests import EngineOptions
from lrc.speculative.tuning import PROMPT_TOKENS, Trial

CONTEXT = 1024
"""Tokens of the contexts that are timed."""
_PROMPT = PROMPT_TOKENS
_WARM = 16
_WIDEST = 64
"""Rows of one evaluation that may want logits; as many as v(n) is measured for."""
_STEPS = 4
_REPEATS = 1
"""Of each width of v(n), beside a first time: the whole of it is to take some seconds."""
_COSTS_SECONDS = 6.0
"""When no further width is begun: they rise, and the small ones matter most."""


def has_gpu() -> bool:
    """Whether this build of the native library can place weights on a GPU that is there."""
    return bool(native.llama_supports_gpu_offload())


class Trials:
    """Times one model under one setting after the other. Use it as a context manager."""

    def __init__(self, target: Path) -> None:
        """`target` is loaded when first timed, and again only when a setting places weights otherwise."""
        self._target = target
        self._loaded: tuple[LoadOptions, LlamaModel] | None = None

    def __enter__(self) -> Self:
        """These trials themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the memory back."""
        self._unload()

    def measure(self, options: EngineOptions) -> Trial:
        """Evaluate a prompt and some single rows under `options`.

        The first rows, which bring the weights into memory, are not timed. Raises what loading raises.
        """
        with self._context(options) as context:
            # A GPU's work is not seen in the processor's time.
            return _time(context, 0 if options.gpu_layers else _threads(options))

    def costs(self, options: EngineOptions) -> dict[int, float]:
        """v(n) under `options`, for some seconds."""
        with self._context(options) as context:
            return dict(measure_costs(context, 0, repeats=_REPEATS, seconds=_COSTS_SECONDS))

    @contextmanager
    def _context(self, options: EngineOptions) -> Iterator[LlamaTarget]:
        placing = LoadOptions(options.repack, options.gpu_layers, options.verbose)
        if self._loaded is None or self._loaded[0] != placing:
            self._unload()  # before the other is loaded: memory may not hold both
            self._loaded = placing, LlamaModel(self._target, placing)
        form = ContextOptions(CONTEXT, 2, _threads(options), options.micro_batch, _WIDEST, options.flash_attention)
        context = LlamaTarget(self._loaded[1], form)
        try:
            yield context
        finally:
            context.close()

    def _unload(self) -> None:
        if self._loaded is not None:
            self._loaded[1].close()
            self._loaded = None


def _threads(options: EngineOptions) -> int:
    return options.threads or threads_of_machine()


def _time(context: LlamaTarget, threads: int) -> Trial:
    """`threads` are those at work; 0 when the processor's time tells nothing."""
    count = min(_PROMPT, context.n_vocab - 1)
    rows = [Row((0,), position, 1 + position % count, position == _PROMPT - 1) for position in range(_PROMPT)]
    context.evaluate([Row((1,), position, 1 + position % count) for position in range(_WARM)])
    started, worked = time.perf_counter(), time.process_time()
    for start in range(0, _PROMPT, context.n_rows):
        context.evaluate(rows[start : start + context.n_rows])
    prompt = time.perf_counter() - started
    # Waiting threads spin, so the threads of an undisturbed evaluation are at work all the time.
    share = (time.process_time() - worked) / (prompt * threads) if threads else 1.0
    steps: list[float] = []
    for step in range(_STEPS):
        started = time.perf_counter()
        context.evaluate([Row((0,), _PROMPT + step, 5, True)])
        steps.append(time.perf_counter() - started)
    return Trial(_PROMPT / prompt, min(steps), _hand_over(context), min(share, 1.0))


def _hand_over(context: LlamaTarget) -> float:
    """Seconds to write a sequence's cache out and read it into another one, as two contexts would have to."""
    started = time.perf_counter()
    context.restore(1, context.snapshot(0))
    return time.perf_counter() - started
