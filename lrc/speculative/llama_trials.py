"""Times the native library under given settings, for `tuning`."""

import time
from pathlib import Path

from lrc.speculative.binding import native
from lrc.speculative.engine import Engine
from lrc.speculative.llama import ContextOptions, LlamaTarget
from lrc.speculative.llama_model import LlamaModel, LoadOptions
from lrc.speculative.loading import threads_of_machine
from lrc.speculative.protocols import Row
from lrc.speculative.requests import DrafterKind, EngineOptions
from lrc.speculative.tuning import Trial

CONTEXT = 1024
"""Tokens of the contexts that are timed."""
_PROMPT = 192
_STEPS = 4
_REPEATS = 1
"""Of each width of v(n), beside a first time: the whole of it is to take some seconds."""
_COSTS_SECONDS = 7.0
"""When no further width is begun: they rise, and the small ones matter most."""


def has_gpu() -> bool:
    """Whether this build of the native library can place weights on a GPU that is there."""
    return bool(native.llama_supports_gpu_offload())


def measure(target: Path, options: EngineOptions) -> Trial:
    """Load `target` under `options`, evaluate a prompt and some single rows, and give the memory back.

    The first rows, which bring the weights into memory, are not timed. Raises what loading raises.
    """
    model = LlamaModel(target, LoadOptions(options.repack, options.gpu_layers, options.verbose))
    try:
        threads = options.threads or threads_of_machine()
        form = ContextOptions(CONTEXT, 2, threads, options.micro_batch, 8, options.flash_attention)
        context = LlamaTarget(model, form)
        try:
            return _time(context, 0 if options.gpu_layers else threads)
        finally:
            context.close()
    finally:
        model.close()


def _time(context: LlamaTarget, threads: int) -> Trial:
    """`threads` are those at work; 0 when a GPU does it, where the processor's time tells nothing."""
    count = min(_PROMPT, context.n_vocab - 1)
    rows = [Row((0,), position, 1 + position % count, position == _PROMPT - 1) for position in range(_PROMPT)]
    context.evaluate([Row((1,), position, 1 + position % count) for position in range(32)])
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


def measure_costs(target: Path, options: EngineOptions) -> dict[int, float]:
    """v(n) of `target` under `options`."""
    plain = EngineOptions(
        n_ctx=CONTEXT,
        threads=options.threads,
        max_sequences=1,
        drafter=DrafterKind.NONE,
        repack=options.repack,
        flash_attention=options.flash_attention,
        micro_batch=options.micro_batch,
        gpu_layers=options.gpu_layers,
    )
    with Engine.open(target, None, plain) as engine:
        return engine.measure_costs(_REPEATS, _COSTS_SECONDS)
