"""Measures v(n), the cost of an evaluation by its number of rows, on the machine and model at hand."""

import math
import time
from collections.abc import Iterator, Sequence

from lrc.speculative.protocols import Row, Target

WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64)
_BEFORE = 96
"""Tokens of context that the timed rows follow, as in the middle of an answer."""


def measure_costs(
    target: Target, sequence: int, widths: Sequence[int] = WIDTHS, repeats: int = 3, seconds: float = math.inf
) -> Iterator[tuple[int, float]]:
    """Yield (rows, best seconds of `repeats`) width by width; `sequence` is an empty one and is empty afterwards.

    No new width is begun after `seconds`.

    The best and not the mean: what disturbs a measurement only ever makes it longer.
    """
    deadline = time.monotonic() + seconds
    before = min(_BEFORE, target.n_rows, target.n_ctx // 2)
    try:
        target.evaluate([Row((sequence,), position, 11 + position % 89) for position in range(before)])
        for width in widths:
            if width > min(target.n_rows, target.n_outputs, target.n_ctx - before):
                continue
            if time.monotonic() > deadline and width > 1:
                return
            yield width, min(_time(target, sequence, before, width) for _ in range(repeats + 1))
    finally:
        target.free(sequence)


def _time(target: Target, sequence: int, before: int, width: int) -> float:
    rows = [Row((sequence,), before + index, 7 + index, True) for index in range(width)]
    started = time.perf_counter()
    target.evaluate(rows)
    seconds = time.perf_counter() - started
    target.rewind(sequence, before)
    return seconds
