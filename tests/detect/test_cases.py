"""Every case file against its detector: what must not be flagged, then what must."""

import pytest

from lrc.detect import DETECTORS, Detector
from lrc.findings import Finding
from tests.detect.cases import CASES, Case, read_cases
from tests.support.changes import change, new_text

BY_NAME = {detector.name: detector for detector in DETECTORS}
ALL = [(name, case) for name in sorted(BY_NAME) for case in read_cases(name)]


def found_by(detector: Detector, case: Case) -> list[Finding]:
    """The findings on a case's change."""
    file = change(case.path, case.body)
    return sorted(detector.scan(file, new_text(file)), key=lambda finding: (finding.side.value, finding.line))


@pytest.mark.parametrize(("name", "case"), [pytest.param(n, c, id=f"{n}: {c.title}") for n, c in ALL if not c.marked])
def test_clean_change_is_not_flagged(name: str, case: Case) -> None:
    """A change without the detector's kind of trouble gives no finding."""
    assert [(finding.line, finding.message) for finding in found_by(BY_NAME[name], case)] == []


@pytest.mark.parametrize(("name", "case"), [pytest.param(n, c, id=f"{n}: {c.title}") for n, c in ALL if c.marked])
def test_trouble_is_flagged_on_its_line(name: str, case: Case) -> None:
    """Each marked line gives a finding of the stated severity, and no other line does."""
    findings = found_by(BY_NAME[name], case)
    assert [(finding.side.value, finding.line) for finding in findings] == sorted(case.marked)
    if case.severity:
        assert {finding.severity.label for finding in findings} == {case.severity}


@pytest.mark.parametrize("detector", DETECTORS, ids=lambda detector: detector.name)
def test_each_detector_has_cases_of_both_kinds(detector: Detector) -> None:
    """A detector without a must-not-flag and a must-flag case is not finished."""
    cases = list(read_cases(detector.name))
    assert any(case.marked for case in cases)
    assert sum(not case.marked for case in cases) >= 3


def test_no_case_file_is_left_over() -> None:
    """Each case file belongs to a detector."""
    assert {path.stem for path in CASES.glob("*.txt")} == set(BY_NAME)
