"""Weeks of reviewing, drawn for people and written for programs."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lrc.findings import Severity
from lrc.ledger.fate import State
from lrc.ledger.statistics import Week, total
from lrc.render.headline import counted, plural
from lrc.render.log import STYLE
from lrc.render.notes import percent
from lrc.render.options import RenderOptions

if TYPE_CHECKING:
    from rich.text import Text

SCHEMA_VERSION = 1
"""Raised when a field of the JSON changes its meaning or goes."""
_BAR = 30
_DRAWN = (
    (State.REVIEWED, "█", "#"),
    (State.OVERRIDDEN, "▓", "!"),
    (State.BYPASSED, "▒", "-"),
    (State.FAILED, "▒", "-"),
    (State.UNSEEN, "░", "."),
)


def render(weeks: Sequence[Week], options: RenderOptions) -> str:
    """A bar a week, as long as it has commits and divided by what became of them; totals below."""
    from rich.text import Text

    from lrc.render.terminal import to_string

    most = max((week.commits for week in weeks), default=0)
    lines = [Text(f"{'week of':<10}  {'commits':>7}  {'reviewed':>8}", style="bold")]
    lines += [_row(week, most, options) for week in weeks]
    lines += [Text(), _legend(options), *_totals(total(weeks))]
    return to_string(lines, options)


def _row(week: Week, most: int, options: RenderOptions) -> "Text":
    from rich.text import Text

    share = percent(week.share) if week.share is not None else ""
    row = Text(f"{week.monday.isoformat()}  {week.commits or '':>7}  {share:>8}  ")
    for (state, block, plain), cells in zip(_DRAWN, _cells(week, most), strict=True):
        row.append((block if options.unicode else plain) * cells, style=STYLE[state])
    if week.findings:
        row.append(f" {_findings(week)}", style="dim")
    return row


def _cells(week: Week, most: int) -> list[int]:
    """The bar's length by state; a state that occurs has a cell at least."""
    scale = _BAR / most if most else 0
    return [max(1, round(week.states[state] * scale)) if week.states[state] else 0 for state, _, _ in _DRAWN]


def _legend(options: RenderOptions) -> "Text":
    from rich.text import Text

    legend = Text()
    for state, block, plain in _DRAWN:
        legend.append(block if options.unicode else plain, style=STYLE[state])
        legend.append(f" {state.value}  ", style="dim")
    return legend


def _totals(whole: Week) -> "list[Text]":
    from rich.text import Text

    share = (
        f", {whole.reviewed:,} of them read by a review as a whole ({percent(whole.share)})"
        if whole.share is not None
        else ""
    )
    lines = [f"{plural(whole.commits, 'commit')}{share}"]
    found = _findings(whole) or "no findings"
    lines.append(f"{plural(whole.reviews, 'review')} in {whole.seconds:,.0f} s: {found}")
    if whole.blocked or whole.states[State.OVERRIDDEN]:
        overridden = plural(whole.states[State.OVERRIDDEN], "commit")
        lines.append(f"{plural(whole.blocked, 'finding')} blocked, {overridden} made all the same")
    return [Text(line) for line in lines]


def _findings(week: Week) -> str:
    return counted(_ordered(week))


def _ordered(week: Week) -> dict[str, int]:
    return {
        level.label: week.findings[level.label]
        for level in sorted(Severity, reverse=True)
        if week.findings[level.label]
    }


def render_json(weeks: Sequence[Week]) -> str:
    """The same as one JSON document."""
    return json.dumps(
        {"version": SCHEMA_VERSION, "total": document(total(weeks)), "weeks": [document(week) for week in weeks]},
        indent=2,
    )


def document(week: Week) -> dict[str, Any]:
    """One week as plain data."""
    return {
        "week": week.monday.isoformat(),
        "commits": week.commits,
        "reviewed": week.reviewed,
        "share": None if week.share is None else round(week.share, 4),
        "states": {state.value: week.states[state] for state in State if week.states[state]},
        "findings": _ordered(week),
        "blocked": week.blocked,
        "overridden": week.states[State.OVERRIDDEN],
        "reviews": week.reviews,
        "seconds": round(week.seconds, 2),
    }
