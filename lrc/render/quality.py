"""How good a reviewer is, as tables for a terminal and as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lrc.quality.cases import Way
from lrc.quality.fitting import Point, curve
from lrc.quality.intervals import Share
from lrc.quality.judging import Judgement, judge, measured
from lrc.quality.observing import Observation
from lrc.reviewer.confidence import Calibration

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA_VERSION = 1
"""Raised when a field of the JSON changes its meaning or goes."""


def render(judged: Sequence[Judgement], seen: Sequence[Observation], calibration: Calibration) -> str:
    """Tables of what was found, by group and by kind, a column a reviewer, with 95 % intervals."""
    return _printed(_summary(judged), _shares("found, by group", judged, "found"), _shares("by kind", judged, "kinds"))


def render_json(judged: Sequence[Judgement], seen: Sequence[Observation], calibration: Calibration) -> str:
    """The same, and the curve of recall against noise, for programs."""
    document = {
        "version": SCHEMA_VERSION,
        "cases": len(seen),
        "thresholds": {"speak": calibration.speak, "block": calibration.block},
        "reviewers": [_plain(one) for one in judged],
        "curve": [asdict(point) for point in curve(seen, calibration)],
    }
    return json.dumps(document, indent=2)


def render_calibration(seen: Sequence[Observation], before: Calibration, after: Calibration) -> str:
    """The figures under the old and the new thresholds, and the curve between them."""
    judged = [
        judge(f"before: {_thresholds(before)}", seen, measured(before), lambda one: one.seconds),
        judge(f"now: {_thresholds(after)}", seen, measured(after), lambda one: one.seconds),
    ]
    return _printed(_summary(judged), _shares("found, by group", judged, "found"), _curve(curve(seen, after)))


def render_calibration_json(seen: Sequence[Observation], before: Calibration, after: Calibration) -> str:
    """The same for programs."""
    judged = [
        judge(name, seen, measured(one), lambda each: each.seconds)
        for name, one in (("before", before), ("now", after))
    ]
    return render_json(judged, seen, after)


def _thresholds(calibration: Calibration) -> str:
    block = f"blocks at {calibration.block:g}" if calibration.block <= 1 else "never blocks"
    return f"speaks at {calibration.speak:g}, {block}"


def rows(judged: Sequence[Judgement]) -> Iterator[tuple[str, list[str]]]:
    """The summary, a row a figure."""
    yield "clean commits", [f"{one.noise.commits}" for one in judged]
    yield "comments on them", [f"{one.noise.findings} ({one.noise.rate:.2f} a commit)" for one in judged]
    yield "of them blocked", [str(one.noise.blocked) for one in judged]
    yield "precision", [str(one.precision) for one in judged]
    yield "seconds a hunk", [f"{one.seconds:.1f}" for one in judged]


def _summary(judged: Sequence[Judgement]) -> "Table":
    return _table("on commits taken for clean", judged, rows(judged))


def _shares(title: str, judged: Sequence[Judgement], field: str) -> "Table":
    names = list(dict.fromkeys(name for one in judged for name in getattr(one, field)))
    found: list[tuple[str, list[str]]] = []
    for name in names:
        shares: list[Share | None] = [getattr(one, field).get(name) for one in judged]
        found.append((name, ["" if share is None else str(share) for share in shares]))
    return _table(title, judged, found)


def _table(title: str, judged: Sequence[Judgement], body: "Iterator[tuple[str, list[str]]] | list[Any]") -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("")
    for one in judged:
        table.add_column(one.name)
    for name, cells in body:
        table.add_row(name, *cells)
    return table


def _curve(points: Sequence[Point]) -> "Table":
    """Recall and noise at some thresholds, evenly picked."""
    from rich.table import Table

    table = Table(title="threshold, recall, comments a clean commit", title_justify="left", box=None, pad_edge=False)
    for name in ("threshold", "recall", "comments"):
        table.add_column(name, justify="right")
    step = max(1, len(points) // 12)
    for point in points[::step]:
        table.add_row(f"{point.threshold:.2f}", f"{point.recall:.0%}", f"{point.noise:.2f}")
    return table


def _printed(*tables: "Table") -> str:
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    console = Console(file=stream, width=110, color_system=None)
    for table in tables:
        console.print(table)
        console.print()
    return stream.getvalue().rstrip()


def _plain(one: Judgement) -> dict[str, Any]:
    def told(share: Share) -> dict[str, Any]:
        return {"hits": share.hits, "total": share.total, "share": share.value, "interval": list(share.interval)}

    return {
        "name": one.name,
        "found": {name: told(share) for name, share in one.found.items()},
        "kinds": {name: told(share) for name, share in one.kinds.items()},
        "clean_commits": one.noise.commits,
        "comments": one.noise.findings,
        "comments_a_commit": one.noise.rate,
        "blocked": told(one.noise.blocked),
        "precision": told(one.precision),
        "seconds_a_hunk": one.seconds,
    }


def counts(seen: Sequence[Observation]) -> dict[str, int]:
    """Cases by way."""
    return {way.value: sum(observation.way is way for observation in seen) for way in Way}
