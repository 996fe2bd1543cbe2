"""The report for a git hook: the verdict in the first line, since some clients show no other."""

from lrc.gate import Verdict
from lrc.render.escape import only_ascii
from lrc.render.headline import headline
from lrc.render.notes import notes
from lrc.render.options import RenderOptions
from lrc.review import Report


def render(report: Report, verdict: Verdict, options: RenderOptions) -> str:
    """The verdict, then the findings, then what was not reviewed. rich is loaded only when there is a finding."""
    first = headline(report, verdict)
    if verdict.findings:
        from lrc.render.terminal import body, to_string

        text = f"{first}\n{to_string(list(body(report, verdict, options)), options)}"
    else:
        text = "\n".join((first, *notes(report, verdict)))
    return text if options.unicode else only_ascii(text)
