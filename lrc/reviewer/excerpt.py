"""How a hunk is shown to the model: numbered lines, each with a label that an answer can point at."""

from collections.abc import Callable
from dataclasses import dataclass

from lrc.diff import Hunk, Kind, Line, Side
from lrc.review import Unit


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a hunk that a comment may be about."""

    label: str
    """How the model names it: `12` in the new file, `-9` for line 9 of the old one."""
    side: Side
    number: int
    line: Line


def places(hunk: Hunk) -> tuple[Place, ...]:
    """Every added and removed line of the hunk, in order; context lines are no part of the change."""
    found = []
    for line in hunk.lines:
        if line.kind is Kind.ADDED and line.new is not None:
            found.append(Place(str(line.new), Side.NEW, line.new, line))
        elif line.kind is Kind.REMOVED and line.old is not None:
            found.append(Place(f"-{line.old}", Side.OLD, line.old, line))
    return tuple(found)


def numbered(unit: Unit, mask: Callable[[str], str], around: int = 6) -> str:
    """The hunk as text: label, marker, line; with up to `around` lines above and below it.

    `mask` hides secrets before any text reaches the model; it sees the lines together, since a key spans many.
    """
    hunk = unit.hunk
    rows: list[tuple[str, str, str]] = []
    above = unit.before[-around:]
    if unit.enclosing and unit.enclosing.start < hunk.new_start - len(above):
        rows.append((str(unit.enclosing.start), " ", unit.enclosing.header))
        rows.append(("", " ", "..."))
    first = hunk.new_start if hunk.new_count else hunk.new_start + 1
    rows += [(str(first - len(above) + i), " ", text) for i, text in enumerate(above)]
    for line in hunk.lines:
        label = f"-{line.old}" if line.kind is Kind.REMOVED else str(line.new)
        rows.append((label, line.kind.value, line.text))
    last = hunk.new_start + hunk.new_count
    rows += [(str(last + i), " ", text) for i, text in enumerate(unit.after[:around])]
    width = max(len(label) for label, _, _ in rows)
    texts = mask("\n".join(text for _, _, text in rows)).split("\n")
    return "\n".join(f"{label:>{width}} {marker}{text}" for (label, marker, _), text in zip(rows, texts, strict=True))


def spoken(unit: Unit, mask: Callable[[str], str]) -> tuple[str, ...]:
    """Texts of the unit that an answer may quote, for lookup drafting: markers stripped, raw and JSON-escaped."""
    import json

    raw = mask("\n".join(line.text.strip() for line in unit.hunk.lines))
    return (raw, json.dumps(raw, ensure_ascii=False)[1:-1])
