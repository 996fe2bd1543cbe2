"""The lines of the diff around a finding, masked and numbered. Pure; how they are coloured is the format's concern."""

from collections.abc import Iterable
from dataclasses import dataclass

from lrc.detect.masking import mask
from lrc.diff import FileDiff, Hunk, Kind, Side
from lrc.findings import Finding

BEFORE, AFTER = 2, 1
"""Lines shown above and below the lines that a finding is about."""
_LONGEST = 12
"""Lines shown of a finding that spans more."""
_KEY_LINES = 120
"""A private key is masked from its first line on; no key is longer than this."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of an excerpt."""

    old: int | None
    new: int | None
    kind: Kind
    text: str
    """Masked, not escaped."""
    hit: bool
    """True for the lines that the finding is about."""


def excerpt(finding: Finding, files: Iterable[FileDiff]) -> tuple[Row, ...]:
    """The rows to show; the finding's own quote when its line is in no hunk."""
    for file in files:
        if file.path != finding.path:
            continue
        for hunk in file.hunks:
            rows = _from_hunk(finding, file.path, hunk)
            if rows:
                return rows
    if not finding.quote:
        return ()
    old, new = (finding.line, None) if finding.side is Side.OLD else (None, finding.line)
    return (Row(old, new, Kind.CONTEXT, mask(finding.quote, finding.path), True),)


def _from_hunk(finding: Finding, path: str, hunk: Hunk) -> tuple[Row, ...]:
    hits = [index for index, line in enumerate(hunk.lines) if _is_hit(finding, line.old, line.new, line.kind)]
    if not hits:
        return ()
    first, last = hits[0], min(hits[-1], hits[0] + _LONGEST - 1)
    top, bottom = max(0, first - BEFORE), min(len(hunk.lines), last + AFTER + 1)
    start = max(0, top - _KEY_LINES)
    texts = mask("\n".join(line.text.replace("\n", " ") for line in hunk.lines[start:bottom]), path).split("\n")
    shown = zip(range(top, bottom), hunk.lines[top:bottom], texts[top - start :], strict=True)
    return tuple(Row(line.old, line.new, line.kind, text, index in hits) for index, line, text in shown)


def _is_hit(finding: Finding, old: int | None, new: int | None, kind: Kind) -> bool:
    if finding.side is Side.OLD:
        return kind is Kind.REMOVED and old is not None and finding.line <= old <= finding.end_line
    return new is not None and finding.line <= new <= finding.end_line
