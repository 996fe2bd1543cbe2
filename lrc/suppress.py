"""Findings that somebody has looked at and set aside: in a comment beside the code, or in a file by fingerprint.

Pure: the caller reads and writes the file (`DISMISSED_FILE`, in the repository so that a team shares it).
"""

import json
import re
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lrc.diff import FileDiff, Hunk, Kind, Side
from lrc.errors import WrongUsage
from lrc.findings import Finding
from lrc.patterns import lazy

DISMISSED_FILE = ".lrc/dismissed.toml"
"""Where dismissals and the baseline are kept, relative to the top of the repository."""

NO_REASON = "no reason given"
"""Stands where a comment or an entry gives none, so that the list of dismissed findings shows the gap."""

_COMMENT = lazy(
    r"(?:#|//|\{?/\*|--|;|<!--|<%--|<%#|%|\{#|\(\*|\{-|\{\{!-*|\bREM\b|::|^\s*\*|^\s*['\"])\s*"
    r"lrc:\s*ignore\[(?P<categories>[a-z, *-]+)\][:\s]*(?P<reason>.*)",
    re.IGNORECASE,
)
_CLOSERS = lazy(r"\s*(?:\*/\}?|--%?>|#\}|%\}|\*\)|-\}|-*\}\}|%>)\s*$")


@dataclass(frozen=True, slots=True)
class Dismissal:
    """One entry of the dismissed file: this finding is known and accepted."""

    fingerprint: str
    reason: str
    date: str = ""
    """ISO date of the decision; empty when unknown."""
    by: str = ""
    """Who decided, as git names them; empty when unknown."""
    path: str = ""
    """For the reader of the file only: the fingerprint decides."""
    message: str = ""
    """For the reader of the file only."""


@dataclass(frozen=True, slots=True)
class Dismissed:
    """A finding that was set aside, why and where."""

    finding: Finding
    reason: str
    origin: str
    """Where the decision is written: `comment at app.py:12` or the name of the dismissed file."""
    added_here: bool = False
    """True when the decision is itself part of the reviewed change, or not committed yet."""


@dataclass(frozen=True, slots=True)
class _Marker:
    """An ignore comment on one line of the new version."""

    line: int
    categories: frozenset[str]
    reason: str
    added: bool
    alone: bool
    """True when the line holds nothing but the comment."""

    def covers(self, finding: Finding) -> bool:
        """By the finding's category, or by the detector's name as the output shows it."""
        return finding.category.value in self.categories or finding.source.partition(":")[2] in self.categories


def parse_dismissals(text: str, origin: str = DISMISSED_FILE) -> dict[str, Dismissal]:
    """The entries of a dismissed file by fingerprint; WrongUsage with the place when it cannot be read.

    A later entry for the same fingerprint takes the place of an earlier one.
    """
    try:
        entries = tomllib.loads(text).get("dismissed", [])
    except tomllib.TOMLDecodeError as error:
        raise WrongUsage(f"{origin} is not valid TOML: {error}", "correct it, or delete the broken entry") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise WrongUsage(f"{origin}: `dismissed` must be a list of tables", "write each entry under [[dismissed]]")
    found: dict[str, Dismissal] = {}
    for number, entry in enumerate(entries, 1):
        fingerprint = entry.get("fingerprint")
        if not isinstance(fingerprint, str) or not fingerprint:
            raise WrongUsage(f"{origin}: entry {number} has no fingerprint", "copy it from its finding")
        fields = {name: str(entry.get(name, "")) for name in ("reason", "date", "by", "path", "message")}
        found[fingerprint] = Dismissal(fingerprint, **{**fields, "reason": fields["reason"] or NO_REASON})
    return found


def format_dismissals(dismissals: Iterable[Dismissal]) -> str:
    """The text of a dismissed file that `parse_dismissals` reads back, sorted so that merges stay small."""
    blocks = ["# Findings that were looked at and accepted. Delete an entry to see its finding again.\n"]
    for entry in sorted(dismissals, key=lambda entry: (entry.path, entry.fingerprint)):
        rows = ["[[dismissed]]"]
        rows += [
            f"{name} = {_toml_string(value)}"
            for name in ("fingerprint", "path", "message", "reason", "date", "by")
            if (value := getattr(entry, name))
        ]
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks)


