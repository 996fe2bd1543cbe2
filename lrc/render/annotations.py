"""The report as workflow commands, which GitHub Actions turns into remarks beside the lines of a pull request."""

import re

from lrc.diff import Side
from lrc.findings import Finding, Severity
from lrc.gate import Verdict
from lrc.render.escape import only_ascii, visible
from lrc.render.headline import headline
from lrc.render.notes import notes
from lrc.render.options import RenderOptions
from lrc.review import Report

_STARTS = re.compile(r"^\s*::|##\[")
"""Where the runner sees a command: two colons at the start of a line, blanks aside, and the old mark anywhere."""
_COMMANDS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning"}


def render(report: Report, verdict: Verdict, options: RenderOptions) -> str:
    """One command a finding, then what was not reviewed, then the verdict as plain lines of the log."""
    lines = [_command(finding) for finding in verdict.findings]
    text = "\n".join((*lines, *map(no_command, (*notes(report, verdict), headline(report, verdict)))))
    return text if options.unicode else only_ascii(text)


def no_command(line: str) -> str:
    """A line of the log that the runner takes for text, whatever names it quotes."""
    return _STARTS.sub(lambda match: f"{match[0][:-1]} {match[0][-1]}", line)


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
