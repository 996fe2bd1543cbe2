"""Changes to `lrc`'s own settings, so that a change cannot weaken its own gate unseen."""

import re
from collections.abc import Callable, Iterator
from posixpath import basename

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import fresh_lines
from lrc.diff import FileDiff, Kind, Line, Status
from lrc.findings import Category, Finding, Severity
from lrc.ignore import is_own_file
from lrc.patterns import lazy

_KEYS = lazy(
    r"^\s*(?P<key>fail_on|on_error|no_model|max_findings|hook_budget|reviewer|threshold|min_confidence)\s*=\s*(?P<value>.+?)\s*(?:#.*)?$"
)
_TABLE = lazy(r"^\s*\[tool\.lrc\b")


class OwnSettings:
    """What is reviewed, what blocks and what is dismissed: told whenever the reviewed change itself alters it."""

    name = "own-settings"
    scope = Scope.ANY_TEXT

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding for each altered setting, pattern or entry."""
        name = basename(file.path)
        if file.path.endswith(".lrc/ignore"):
            yield from self._each(file, "This path is no longer reviewed from this change on", _is_pattern)
        elif file.path.endswith(".lrc/dismissed.toml"):
            yield from self._each(file, "A finding is dismissed by the change itself", _is_entry)
        elif is_own_file(file.path):
            if file.status is Status.DELETED:
                yield from self._first(file, "The reviewer's settings are deleted")
            yield from self._each(file, "The change alters how it is reviewed itself", _is_setting)
        elif name == "pyproject.toml":
            if _in_own_table(file, text):
                yield from self._each(
                    file, "The change alters how it is reviewed itself", lambda line: bool(_KEYS.match(line))
                )
        elif name in (".pre-commit-config.yaml", ".gitlab-ci.yml", "lefthook.yml") or "/workflows/" in file.path:
            yield from self._unhooked(file)

    def _each(self, file: FileDiff, message: str, matters: Callable[[str], bool]) -> Iterator[Finding]:
        for line in fresh_lines(file):
            if matters(line.text):
                yield self._finding(file, line, f"{message}: `{line.text.strip()[:60]}`")

    def _first(self, file: FileDiff, message: str) -> Iterator[Finding]:
        for hunk in file.hunks[:1]:
            yield self._finding(file, hunk.lines[0], message)

    def _unhooked(self, file: FileDiff) -> Iterator[Finding]:
        """The hook taken out of the tool that runs it."""
        added = {line.text.strip() for hunk in file.hunks for line in hunk.added}
        for hunk in file.hunks:
            for line in hunk.lines:
                gone = line.kind is Kind.REMOVED and re.match(r"\s*-\s*id:\s*[\"']?lrc\b", line.text)
                skipped = line.kind is Kind.ADDED and re.search(
                    r"\bLRC_SKIP\b|SKIP\s*[:=].*\blrc\b|skip:.*\blrc\b", line.text
                )
                if skipped or (gone and line.text.strip() not in added):
                    yield self._finding(file, line, "The review itself is taken out of the checks")

    def _finding(self, file: FileDiff, line: Line, message: str) -> Finding:
        return finding_at(file, line, self, Severity.MEDIUM, Category.COMPLIANCE, message, confidence=0.95)


def _is_pattern(text: str) -> bool:
    return bool(text.strip()) and not text.lstrip().startswith("#")


def _is_entry(text: str) -> bool:
    return text.lstrip().startswith("fingerprint")


def _is_setting(text: str) -> bool:
    return bool(_KEYS.match(text))


def _in_own_table(file: FileDiff, text: str | None) -> bool:
    """True when the change lies within `[tool.lrc]`."""
    if text is None:
        return any(_TABLE.match(line.text) for hunk in file.hunks for line in hunk.lines)
    inside = False
    numbers: set[int] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("["):
            inside = _TABLE.match(line) is not None
        if inside:
            numbers.add(number)
    return any(line.new in numbers for line in fresh_lines(file))
