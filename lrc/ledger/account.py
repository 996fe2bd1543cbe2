"""One review as the ledger keeps it, and what the ledger says of a review that has just been made."""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from lrc.diff import Kind, Side
from lrc.gate import Verdict
from lrc.ledger import keys
from lrc.ledger.keys import Hasher
from lrc.review import Report, Seen

_WORDS = 200
"""Characters of a fault's reason that are kept."""


def account(report: Report, verdict: Verdict, hasher: Hasher, *, whole: bool = True) -> dict[str, Any]:
    """The review as plain data: counts, fingerprints, and the keys of the lines by who looked at them.

    `whole` False when the user chose some paths: then what was left aside says nothing about the rest.
    """
    shown: dict[Seen, dict[str, None]] = {seen: {} for seen in Seen}
    counts: Counter[Seen] = Counter()
    renamed: list[str] = []
    for look in report.looks:
        if look.seen is Seen.ASIDE and not whole:
            continue
        changed = hasher.changed(look.file, look.hunk)
        counts[look.seen] += len(changed)
        if sum(counts.values()) > keys.MOST:
            continue
        shown[look.seen].update(dict.fromkeys(changed))
        renamed += hasher.renamed(look.file, look.hunk)
    return {
        "id": secrets.token_hex(6),
        "verdict": verdict.verdict.value,
        "exit": int(verdict.exit_code),
        "seconds": round(report.stats.seconds, 2),
        "fault": report.fault[:_WORDS],
        "findings": [
            [finding.fingerprint, finding.severity.label, finding.category.value]
            for finding in (*verdict.findings, *verdict.hidden)
        ],
        "blocking": keys.packed(_blocking(report, verdict, hasher)),
        "blocked": [finding.fingerprint for finding in verdict.blocking],
        "unread": dict(Counter(_kind(item.reason) for item in report.not_reviewed).most_common(20)),
        "lines": {seen.value: counts[seen] for seen in Seen if counts[seen]},
        "cut": sum(counts.values()) > keys.MOST,
        "renamed": keys.packed(renamed),
        "keys": {seen.value: keys.packed(found) for seen, found in shown.items() if found},
    }


def with_past(entry: Mapping[str, Any], past: Callable[[], Iterable[Mapping[str, Any]]]) -> tuple[float | None, int]:
    """The coverage of what is staged and the number of this review since the last commit, `entry` included.

    `entry` is the review of a staged change, with the `worktree` and `head` it was made in; `past` gives what the
    ledger held before, newest first, and is read no further than it must be. The coverage is None when the change has
    no lines that anybody should look at.
    """
    lines = entry["lines"]
    read = lines.get(Seen.MODEL.value, 0) + lines.get(Seen.DETECTORS.value, 0)
    total = read + lines.get(Seen.LEFT.value, 0)
    if total > read:
        seen: set[str] = set()
        for other in (*reversed(list(past())), entry):
            if other.get("event", "review") == "review":
                seen.update(seen_keys(other))
                seen.update(new for old, new in renamed_keys(other) if old in seen)
        read += sum(key in seen for key in keys.unpacked(keys_of(entry, Seen.LEFT)))
    coverage = min(1.0, read / total) if total else None
    return coverage, 1 + sum(1 for _ in since_commit(past(), entry["worktree"], entry["head"]))


def since_commit(newest_first: Iterable[Mapping[str, Any]], worktree: str, head: str) -> Iterator[Mapping[str, Any]]:
    """The reviews of staged changes in a work tree since its last commit, newest first."""
    for entry in newest_first:
        if entry.get("worktree") != worktree:
            continue
        if entry["event"] == "commit" or (entry["event"] == "review" and entry.get("head") != head):
            return
        if entry["event"] == "review" and entry.get("staged"):
            yield entry


def seen_keys(entry: Mapping[str, Any]) -> Iterable[str]:
    """The keys of the lines that a recorded review read."""
    for seen in (Seen.MODEL, Seen.DETECTORS):
        yield from keys.unpacked(keys_of(entry, seen))


def renamed_keys(entry: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Old and new key of each unchanged line that got another line above it."""
    found = keys.unpacked(str(entry.get("renamed", "")))
    return zip(found[0::2], found[1::2], strict=False)


def keys_of(entry: Mapping[str, Any], seen: Seen) -> str:
    """The packed keys of one kind."""
    return str(entry.get("keys", {}).get(seen.value, ""))


def _blocking(report: Report, verdict: Verdict, hasher: Hasher) -> list[str]:
    files = {file.path: file for file in report.files}
    found: dict[str, None] = {}
    for finding in verdict.blocking:
        if finding.path in files:
            kind = Kind.ADDED if finding.side is Side.NEW else Kind.REMOVED
            found.update(dict.fromkeys(hasher.at(files[finding.path], kind, finding.line, finding.end_line)))
    return list(found)


def _kind(reason: str) -> str:
    """The reason without a place or a name in it."""
    text = reason.partition(": ")[2] if reason.startswith("line ") else reason
    if text.startswith(("renamed from ", "copied from ")):
        return text.split(" ", 1)[0]
    return text[:_WORDS]
