"""The page for the summary of a CI job."""

from dataclasses import replace

from lrc.gate import Policy, Verdict, decide
from lrc.render.summary import summary
from lrc.review import Report


def test_a_row_for_each_finding(full: tuple[Report, Verdict]) -> None:
    """The verdict comes first, then what was reviewed, then a table."""
    report, verdict = full
    lines = summary(report, verdict, "a..b").splitlines()
    assert lines[0] == "## lrc"
    assert lines[2].startswith("**lrc&#58; ")
    assert lines[4] == "Reviewed: a&#46;&#46;b"
    rows = [line for line in lines if line.startswith("| ")][2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {finding.severity.label}" for finding in verdict.findings]


def test_a_page_stays_small(full: tuple[Report, Verdict]) -> None:
    """Of many findings fifty are listed and the rest counted; a long message is cut."""
    first = full[0].findings[0]
    many = tuple(replace(first, line=n, end_line=n, occurrence=n, message="m" * 9000) for n in range(1, 81))
    report = replace(full[0], findings=many)
    verdict = decide(report, Policy())
    page = summary(report, verdict, "a")
    assert sum(line.startswith("| ") for line in page.splitlines()) == 52
    assert f"\n{len(verdict.findings) - 50} more findings not shown.\n" in page
    assert len(page) < 60_000


def test_a_clean_change_has_no_table(full: tuple[Report, Verdict]) -> None:
    """Nothing found: verdict and range alone."""
    report = replace(full[0], findings=(), not_reviewed=(), fault="")
    assert "|" not in summary(report, decide(report, Policy()), "a")
