"""The text that is measured for a unit: the new code with what stands above and below it, token by token."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lrc.diff import Kind as LineKind
from lrc.review import Unit

LIKENESS = 0.6
"""Share of characters from which two lines of a block are taken for versions of one."""
LONE_LIKENESS = 0.3
"""The same where one line stands in the place of one other."""
CONTEXT_ABOVE = 25
"""Lines above the hunk; more cost time and change little."""


class Encoder(Protocol):
    """What a passage needs of the engine."""

    def encode(self, text: str, special: bool) -> list[int]:
        """`text` as token ids."""

    def piece(self, tokens: Sequence[int]) -> bytes:
        """The bytes of `tokens`."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the passage."""

    text: str
    number: int | None
    """1-based number in the new file; None for lines that only set the scene."""
    added: bool
    old: str | None = None
    """The removed line in whose place this one stands; None when it has no counterpart."""


@dataclass(frozen=True, slots=True)
class Written:
    """One token of an added line."""

    index: int
    """Its place among the passage's tokens."""
    start: int
    """Offset of its first character in the passage's text."""
    text: str
    row: int


class Passage:
    """The lines around and in a hunk as one text and its tokens."""

    def __init__(self, rows: Sequence[Row], encoder: Encoder) -> None:
        self.rows = tuple(rows)
        self._encoder = encoder
        self.starts = [0]
        for row in self.rows:
            self.starts.append(self.starts[-1] + len(row.text) + 1)
        self.text = "".join(f"{row.text}\n" for row in self.rows)
        self.tokens = encoder.encode(self.text, False)

    def written(self) -> Iterator[Written]:
        """The tokens whose first visible character stands in an added line, first to last."""
        position = 0
        raw = self.text.encode("utf-8")
        ascii_only = len(raw) == len(self.text)
        for index, token in enumerate(self.tokens):
            piece = self._encoder.piece([token])
            start = position if ascii_only else len(raw[:position].decode("utf-8", "ignore"))
            position += len(piece)
            text = piece.decode("utf-8", "replace")
            visible = start + len(text) - len(text.lstrip())
            row = self.row_at(visible)
            if row < len(self.rows) and self.rows[row].added and text.strip():
                yield Written(index, visible, text.strip(), row)

    def row_at(self, offset: int) -> int:
        """The row that holds the character at `offset`."""
        return bisect_right(self.starts, offset) - 1

    def edited(self, start: int, end: int, text: str) -> list[int]:
        """The tokens of the passage with the characters from `start` to `end` replaced."""
        return self._encoder.encode(self.text[:start] + text + self.text[end:], False)


def passage_of(unit: Unit, encoder: Encoder, mask: Callable[[str], str]) -> Passage:
    """The passage of a unit's new side. Secrets are masked before any of it is encoded."""
    comment = "#" if unit.language in ("python", "ruby", "bash", "yaml", "") else "//"
    rows = [Row(f"{comment} {_printable(unit.file.path)}", None, False)]
    before = unit.before[-CONTEXT_ABOVE:]
    hunk = unit.hunk
    first = (hunk.new_start if hunk.new_count else hunk.new_start + 1) - len(before)
    if unit.enclosing and unit.enclosing.start < first:
        rows.append(Row(unit.enclosing.header, None, False))
    rows += [Row(text, first + i, False) for i, text in enumerate(before)]
    partners = counterparts(unit)
    for line in hunk.lines:
        if line.kind is not LineKind.REMOVED:
            added = line.kind is LineKind.ADDED
            old = partners.get(line.new) if added and line.new else None
            rows.append(Row(line.text, line.new, added, None if old is None else mask(old)))
    after = hunk.new_start + hunk.new_count
    rows += [Row(text, after + i, False) for i, text in enumerate(unit.after)]
    # All lines at once: a key spans many, and only together do they show it.
    masked = mask("\n".join(row.text for row in rows)).split("\n")
    return Passage([replace(row, text=text) for row, text in zip(rows, masked, strict=True)], encoder)


def counterparts(unit: Unit) -> dict[int, str]:
    """For each modified line of the hunk, by its new number, the removed line that it replaces.

    Within a block of removed lines followed by added ones, lines are paired by likeness, in order.
    """
    from difflib import SequenceMatcher

    pairs: dict[int, str] = {}
    removed: list[str] = []
    block: list[tuple[int, str]] = []

    def settle() -> None:
        rest = list(removed)
        alike = LONE_LIKENESS if len(rest) == len(block) == 1 else LIKENESS
        for number, text in block:
            ratios = [SequenceMatcher(None, text.strip(), old.strip(), autojunk=False).ratio() for old in rest[:12]]
            best = max(range(len(ratios)), key=ratios.__getitem__, default=None)
            if best is not None and ratios[best] >= alike:
                pairs[number] = rest[best]
                del rest[: best + 1]
        removed.clear()
        block.clear()

    for line in unit.hunk.lines:
        if line.kind is LineKind.REMOVED:
            if block:
                settle()
            removed.append(line.text)
        elif line.kind is LineKind.ADDED and line.new is not None:
            block.append((line.new, line.text))
        else:
            settle()
    settle()
    return pairs


def _printable(path: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in path)
