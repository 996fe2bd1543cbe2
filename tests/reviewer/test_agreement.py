"""Whole-hunk comments: what measuring and the way back do not agree with is dropped."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from lrc.context import unit_for
from lrc.diff import Kind, Side
from lrc.findings import Category, Finding, Severity
from lrc.review import Answer, Unit
from lrc.reviewer.agreement import Agreement, Both, Remembered, backwards
from lrc.reviewer.confidence import Calibration
from lrc.reviewer.kinds import Kind as TokenKind
from lrc.reviewer.repairs import Suspicion
from lrc.speculative.errors import PromptTooLong
from tests.support.changes import change, new_text

FILE = change("a.py", " def f(a, b):\n-    if a < b:\n+    if a <= b:\n         return a\n     return b")
UNIT = unit_for(FILE, FILE.hunks[0], new_text(FILE))
CALIBRATION = Calibration({"is": -3.0, "gain": 1.0}, speak=0.5, block=0.9, whole=0.7)


def comment(line: int, severity: Severity = Severity.CRITICAL) -> Finding:
    """A comment of the classic way."""
    return Finding(
        path="a.py",
        line=line,
        end_line=line,
        side=Side.NEW,
        severity=severity,
        category=Category.CORRECTNESS,
        confidence=0.2,
        message="Wrong.",
        source="model:prompt",
        quote="if a <= b:",
    )


class Saying:
    """A classic reviewer that speaks about some lines of a hunk, and about others on the way back."""

    def __init__(self, forth: Sequence[int], back: Sequence[int] = (), not_reviewed: str = "") -> None:
        self.forth, self.back, self.not_reviewed = forth, back, not_reviewed
        self.asked = 0

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One answer a unit."""
        for unit in units:
            self.asked += 1
            lines = self.forth if any("<=" in line.text for line in unit.hunk.added) else self.back
            yield Answer(unit, tuple(comment(line) for line in lines), not_reviewed=self.not_reviewed)

    def described(self) -> dict[str, object]:
        """Nothing much."""
        return {"target": "a"}


class Suspecting:
    """Measuring with one suspicion."""

    def __init__(self, line: int, gain: float) -> None:
        self.found = Suspicion(
            UNIT, line, "if a <= b:", "if a < b:", TokenKind.COMPARISON, "replace", "<=", "<", 1.0, -0.1, False, gain
        )
        self.times = 0

    def measure(self, unit: Unit) -> list[Suspicion]:
        """The same, every time."""
        self.times += 1
        return [self.found]


def kept(saying: Saying, suspecting: Suspecting) -> tuple[Finding, ...]:
    """What is left of the comments."""
    (answer,) = Agreement(saying, suspecting, CALIBRATION).review([UNIT])
    assert len(answer.findings) + answer.dropped == len(saying.forth)
    return answer.findings


def test_what_both_doubt_is_kept_with_the_measured_confidence() -> None:
    """The line is doubtful, and the way back is not blamed."""
    (finding,) = kept(Saying([2]), Suspecting(2, 2.0))
    assert (finding.line, finding.confidence) == (2, 0.7)
    assert finding.severity is Severity.MEDIUM


@pytest.mark.parametrize(
    ("saying", "suspecting"),
    [
        pytest.param(Saying([3]), Suspecting(2, 9.0), id="measuring doubts another line"),
        pytest.param(Saying([2]), Suspecting(2, -5.0), id="measuring is content with the line"),
        pytest.param(Saying([2], [2]), Suspecting(2, 9.0), id="the way back is blamed as well"),
    ],
)
def test_what_is_not_agreed_upon_is_dropped(saying: Saying, suspecting: Suspecting) -> None:
    """One voice alone is not enough."""
    assert kept(saying, suspecting) == ()


def test_free_text_blocks_only_when_it_has_earned_that() -> None:
    """Above medium only where such comments were measured to be as right as what may block."""
    earned = replace(CALIBRATION, whole=0.95)
    (answer,) = Agreement(Saying([2]), Suspecting(2, 9.0), earned).review([UNIT])
    assert [finding.severity for finding in answer.findings] == [Severity.HIGH]


def test_a_hunk_too_long_to_measure_is_not_agreed_upon() -> None:
    """Without measuring nothing is kept, and nothing fails."""

    class Failing:
        def measure(self, unit: Unit) -> list[Suspicion]:
            raise PromptTooLong("too long", "shorten it")

    (answer,) = Agreement(Saying([2]), Failing(), CALIBRATION).review([UNIT])
    assert answer.findings == ()


def test_the_way_back_is_asked_only_about_what_was_spoken_of() -> None:
    """A silent hunk costs one question."""
    saying = Saying([])
    assert list(Agreement(saying, Suspecting(2, 9.0), CALIBRATION).review([UNIT]))
    assert saying.asked == 1


def test_a_line_is_spoken_about_once() -> None:
    """Measuring comes first; the whole hunk adds only other lines, and a hunk that was not measured adds nothing."""
    agreement = Agreement(Saying([2]), Suspecting(2, 9.0), CALIBRATION)
    (answer,) = Both(Saying([2]), agreement).review([UNIT])
    assert [finding.confidence for finding in answer.findings] == [0.2]
    (answer,) = Both(Saying([]), agreement).review([UNIT])
    assert [finding.confidence for finding in answer.findings] == [0.7]
    (answer,) = Both(Saying([], not_reviewed="out of time"), agreement).review([UNIT])
    assert answer.findings == ()


def test_a_unit_is_measured_once() -> None:
    """Both ways share one measuring."""
    suspecting = Suspecting(2, 1.0)
    remembered = Remembered(suspecting)
    assert remembered.measure(UNIT) is remembered.measure(UNIT)
    assert suspecting.times == 1


def test_backwards_twice_is_the_same_change() -> None:
    """Added and removed lines change places, removed ones first, and numbers follow."""
    back = backwards(UNIT).hunk
    assert [(line.kind, line.text.strip()) for line in back.lines[1:3]] == [
        (Kind.REMOVED, "if a <= b:"),
        (Kind.ADDED, "if a < b:"),
    ]
    assert (back.old_count, back.new_count) == (UNIT.hunk.new_count, UNIT.hunk.old_count)
    assert backwards(backwards(UNIT)).hunk == UNIT.hunk
