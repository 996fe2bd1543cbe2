"""Weeks of reviewing as one HTML page that loads nothing from anywhere."""

from collections.abc import Iterator, Sequence

from lrc.findings import Severity
from lrc.ledger.fate import State
from lrc.ledger.statistics import Week, total
from lrc.render.htmlpage import document
from lrc.render.notes import percent

_COLOURS = {
    State.REVIEWED: "#2e7d32",
    State.OVERRIDDEN: "#c62828",
    State.BYPASSED: "#ef8f00",
    State.FAILED: "#8d6e63",
    State.UNSEEN: "#9e9e9e",
}
_STYLE = "dl { display: flex; flex-wrap: wrap; gap: 2rem; } dt { opacity: .7; } dd { margin: 0; font-size: 1.8rem; }"
_HEIGHT = 180
_STEP = 56
"""Pixels from one week's bar to the next."""


def render(weeks: Sequence[Week], name: str) -> str:
    """The page about the repository called `name`: totals, a bar a week, and the same as a table."""
    return document(f"lrc: reviews of {name}", (*_totals(total(weeks)), *_chart(weeks), *_table(weeks)), _STYLE)


def _totals(whole: Week) -> Iterator[str]:
    values = {
        "commits": f"{whole.commits:,}",
        "read by a review": percent(whole.share) if whole.share is not None else "none yet",
        "findings": f"{sum(whole.findings.values()):,}",
        "findings that blocked": f"{whole.blocked:,}",
        "commits made all the same": f"{whole.states[State.OVERRIDDEN]:,}",
    }
    yield "<dl>"
    yield from (f"<div><dt>{label}</dt><dd>{value}</dd></div>" for label, value in values.items())
    yield "</dl>"


def _chart(weeks: Sequence[Week]) -> Iterator[str]:
    most = max((week.commits for week in weeks), default=0) or 1
    keys = "".join(f'<span style="background:{colour}"></span>{state.value}' for state, colour in _COLOURS.items())
    yield f'<p class="key">Commits by week:{keys}</p>'
    label = "Commits by week and by what became of them; the table below has the numbers"
    width = _STEP * len(weeks) + 8
    # No wider than drawn: a page of few weeks must not show bars as large as houses.
    size = f'viewBox="0 0 {width} {_HEIGHT + 40}" style="max-width: {width}px"'
    yield f'<svg {size} role="img" aria-label="{label}">'
    for place, week in enumerate(weeks):
        yield from _bar(week, 8 + place * _STEP, most)
    yield "</svg>"


def _bar(week: Week, left: int, most: int) -> Iterator[str]:
    bottom = float(_HEIGHT + 14)
    for state, colour in _COLOURS.items():
        height = week.states[state] * _HEIGHT / most
        if height:
            bottom -= height
            size = f'x="{left}" y="{bottom:.1f}" width="{_STEP - 16}" height="{height:.1f}"'
            yield f'<rect {size} fill="{colour}"><title>{week.states[state]:,} {state.value}</title></rect>'
    if week.share is not None:
        yield f'<text x="{left}" y="{bottom - 4:.1f}">{percent(week.share)}</text>'
    yield f'<text x="{left}" y="{_HEIGHT + 30}">{week.monday:%d %b}</text>'


def _table(weeks: Sequence[Week]) -> Iterator[str]:
    levels = sorted(Severity, reverse=True)
    heads = ["week of", "commits", "read", *(state.value for state in _COLOURS), *(level.label for level in levels)]
    yield f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
    for week in weeks:
        share = percent(week.share) if week.share is not None else ""
        counts = [*(week.states[state] for state in _COLOURS), *(week.findings[level.label] for level in levels)]
        cells = [
            week.monday.isoformat(),
            f"{week.commits:,}",
            share,
            *(f"{count:,}" if count else "" for count in counts),
        ]
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</table>"
