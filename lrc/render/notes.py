"""What stands around the findings in every text format: set aside, hidden, not reviewed."""

from collections.abc import Iterator

from lrc.gate import Verdict
from lrc.render.escape import visible
from lrc.render.headline import counted, plural
from lrc.review import Report

_LISTED = 8
"""Up to so many files are listed one by one; above, they are counted by reason."""


def notes(report: Report, verdict: Verdict) -> Iterator[str]:
    """The lines, each safe to print; none when there is nothing to say."""
    if verdict.hidden:
        yield f"{plural(len(verdict.hidden), 'more finding')} not shown ({counted(verdict.hidden_counts)})"
    if verdict.dismissed:
        yield f"{plural(len(verdict.dismissed), 'finding')} dismissed:"
        for gone in verdict.dismissed:
            finding = gone.finding
            what = f"{finding.path}:{finding.line} {finding.severity.label} {finding.category.value}"
            where = f"{gone.origin}, new in this change" if gone.added_here else gone.origin
            yield f"  {visible(what)}: {visible(gone.reason)} ({visible(where)})"
    yield from _not_reviewed(report)
    yield from _seen(report)


def _seen(report: Report) -> Iterator[str]:
    """How much of what would be committed some review has read, and the how manieth review this is."""
    stats = report.stats
    if stats.iteration and stats.coverage is not None:
        share = f"{percent(stats.coverage)} of the changed lines read"
        yield f"{share}, {ordinal(stats.iteration)} review since the last commit"


def percent(share: float) -> str:
    """`97 %`; never rounded up to all, nor down to nothing."""
    rounded = round(share * 100)
    return f"{min(max(rounded, 1), 99) if 0 < share < 1 else rounded} %"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _not_reviewed(report: Report) -> Iterator[str]:
    entries = list(dict.fromkeys((item.path, item.reason) for item in report.not_reviewed))
    if not entries:
        return
    yield "not reviewed:"
    if len(entries) <= _LISTED:
        for path, reason in entries:
            yield f"  {visible(path)}: {visible(reason)}"
        return
    by_reason: dict[str, list[str]] = {}
    for path, reason in entries:
        by_reason.setdefault(_kind(reason), []).append(path)
    for reason, paths in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        if len(paths) == 1:
            yield f"  {visible(paths[0])}: {visible(reason)}"
        else:
            yield f"  {len(paths):,} x {visible(reason)} ({visible(paths[0])}, ...)"


def _kind(reason: str) -> str:
    """The reason without what differs from file to file: `line 12: only comments changed`, `renamed from x, ...`."""
    if reason.startswith("line ") and ": " in reason:
        return reason.split(": ", 1)[1]
    if reason.startswith(("renamed from ", "copied from ")):
        return reason.split(" ", 1)[0] + ", content unchanged"
    return reason
