"""Evaluations cut into narrower ones where those are cheaper together.

v(n) is a staircase and not always a fair one: a kernel for many rows may take over at a width where it does not pay
yet, so that eight rows cost more than twice four. What was measured decides; the result is the same law as ever, since
rows of a batch do not depend on each other beyond the cache.
"""

from collections.abc import Mapping

from lrc.speculative.cost import CostModel

_WORTH = 0.97
"""A division must cost clearly less than the whole: measured times are not better than that."""


class Division:
    """The cheapest way to evaluate a number of rows, by the measured times of undivided evaluations."""

    def __init__(self, measured: Mapping[int, float]) -> None:
        """`measured` are seconds by rows; beyond the widest nothing is divided."""
        whole = CostModel(measured)
        self._first = [0]
        self._seconds = [0.0]
        for rows in range(1, max(measured) + 1):
            alone = whole.seconds(rows)
            first = min(range(1, rows + 1), key=lambda part: self._together(part, rows, alone))
            divided = self._together(first, rows, alone)
            pays = divided < _WORTH * alone
            self._first.append(first if pays else rows)
            self._seconds.append(divided if pays else alone)
        self.costs = {rows: self._seconds[rows] for rows in measured}
        """Seconds by rows, divided where that is cheaper."""

    def _together(self, part: int, rows: int, alone: float) -> float:
        """Seconds of `rows` rows when `part` of them go first."""
        return alone if part == rows else self._seconds[part] + self._seconds[rows - part]

    def sizes(self, rows: int) -> list[int]:
        """Rows of each evaluation, in order; `rows` alone where they are not divided."""
        if rows >= len(self._first):
            return [rows]
        found: list[int] = []
        while rows:
            first = self._first[rows]
            found.extend([first] if self._first[first] == first else self.sizes(first))
            rows -= first
        return found
