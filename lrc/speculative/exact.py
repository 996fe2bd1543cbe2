"""Exact mode: whether a row's result is the same, bit for bit, whatever rows stand beside it.

Most kernels treat one row and many differently, so a verified draft can differ from plain decoding in the last bits
and, now and then, in a token. With a quantised cache, the fused attention kernel, weights as stored and no tiled
products, the processor runs the same code for every row; whether that holds here is tried out, not assumed. The cache
is written in order (`ContextOptions.in_order`), since attention also rounds by the order in which a text's cells lie.
"""

from collections.abc import Sequence

import numpy as np

from lrc.speculative.errors import ExactModeUnavailable
from lrc.speculative.protocols import Logits, Row, Target

ENVIRONMENT = {"GGML_CPU_TILED_MM": "0"}
"""Read by the native library once, before its first product."""

_TEXT = (11, 29, 3, 47, 23, 5, 83, 7)
_WIDTHS = ((2, 1, 5), (8,))
"""Ways to cut the text into batches; kernels change at 2, 4 and 8 rows."""
_CROWD = 64
"""Rows of another text beside it: from here on the attention kernel works on tiles."""


def check_rows_are_independent(target: Target, sequences: Sequence[int]) -> None:
    """Evaluate a short text row by row and in several batches. Raises `ExactModeUnavailable` at the first difference.

    `sequences` are two empty ones; they are empty again afterwards.
    """
    own, other = sequences
    try:
        alone = _evaluate(target, own, (1,) * len(_TEXT))
        for widths in _WIDTHS:
            _compare(alone, _evaluate(target, own, widths), f"in batches of {', '.join(map(str, widths))} rows")
        crowd = min(_CROWD, target.n_rows - len(_TEXT))
        rows = [Row((other,), position, 13 + position % 5) for position in range(crowd)]
        _compare(alone, _evaluate(target, own, (len(_TEXT),), rows), f"beside {crowd} rows of another text")
    finally:
        target.free(own)
        target.free(other)


def _evaluate(target: Target, sequence: int, widths: Sequence[int], beside: Sequence[Row] = ()) -> Logits:
    """Logits after each token of the text, evaluated in batches of `widths` rows."""
    target.free(sequence)
    found: list[Logits] = []
    start = 0
    for width in widths:
        rows = [Row((sequence,), start + index, _TEXT[start + index], True) for index in range(width)]
        found.append(np.array(target.evaluate([*beside, *rows])))
        start += width
    return np.concatenate(found)


def _compare(alone: Logits, together: Logits, how: str) -> None:
    if not np.array_equal(alone, together):
        gap = float(np.abs(alone - together).max())
        raise ExactModeUnavailable(
            f"on this machine a row evaluated {how} differs from the same row alone (by up to {gap:.3g})",
            "leave exact mode off; the text is then the same up to the rounding of the kernels chosen",
        )