def dismiss(finding: Finding, reason: str, date: str, by: str = "") -> Dismissal:
    """The entry that sets `finding` aside; `date` is the ISO date of today, given so that this stays pure."""
    return Dismissal(finding.fingerprint, reason or NO_REASON, date, by, finding.path, finding.message)


def matching(fingerprints: Iterable[str], wanted: str) -> str:
    """The one fingerprint that is `wanted` or begins with it; WrongUsage when none does or several do."""
    found = sorted({known for known in fingerprints if known.startswith(wanted.lower())})
    if len(found) > 1:
        raise WrongUsage(
            f"{wanted!r} begins the fingerprints of {len(found)} findings", f"write more of one: {', '.join(found[:3])}"
        )
    if not found:
        raise WrongUsage(f"no finding has the fingerprint {wanted!r}", "copy it from a finding of `lrc review`")
    return found[0]


def split_dismissed(
    findings: Iterable[Finding],
    files: Iterable[FileDiff],
    dismissals: Mapping[str, Dismissal],
    fresh: Container[str] = (),
) -> tuple[list[Finding], list[Dismissed]]:
    """The findings that stand, and those that a comment in the new version or an entry sets aside.

    `fresh` are the fingerprints of entries that the change itself brings.
    """
    by_path = {file.path: file for file in files}
    kept: list[Finding] = []
    gone: list[Dismissed] = []
    for finding in findings:
        entry = dismissals.get(finding.fingerprint)
        comment = _comment_for(finding, by_path.get(finding.path)) if entry is None else None
        if entry is not None:
            gone.append(Dismissed(finding, entry.reason, DISMISSED_FILE, entry.fingerprint in fresh))
        elif comment is not None:
            gone.append(replace(comment, finding=finding))
        else:
            kept.append(finding)
    return kept, gone


def _comment_for(finding: Finding, file: FileDiff | None) -> Dismissed | None:
    """The comment that sets `finding` aside: on one of its lines or, alone, on the line above the first."""
    if file is None:
        return None
    for hunk in file.hunks:
        markers = {marker.line: marker for marker in _markers(hunk)}
        if not markers:
            continue
        first, last = _new_lines(finding, hunk)
        for line in range(first - 1, last + 1):
            marker = markers.get(line)
            if marker and marker.covers(finding) and (line >= first or marker.alone):
                origin = f"comment at {file.path}:{line}"
                return Dismissed(finding, marker.reason, origin, marker.added)
    return None


def _new_lines(finding: Finding, hunk: Hunk) -> tuple[int, int]:
    """The lines of the new version where a comment about `finding` may stand.

    A removed line has no place in the new version: there the lines that now meet at the gap count.
    """
    if finding.side is Side.NEW:
        return finding.line, finding.end_line
    before, inside = hunk.new_start - 1, False
    for line in hunk.lines:
        if line.kind is Kind.REMOVED and line.old == finding.line:
            inside = True
        elif line.new is not None:
            if inside:
                return before, line.new
            before = line.new
    return (before, before) if inside else (0, -1)


def _markers(hunk: Hunk) -> Iterator[_Marker]:
    for line in hunk.lines:
        if line.new is None or "lrc:" not in line.text.lower():
            continue
        match = _COMMENT.search(line.text)
        if match:
            reason = _CLOSERS.sub("", match["reason"]).strip() or NO_REASON
            categories = frozenset(part.strip().lower() for part in match["categories"].split(","))
            alone = not line.text[: match.start()].strip()
            yield _Marker(line.new, categories, reason, line.kind is Kind.ADDED, alone)


def _toml_string(text: str) -> str:
    """A TOML basic string; JSON's escapes are a subset of TOML's as long as no surrogate pair is written."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")
