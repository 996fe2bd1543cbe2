"""Checks that left one file of a change and stand in another, or whose subject left another: nothing was lost."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from posixpath import basename

from lrc.diff import FileDiff, Kind, Side
from lrc.findings import Category, Finding, Severity

_OWN_WORDS = 30
"""Characters of a line below which two files may hold it by chance."""
_HEAD = 12
"""The same for the line that a check begins with."""
_DECLARED = (
    r"^\s*(?!if\b|return\b|raise\b|throw\b|assert)"
    r"(?:(?:(?:pub|public|private|static|readonly|def|fn|func|function|let|var|val|const|class|struct|bool|int)\b.*\b)?{0}\b\s*[:=;({{]|.*[\w>*]\s+{0}\s*(?:;|\{{|=(?!=)))"
)
"""How a name begins to exist, in the ways of all languages; asking about it does not look like that."""
_ABOUT_CODE = frozenset({
    "access-widening", "cloud-loops", "disabled-security", "sensitive-logs", "sql-text", "swallowed-errors",
})  # fmt: skip
"""Detectors of what code does: it does the same where it came from."""
_LISTED = re.compile(r"\W*((?:@[\w.-]+/)?\w[\w./-]*)")
"""The name that a manifest's line begins with."""
_BODY = 4
"""Lines of a check that are compared."""


class Moves:
    """Where the lines of a change went, across its files."""

    def __init__(self, files: Iterable[FileDiff]) -> None:
        self._files = tuple(files)

    def without(self, findings: Iterable[Finding], file: FileDiff) -> Iterator[Finding]:
        """The findings of `file` but those on a check that stands in another file now."""
        for finding in findings:
            lost = finding.side is Side.OLD and finding.category is Category.REMOVED_CHECK
            if self._is_listed_before(finding, file) or self._came_from_elsewhere(finding, file):
                continue
            if not lost or not (self._stands_elsewhere(finding.line, file) or self._lost_its_subject(finding, file)):
                yield finding

    def _stands_elsewhere(self, number: int, file: FileDiff) -> bool:
        """True when the check's first line, or one of its own words, was added in another file."""
        removed = (
            line
            for hunk in file.hunks
            for line in hunk.lines
            if line.kind is Kind.REMOVED and number <= (line.old or 0) < number + _BODY
        )
        for line in removed:
            text = line.text.strip()
            if len(text) >= (_HEAD if line.old == number else _OWN_WORDS) and self._added.get(text, set()) - {
                file.path
            }:
                return True
        return False

    def _lost_its_subject(self, finding: Finding, file: FileDiff) -> bool:
        """True when the change takes away what the check spoke about, and nothing new names it."""
        own = [
            line.text
            for hunk in file.hunks
            for line in hunk.removed
            if finding.line <= (line.old or 0) < finding.line + _BODY
        ]
        for name in frozenset(re.findall(r"\b[A-Za-z_]\w{4,}", "\n".join(own))):
            declared = re.compile(_DECLARED.format(name))
            if any(name in text for text in self._added):
                continue
            if any(
                declared.search(line.text) and line.text not in own
                for other in self._files
                for hunk in other.hunks
                for line in hunk.removed
            ):
                return True
        return False

    def _came_from_elsewhere(self, finding: Finding, file: FileDiff) -> bool:
        """True for a line of code that another file gave up: moved code is as it was."""
        if finding.side is not Side.NEW or finding.source.removeprefix("detector:") not in _ABOUT_CODE:
            return False
        lines = (line.text.strip() for hunk in file.hunks for line in hunk.added if line.new == finding.line)
        text = next(lines, "")
        return len(text) >= _OWN_WORDS and any(
            line.text.strip() == text
            for other in self._files
            if other is not file
            for hunk in other.hunks
            for line in hunk.removed
        )

    def _is_listed_before(self, finding: Finding, file: FileDiff) -> bool:
        """True for a new package that another manifest of the same kind gave up: the list moved."""
        name = _LISTED.match(finding.quote)
        if finding.source != "detector:dependencies" or finding.severity is not Severity.INFO or name is None:
            return False
        gone = re.compile(rf"^\W*{re.escape(name[1])}(?![\w-])")
        return any(
            gone.match(line.text)
            for other in self._files
            if other is not file and basename(other.path) == basename(file.path)
            for hunk in other.hunks
            for line in hunk.removed
        )

    @cached_property
    def _added(self) -> dict[str, set[str]]:
        """Each added line, without indent, with the paths that it was added to."""
        found: dict[str, set[str]] = {}
        for file in self._files:
            for hunk in file.hunks:
                for line in hunk.added:
                    found.setdefault(line.text.strip(), set()).add(file.path)
        return found
