"""What became of each commit, for people and for programs."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lrc.ledger.fate import BEFORE, Fate, State
from lrc.render.escape import decodable, visible
from lrc.render.headline import counted, plural
from lrc.render.notes import percent
from lrc.render.options import RenderOptions

if TYPE_CHECKING:
    from rich.text import Text

SCHEMA_VERSION = 1
"""Raised when a field of the JSON changes its meaning or goes."""
STYLE = {
    State.REVIEWED: "green",
    State.OVERRIDDEN: "bold red",
    State.BYPASSED: "yellow",
    State.FAILED: "yellow",
    State.UNSEEN: "yellow",
    State.EMPTY: "dim",
}
_WIDEST = max(len(state.value) for state in State)


def render(fates: Sequence[Fate], options: RenderOptions) -> str:
    """One commit a line, with a second line where there is more to say; the last line counts what is unreviewed."""
    from rich.text import Text

    from lrc.render.terminal import to_string

    lines = [line for fate in fates for line in _lines(fate, options)]
    end = _end(fates)
    return to_string([*lines, Text(end, style="bold")], options) if fates else "no commits"


def _end(fates: Sequence[Fate]) -> str:
    left = [fate for fate in fates if fate.unreviewed]
    if not left:
        return f"{plural(len(fates), 'commit')}, all read by a review"
    # What is older than the ledger is reviewed only when somebody names it.
    way = "`lrc review --unreviewed`" if any(fate.how != BEFORE for fate in left) else "older than the ledger"
    return f"{plural(len(left), 'commit')} of {len(fates):,} not read by a review as a whole: {way}"


def _lines(fate: Fate, options: RenderOptions) -> "list[Text]":
    from rich.text import Text

    head = Text()
    head.append(f"{fate.commit.name[:9]}  ", style="dim")
    head.append(f"{fate.state.value:<{_WIDEST}}  ", style=STYLE[fate.state])
    head.append(f"{percent(fate.coverage) if fate.coverage is not None else '':>5}  ")
    subject = visible(fate.commit.subject)
    room = max(20, options.width - head.cell_len)
    head.append(subject if len(subject) <= room else subject[: room - 1] + ("…" if options.unicode else "~"))
    more = ", ".join(_details(fate))
    return [head, Text(f"{'':11}{visible(more)}", style="dim")] if more else [head]


def _details(fate: Fate) -> list[str]:
    found = [fate.how] if fate.how else []
    if fate.findings:
        noun = "finding" if sum(fate.findings.values()) == 1 else "findings"
        found.append(f"{counted(dict(fate.findings))} {noun}")
    if fate.by_model is not None and fate.coverage and fate.by_model < fate.coverage and fate.model:
        found.append(f"{percent(fate.by_model)} by the model")
    if fate.iterations > 1:
        found.append(f"{fate.iterations} reviews before it")
    if fate.model:
        found.append(fate.model)
    elif fate.reviews:
        found.append("detectors only")
    return found


def render_json(fates: Sequence[Fate]) -> str:
    """The same as one JSON document in ASCII."""
    return json.dumps({"version": SCHEMA_VERSION, "commits": [document(fate) for fate in fates]}, indent=2)


def document(fate: Fate) -> dict[str, Any]:
    """One commit as plain data."""
    return {
        "commit": fate.commit.name,
        "committed": datetime.fromtimestamp(fate.commit.at, UTC).isoformat(),
        "subject": decodable(fate.commit.subject),
        "state": fate.state.value,
        "how": decodable(fate.how),
        "unreviewed": fate.unreviewed,
        "coverage": None if fate.coverage is None else round(fate.coverage, 4),
        "by_model": None if fate.by_model is None else round(fate.by_model, 4),
        "iterations": fate.iterations,
        "model": decodable(fate.model),
        "findings": None if fate.findings is None else dict(fate.findings),
        "reviews": list(fate.reviews),
    }
