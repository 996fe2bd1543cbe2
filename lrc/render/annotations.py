"""The report as workflow commands, which GitHub Actions turns into remarks beside the lines of a pull request."""

from lrc.diff import Side
from lrc.findings import Finding, Severity
from lrc.gate import Verdict
from lrc.render.escape import only_ascii, visible
from lrc.render.headline import headline
from lrc.render.notes import notes
from lrc.render.options import RenderOptions
from lrc.review import Report

_COMMANDS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning"}


def render(report: Report, verdict: Verdict, options: RenderOptions) -> str:
    """One command a finding, then what was not reviewed, then the verdict as plain lines of the log."""
    lines = [_command(finding) for finding in verdict.findings]
    text = "\n".join((*lines, *notes(report, verdict), headline(report, verdict)))
    return text if options.unicode else only_ascii(text)


def _command(finding: Finding) -> str:
    command = _COMMANDS.get(finding.severity, "notice")
    place = f"file={_property(finding.path)}"
    if finding.side is Side.NEW:
        place += f",line={finding.line},endLine={finding.end_line}"
    title = _property(f"{finding.severity.label} {finding.category.value}")
    return f"::{command} {place},title={title}::{_data(finding.message)}"


def _data(text: str) -> str:
    """Text after `::`, in which a line feed would start another command."""
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    """A value before `::`, where commas and colons separate."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
