"""The report as workflow commands."""

from collections.abc import Callable
from dataclasses import replace

from lrc.gate import Policy, Verdict, decide
from lrc.render import FORMATS, RenderOptions
from lrc.review import NotReviewed, Report


def test_whole_report(full: tuple[Report, Verdict], same_as_golden: Callable[[str, str], None]) -> None:
    """One command a finding, the verdict last."""
    same_as_golden("annotations.txt", FORMATS["annotations"](*full, RenderOptions()))


def test_no_text_can_start_a_command(full: tuple[Report, Verdict]) -> None:
    """A line feed, a colon or a comma from a diff stays text."""
    hostile = "x\n::error::%0Aa,b:c"
    findings = (replace(full[0].findings[0], path=hostile, message=hostile),)
    report = replace(full[0], findings=findings, not_reviewed=())
    lines = FORMATS["annotations"](report, decide(report, Policy()), RenderOptions()).split("\n")
    assert lines[0].startswith("::warning file=x\\x0a%3A%3Aerror%3A%3A%250Aa%2Cb%3Ac,line=")
    assert sum(line.startswith("::") for line in lines) == 1


def test_no_name_in_the_log_can_start_a_command(full: tuple[Report, Verdict]) -> None:
    """Names of files that were not reviewed stand at the start of indented lines, where the runner looks too."""
    names = ("::stop-commands::x", "##[add-mask]x", "std::x")
    report = replace(full[0], findings=(), not_reviewed=tuple(NotReviewed(name, "binary") for name in names))
    lines = FORMATS["annotations"](report, decide(report, Policy()), RenderOptions()).split("\n")
    assert [line for line in lines if line.startswith("  ")] == [
        "  : :stop-commands::x: binary",
        "  ## [add-mask]x: binary",
        "  std::x: binary",
    ]
