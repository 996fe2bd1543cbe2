"""Markers of an unresolved merge in added lines."""

from collections.abc import Iterator

from lrc.detect.detector import Scope, finding_at
from lrc.diff import FileDiff, Kind, Line, Status
from lrc.findings import Category, Finding, Severity
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import is_example_path, is_test_path

_OPEN = lazy(r"^<{7}(?: \S.*)?\r?$")
_MIDDLE = lazy(r"^={7}\r?$")
_OF_MERGES = lazy(r"(?i)merg|conflict|rebase|diff3|cherry")
_DATA = frozenset({"", "text", "markdown"})
_CLOSE = lazy(r"^>{7}(?: \S.*)?\r?$")


class ConflictMarkers:
    """Lines that `git merge` wrote and nobody removed. A lone `=======` is a heading's underline, not a marker."""

    name = "conflict-markers"
    scope = Scope.ANY_TEXT

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a conflict, on its first marker line."""
        is_open = False
        for line in (line for hunk in file.hunks for line in hunk.lines):
            if line.kind is Kind.REMOVED:
                continue
            if _OPEN.match(line.text):
                is_open = True
                yield from self._report(file, line)
            elif _CLOSE.match(line.text):
                if not is_open:
                    yield from self._report(file, line)
                is_open = False

    def _report(self, file: FileDiff, line: Line) -> Iterator[Finding]:
        if line.kind is not Kind.ADDED:
            return
        sample = is_test_path(file.path) or is_example_path(file.path)
        if sample and not _is_whole(file):
            return
        if is_test_path(file.path) and file.status is Status.ADDED and _is_data_of_merges(file.path):
            return  # what a test of merging reads or expects
        severity = Severity.MEDIUM if sample else Severity.HIGH
        message = "A merge conflict is not resolved: its marker is about to be committed"
        yield finding_at(file, line, self, severity, Category.CORRECTNESS, message, confidence=0.7 if sample else 0.99)


def _is_data_of_merges(path: str) -> bool:
    """True for text that is called after merges; a new file of that name was not left by one."""
    return language_of(path) in _DATA and _OF_MERGES.search(path) is not None


def _is_whole(file: FileDiff) -> bool:
    """True when opening, middle and closing marker are all there: in prose one alone is decoration."""
    texts = [line.text for hunk in file.hunks for line in hunk.lines if line.kind is not Kind.REMOVED]
    return all(any(pattern.match(text) for text in texts) for pattern in (_OPEN, _MIDDLE, _CLOSE))
