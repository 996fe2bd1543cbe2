"""The seam of the deterministic detectors: what one is, and how it makes a finding."""

from collections.abc import Iterator
from enum import Enum
from typing import Protocol

from lrc.detect.masking import mask
from lrc.diff import FileDiff, Kind, Line, Side
from lrc.findings import Category, Finding, Severity


class Scope(Enum):
    """Which files a detector makes sense in."""

    CODE = "code"
    """Files that somebody writes by hand."""
    ANY_TEXT = "any text"
    """Generated, vendored, minified and lock files too."""


class Detector(Protocol):
    """Finds one kind of trouble in what a change adds or removes, without a model and without I/O."""

    name: str
    """Part of each finding's source, `detector:NAME`; never changed, since fingerprints rest on it."""
    scope: Scope

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """The findings in the changed lines of `file`; `text` is its whole new content, None when there is none."""


def finding_at(
    file: FileDiff,
    line: Line,
    detector: Detector,
    severity: Severity,
    category: Category,
    message: str,
    *,
    confidence: float = 0.95,
    replacement: str | None = None,
) -> Finding:
    """A finding on one line of the diff, on the side where that line is; the quote is masked here, once for all."""
    side = Side.OLD if line.kind is Kind.REMOVED else Side.NEW
    number = (line.old if side is Side.OLD else line.new) or 1
    return Finding(
        path=file.path,
        line=number,
        end_line=number,
        side=side,
        severity=severity,
        category=category,
        confidence=confidence,
        message=message,
        source=f"detector:{detector.name}",
        quote=mask(line.text.strip(), file.path),
        replacement=replacement,
    )


def added_lines(file: FileDiff) -> Iterator[Line]:
    """The added lines of all hunks, in order."""
    for hunk in file.hunks:
        yield from hunk.added
