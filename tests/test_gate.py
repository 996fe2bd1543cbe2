"""The verdict on a report."""

from dataclasses import replace

import pytest

from lrc.diff import Side
from lrc.errors import ExitCode
from lrc.findings import Category, Finding, Severity
from lrc.gate import Outcome, Policy, decide
from lrc.review import Report, Stats
from lrc.suppress import Dismissal
from tests.support.changes import change

EMPTY = Report("staged change", (), (), Stats())


def finding(severity: Severity = Severity.HIGH, line: int = 1, **changes: object) -> Finding:
    """A model's finding, but for what is given."""
    one = Finding(
        path="app.py",
        line=line,
        end_line=line,
        side=Side.NEW,
        severity=severity,
        category=Category.CORRECTNESS,
        confidence=0.8,
        message="wrong",
        source="model:m",
        quote=f"line {line}",
    )
    return replace(one, **changes)  # type: ignore[arg-type]


def report(*findings: Finding, fault: str = "", **changes: object) -> Report:
    """A report of these findings."""
    return replace(EMPTY, findings=findings, fault=fault, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("fail_on", list(Severity))
@pytest.mark.parametrize("severity", list(Severity))
def test_threshold_blocks_at_and_above(severity: Severity, fail_on: Severity) -> None:
    """A finding blocks when its severity is at or above the threshold, and only then."""
    verdict = decide(report(finding(severity)), Policy(fail_on=fail_on))
    blocked = severity >= fail_on
    assert verdict.verdict is (Outcome.BLOCK if blocked else Outcome.PASS)
    assert verdict.exit_code == (ExitCode.BLOCKED if blocked else ExitCode.PASS)


def test_fault_is_an_error_of_its_code() -> None:
    """Without a blocking finding a fault of the model's part decides, by its own exit code."""
    assert decide(report(fault="no model"), Policy()).exit_code is ExitCode.ENVIRONMENT
    assert decide(report(fault="no model"), Policy()).verdict is Outcome.ERROR
    unexpected = report(fault="engine fault", fault_code=ExitCode.UNEXPECTED)
    assert decide(unexpected, Policy()).exit_code is ExitCode.UNEXPECTED


def test_blocking_finding_wins_over_a_fault() -> None:
    """What a detector found is there, whatever became of the model."""
    verdict = decide(report(finding(), fault="no model"), Policy())
    assert (verdict.verdict, verdict.exit_code) == (Outcome.BLOCK, ExitCode.BLOCKED)


def test_worst_first_then_path_then_line() -> None:
    """The order is severity, path, line."""
    found = [
        finding(Severity.LOW, 1),
        finding(Severity.HIGH, 9),
        finding(Severity.HIGH, 2, path="z.py"),
        finding(Severity.HIGH, 3),
    ]
    shown = decide(report(*found), Policy()).findings
    assert [(one.severity, one.path, one.line) for one in shown] == [
        (Severity.HIGH, "app.py", 3),
        (Severity.HIGH, "app.py", 9),
        (Severity.HIGH, "z.py", 2),
        (Severity.LOW, "app.py", 1),
    ]


def test_cap_hides_but_never_unblocks() -> None:
    """The cap keeps the worst, counts the rest and changes neither outcome nor exit code."""
    found = [finding(Severity.HIGH, line) for line in (1, 2, 3)] + [finding(Severity.LOW, 4)]
    verdict = decide(report(*found), Policy(max_findings=1))
    assert len(verdict.findings) == 1
    assert verdict.hidden_counts == {"high": 2, "low": 1}
    assert len(verdict.blocking) == 3
    assert verdict.counts == {"high": 3, "low": 1}


def test_same_fingerprint_is_shown_once() -> None:
    """Two sources of the same comment on the same text make one."""
    assert len(decide(report(finding(), finding(source="model:n")), Policy()).findings) == 1


def test_detector_and_model_on_one_line_make_one() -> None:
    """Of equal severity the detector's finding stays, else the worse one, so that the verdict is the same."""
    model, detector = finding(), finding(source="detector:d", quote="x")
    assert [one.source for one in decide(report(model, detector), Policy()).findings] == ["detector:d"]
    mild = replace(detector, severity=Severity.LOW)
    assert [one.source for one in decide(report(mild, model), Policy()).findings] == ["model:m"]


def test_two_detectors_or_categories_on_one_line_both_stay() -> None:
    """Only a detector and a model of the same category are the same trouble."""
    one, other = finding(source="detector:d"), finding(source="detector:e")
    assert len(decide(report(one, other), Policy()).findings) == 2
    assert len(decide(report(one, finding(category=Category.SECURITY, quote="y")), Policy()).findings) == 2


def test_dismissed_finding_neither_blocks_nor_vanishes() -> None:
    """An entry by fingerprint sets a finding aside and is listed with its reason."""
    one = finding()
    verdict = decide(
        report(one), Policy(dismissals={one.fingerprint: Dismissal(one.fingerprint, "known", "2026-01-02")})
    )
    assert verdict.verdict is Outcome.PASS
    assert verdict.findings == ()
    assert [(gone.finding, gone.reason) for gone in verdict.dismissed] == [(one, "known")]


def test_comment_in_the_change_sets_aside_and_is_marked_as_new() -> None:
    """A suppression that the same change adds counts, but says so."""
    file = change("app.py", "+a = 1  # lrc: ignore[correctness] measured")
    (gone,) = decide(report(finding(), files=(file,)), Policy()).dismissed
    assert (gone.reason, gone.origin, gone.added_here) == ("measured", "comment at app.py:1", True)


@pytest.mark.parametrize("fail_on", [Severity.HIGH, Severity.CRITICAL])
@pytest.mark.parametrize("fresh", [True, False])
def test_what_the_change_itself_let_pass_is_told_apart(fresh: bool, fail_on: Severity) -> None:
    """Only a decision that came with the change, on a finding that would have blocked at its own path's threshold."""
    one = finding()
    policy = Policy(
        dismissals={one.fingerprint: Dismissal(one.fingerprint, "fine")},
        fresh_dismissals=frozenset([one.fingerprint] if fresh else []),
        fail_on_by_path={"app.py": fail_on},
    )
    verdict = decide(report(one), policy)
    assert verdict.exit_code is ExitCode.PASS
    assert [gone.finding for gone in verdict.dismissed] == [one]
    assert [gone.finding for gone in verdict.waved_through] == ([one] if fresh and fail_on is Severity.HIGH else [])
