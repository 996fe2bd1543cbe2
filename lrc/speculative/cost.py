"""What an evaluation costs by its number of rows, v(n): the fact on which every decision about drafts rests.

It is a staircase that differs from machine to machine (kernels work on groups of rows), so it is measured where it can
be, and learnt while running where it was not.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping

CAUTIOUS = {1: 1.0, 2: 1.9, 3: 2.4, 4: 3.0, 8: 6.0, 16: 7.3, 32: 10.5, 64: 19.0}
"""In single rows: two cores of a server processor. Where a row costs less, this is only too careful."""


def completed(measured: Mapping[int, float]) -> dict[int, float]:
    """`measured` seconds by rows, never falling, and carried on beyond the last one as dearly as was ever seen.

    A measurement that stopped early must not make rows look cheap that it did not reach.
    """
    curve: dict[int, float] = {}
    for rows, seconds in sorted(measured.items()):
        curve[rows] = max(seconds, *curve.values(), 0.0)
    if not curve:
        return {}
    cautious = CostModel()
    scale = max(seconds / cautious.seconds(rows) for rows, seconds in curve.items())
    return curve | {rows: scale * share for rows, share in CAUTIOUS.items() if rows > max(curve)}


_BELIEVED_AFTER = 3
_SMOOTHING = 0.25
_WIDEST_LEARNT = 64


class CostModel:
    """Seconds of an evaluation by its number of rows."""

    def __init__(self, measured: Mapping[int, float] | None = None) -> None:
        """`measured` seconds by rows are believed as they are; without them a cautious curve is corrected by use."""
        self._curve = dict(sorted((measured or CAUTIOUS).items()))
        self._widths = list(self._curve)
        self._learns = not measured
        self._seen: dict[int, tuple[float, int]] = {}
        self._scale = 1.0

    def seconds(self, rows: int) -> float:
        """Expected time of `rows` rows; 0 for none. Before anything was seen, in units of a single row."""
        if rows <= 0:
            return 0.0
        mean, times = self._seen.get(rows, (0.0, 0))
        if times >= _BELIEVED_AFTER:
            return mean
        return self._scale * self._on_curve(rows)

    def learn(self, rows: int, seconds: float) -> None:
        """An evaluation was timed. Recent ones count more: a machine heats up and gets busy."""
        if not self._learns or rows > _WIDEST_LEARNT or rows < 1:
            return
        mean, times = self._seen.get(rows, (seconds, 0))
        weight = max(_SMOOTHING, 1.0 / (times + 1))
        self._seen[rows] = ((1 - weight) * mean + weight * seconds, times + 1)
        # One scale for the widths not seen yet, from all that were, so that the two can be compared.
        ratios = sorted(mean / self._on_curve(width) for width, (mean, _) in self._seen.items())
        self._scale = ratios[len(ratios) // 2]

    def _on_curve(self, rows: int) -> float:
        """Between two known widths linear, beyond the last one at the price of the last step."""
        widths, curve = self._widths, self._curve
        place = bisect_left(widths, rows)
        if place < len(widths) and widths[place] == rows:
            return curve[rows]
        if len(widths) == 1:
            return curve[widths[0]] * rows / widths[0]
        if place == 0:
            return curve[widths[0]]
        place = min(place, len(widths) - 1)
        low, high = widths[place - 1], widths[place]
        slope = (curve[high] - curve[low]) / (high - low)
        return curve[low] + max(slope, 0.0) * (rows - low)


def best_speedup(costs: CostModel, acceptance: float, draft_share: float, longest: int = 16) -> tuple[float, int]:
    """The best ratio to plain decoding of one text, and the draft length that gives it.

    Expected tokens of a step over its cost, as Leviathan et al. 2023 have it, but with the measured v(n) in place of
    the assumption that a batch costs what a row costs. `draft_share` is the cost of a drafted token in single rows.
    """
    best, length = 1.0, 0
    for drafted, ratio in enumerate(speedups(costs, acceptance, draft_share, longest), start=1):
        if ratio > best:
            best, length = ratio, drafted
    return best, length


def speedups(costs: CostModel, acceptance: float, draft_share: float, longest: int = 16) -> Iterator[float]:
    """The expected ratio to plain decoding with one drafted token a step, with two, and so on up to `longest`."""
    one = costs.seconds(1)
    expected = 1.0
    for drafted in range(1, longest + 1):
        expected += acceptance**drafted
        yield expected / (costs.seconds(1 + drafted) / one + drafted * draft_share)
