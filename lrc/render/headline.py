"""The verdict in one line: what a hook prints first and a terminal prints last."""

from lrc.gate import Outcome, Verdict
from lrc.render.escape import visible
from lrc.review import Report

_PLACES_NAMED = 3
_WORTH_NAMING = 0.1
"""Seconds below which the time is not worth a word."""


def headline(report: Report, verdict: Verdict) -> str:
    """`lrc: BLOCKED: …`, `lrc: pass: …` or `lrc: NOT REVIEWED: …`, one line, safe to print."""
    if verdict.verdict is Outcome.BLOCK:
        rest = f"{_time(report)}{_incomplete(report)}{_waved_through(verdict)}"
        return f"lrc: BLOCKED: {_blocking(verdict)}{_also(verdict)}{rest}"
    if verdict.verdict is Outcome.ERROR:
        hint = f" ({report.fault_hint})" if report.fault_hint else ""
        return f"lrc: NOT REVIEWED: {visible(report.fault + hint)}{_found(verdict)}"
    return f"lrc: pass: {_found_or_clean(report, verdict)}{_extent(report)}{_waved_through(verdict)}"


def plural(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def counted(counts: dict[str, int]) -> str:
    """`2 critical, 1 high`."""
    return ", ".join(f"{count:,} {label}" for label, count in counts.items())


def _blocking(verdict: Verdict) -> str:
    by_severity: dict[str, int] = {}
    for finding in verdict.blocking:
        by_severity[finding.severity.label] = by_severity.get(finding.severity.label, 0) + 1
    places = dict.fromkeys(f"{visible(finding.path)}:{finding.line}" for finding in verdict.blocking)
    named = ", ".join(list(places)[:_PLACES_NAMED])
    more = len(places) - _PLACES_NAMED
    noun = "finding" if len(verdict.blocking) == 1 else "findings"
    return f"{counted(by_severity)} {noun} in {named}{f' and {more:,} more' if more > 0 else ''}"


def _also(verdict: Verdict) -> str:
    others = sum(verdict.counts.values()) - len(verdict.blocking)
    return f", {others:,} below the threshold" if others else ""


def _incomplete(report: Report) -> str:
    if report.fault:
        return f"; the model did not review: {visible(report.fault)}"
    return f"; {plural(report.stats.hunks_left, 'hunk')} NOT reviewed" if report.stats.hunks_left else ""


def _waved_through(verdict: Verdict) -> str:
    """Said on the first line, so that nobody can silence a block unseen."""
    count = len(verdict.waved_through)
    return f"; {plural(count, 'blocking finding')} set aside by this change itself" if count else ""


def _found(verdict: Verdict) -> str:
    total = sum(verdict.counts.values())
    return f"; detectors found {counted(verdict.counts)}" if total else ""


def _found_or_clean(report: Report, verdict: Verdict) -> str:
    if verdict.counts:
        noun = "finding" if sum(verdict.counts.values()) == 1 else "findings"
        return f"{counted(verdict.counts)} {noun}, none at {verdict.fail_on.label} or above"
    if not report.stats.files:
        return "nothing to review"
    return "no findings"


def _extent(report: Report) -> str:
    """How much was looked at, so that a pass never claims more than it saw."""
    stats = report.stats
    if not stats.files:
        return ""
    parts = [f" in {plural(stats.files, 'file')}"]
    if stats.hunks_reviewed:
        # Hunks that need no model are not missing; those that it should have judged and did not are.
        parts.append(f"{plural(stats.hunks_reviewed, 'hunk')} reviewed by the model")
        if stats.hunks_left:
            parts.append(f"{stats.hunks_left:,} NOT reviewed")
    elif stats.hunks:
        parts.append("detectors only")
    return ", ".join(parts) + _time(report)


def _time(report: Report) -> str:
    return f", {report.stats.seconds:.1f} s" if report.stats.seconds >= _WORTH_NAMING else ""
