"""The report for people: each finding under the lines of the diff that it is about."""

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lrc.diff import Kind
from lrc.findings import Finding, Severity
from lrc.gate import Outcome, Verdict
from lrc.render.escape import only_ascii, visible
from lrc.render.excerpt import Row, excerpt
from lrc.render.headline import headline
from lrc.render.notes import notes
from lrc.render.options import RenderOptions
from lrc.review import Report

if TYPE_CHECKING:
    from rich.text import Text

_SEVERITY_STYLE = {
    Severity.CRITICAL: "bold white on red",
    Severity.HIGH: "bold red",
    Severity.MEDIUM: "bold yellow",
    Severity.LOW: "bold cyan",
    Severity.INFO: "bold",
}
_KIND_STYLE = {Kind.ADDED: "green", Kind.REMOVED: "red", Kind.CONTEXT: "dim"}
_OUTCOME_STYLE = {Outcome.PASS: "bold green", Outcome.BLOCK: "bold red", Outcome.ERROR: "bold yellow"}
_GUTTER = 14
"""Columns of the two line numbers and the bar after them."""


def render(report: Report, verdict: Verdict, options: RenderOptions) -> str:
    """The findings, what was not reviewed, and the verdict in the last line."""
    from rich.text import Text

    lines = [*body(report, verdict, options)]
    if lines:
        lines.append(Text())
    lines.append(Text(headline(report, verdict), style=_OUTCOME_STYLE[verdict.verdict]))
    return to_string(lines, options)


def body(report: Report, verdict: Verdict, options: RenderOptions) -> Iterator["Text"]:
    """Everything but the verdict's line."""
    from rich.text import Text

    for number, finding in enumerate(verdict.findings):
        if number:
            yield Text()
        yield from _finding(finding, excerpt(finding, report.files), options)
    remarks = list(notes(report, verdict))
    if remarks and verdict.findings:
        yield Text()
    for remark in remarks:
        yield Text(remark, style="dim")


def to_string(lines: Sequence["Text"], options: RenderOptions) -> str:
    """The lines as one string, with colour codes if wanted; each ends without trailing blanks."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out,
        width=options.width,
        force_terminal=options.color,
        color_system="standard" if options.color else None,
        no_color=not options.color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    for line in lines:
        line.rstrip()
        console.print(line, soft_wrap=True)
    text = out.getvalue().rstrip("\n")
    return text if options.unicode else only_ascii(text)


def _finding(finding: Finding, rows: Sequence[Row], options: RenderOptions) -> Iterator["Text"]:
    from rich.text import Text

    head = Text()
    head.append(f" {finding.severity.label} ", style=_SEVERITY_STYLE[finding.severity])
    head.append(f" {finding.category.value}  ")
    head.append(f"{visible(finding.path)}:{_lines(finding)}", style="bold")
    head.append(f"  {visible(finding.source)}  {finding.fingerprint}", style="dim")
    yield head
    shown = False
    for index, row in enumerate(rows):
        yield _row(row, options)
        if row.hit and not any(other.hit for other in rows[index + 1 :]):
            yield from _comment(finding, options)
            shown = True
    if not shown:
        yield from _comment(finding, options)


def _lines(finding: Finding) -> str:
    old = " (old)" if finding.side.value == "old" else ""
    return f"{finding.line}{f'-{finding.end_line}' if finding.end_line > finding.line else ''}{old}"


def _row(row: Row, options: RenderOptions) -> "Text":
    from rich.text import Text

    bar = "│" if options.unicode else "|"
    line = Text()
    line.append(f"{row.old or '':>5} {row.new or '':>5} ", style="dim")
    line.append(f"{bar} ", style="bold red" if row.hit else "dim")
    line.append(_cut(f"{row.kind.value} {visible(row.text)}", options), style=_KIND_STYLE[row.kind])
    return line


def _comment(finding: Finding, options: RenderOptions) -> Iterator["Text"]:
    from rich.text import Text

    corner = "╰─ " if options.unicode else "`- "
    indent = " " * (_GUTTER - 2)
    style = "bold" if finding.severity >= Severity.HIGH else ""
    wrapped = textwrap.wrap(visible(finding.message), max(24, options.width - _GUTTER - 2)) or [""]
    for number, part in enumerate(wrapped):
        line = Text(indent)
        line.append(corner if number == 0 else " " * len(corner), style="dim")
        line.append(part, style=style)
        yield line
    if finding.replacement is not None:
        yield from _replacement(finding, options)


def _replacement(finding: Finding, options: RenderOptions) -> Iterator["Text"]:
    """The offered text as a small diff against what it would replace."""
    from rich.text import Text

    indent = " " * (_GUTTER + 1)
    narrower = replace(options, width=options.width - 1)
    removed = finding.quote.split("\n") if finding.quote else []
    # The quote comes without its indentation, so the replacement is shown without it too.
    added = textwrap.dedent(finding.replacement.rstrip("\n")).split("\n") if finding.replacement else []
    for mark, lines, style in (("-", removed, "red"), ("+", added, "green")):
        for text in lines:
            yield Text(indent + _cut(f"{mark} {visible(text)}", narrower), style=style)


def _cut(text: str, options: RenderOptions) -> str:
    """The text within the width: code is cut, not wrapped, so that its columns stay readable."""
    room = max(20, options.width - _GUTTER)
    if len(text) <= room:
        return text
    return text[: room - 1] + ("…" if options.unicode else "~")
