"""The outcome as a short Markdown page, for the summary of a CI job."""

import re

from lrc.findings import Finding
from lrc.gate import Verdict
from lrc.render.escape import visible
from lrc.render.headline import headline, plural
from lrc.review import Report

_ROWS = 50
"""Findings listed; GitHub shows at most 1 MiB of summary for a step."""
_TEXT = 400
"""Characters of a message shown."""
_LIVE = re.compile(r"[\\`*_{}\[\]()<>#+\-.!|~&@:$]")


def summary(report: Report, verdict: Verdict, reviewed: str) -> str:
    """The verdict, what was reviewed (in words) and a table of findings; nothing from the change is live Markdown."""
    lines = ["## lrc", "", f"**{_inert(headline(report, verdict))}**", "", f"Reviewed: {_inert(reviewed)}"]
    if verdict.findings:
        lines += ["", "| severity | category | place | finding |", "| --- | --- | --- | --- |"]
        lines += [_row(finding) for finding in verdict.findings[:_ROWS]]
    if more := max(0, len(verdict.findings) - _ROWS) + len(verdict.hidden):
        lines += ["", f"{plural(more, 'more finding')} not shown."]
    if report.not_reviewed:
        left = len({item.path for item in report.not_reviewed})
        lines += ["", f"{plural(left, 'file')} not reviewed, or not as a whole; the log gives the reasons."]
    return "\n".join(lines) + "\n"


def _row(finding: Finding) -> str:
    place = _inert(f"{finding.path}:{finding.line}")
    return f"| {finding.severity.label} | {finding.category.value} | {place} | {_inert(finding.message[:_TEXT])} |"


def _inert(text: str) -> str:
    """Text as it reads: no markup, image, HTML or end of a cell can come of it."""
    return _LIVE.sub(lambda match: f"&#{ord(match[0])};", visible(text))
