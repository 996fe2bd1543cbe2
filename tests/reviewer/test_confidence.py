"""From a measured gain to a probability and a severity."""

from dataclasses import replace

import pytest

from lrc.context import unit_for
from lrc.findings import Severity
from lrc.reviewer.confidence import Calibration, built_in, parse
from lrc.reviewer.kinds import Kind
from lrc.reviewer.repairs import Suspicion
from tests.support.changes import change, new_text

FILE = change("a.py", "-if a < b:\n+if a <= b:")
UNIT = unit_for(FILE, FILE.hunks[0], new_text(FILE))
SLIP = Suspicion(UNIT, 1, "if a <= b:", "if a < b:", Kind.COMPARISON, "replace", "<=", "<", 5.0, -0.1, False, 5.0)


def test_more_gain_is_more_confidence() -> None:
    """Confidence is a probability and rises with the gain."""
    steps = [built_in().probability(replace(SLIP, gain=gain)) for gain in (1.0, 2.0, 4.0, 8.0, 1000.0)]
    assert steps == sorted(steps)
    assert all(0 < step < 1 for step in steps)


@pytest.mark.parametrize("reverts", [False, True])
def test_a_repair_that_gains_nothing_is_no_evidence(reverts: bool) -> None:
    """Not even for the old text of a line: most changes of one operator are repairs themselves."""
    assert built_in().probability(replace(SLIP, reverts=reverts, gain=0.9)) == 0


def test_the_old_text_needs_less_gain() -> None:
    """One particular guess, made by the file's own history, is worth more than the best of all tokens."""
    assert built_in().probability(replace(SLIP, reverts=True)) > built_in().probability(SLIP)


@pytest.mark.parametrize("reverts", [False, True])
def test_taste_is_never_a_comment(reverts: bool) -> None:
    """Where more than a token differs, no gain is enough."""
    probability = built_in().probability(replace(SLIP, kind=Kind.OTHER, reverts=reverts, gain=500.0))
    assert built_in().severity(probability) is None


def test_another_name_never_blocks() -> None:
    """A name that the model likes better may be worth a word; with no old line to support it, no more than that."""
    probability = built_in().probability(replace(SLIP, kind=Kind.NAME, gain=500.0))
    assert built_in().severity(probability) in (None, Severity.MEDIUM)


def test_severity_follows_the_two_thresholds() -> None:
    """Below the first silence, between them a comment, from the second on it blocks."""
    calibration = Calibration({}, speak=0.5, block=0.9)
    assert [calibration.severity(p) for p in (0.49, 0.5, 0.89, 0.9)] == [
        None,
        Severity.MEDIUM,
        Severity.MEDIUM,
        Severity.HIGH,
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"weights": {}, "speak": 1}', '{"weights": 3, "speak": 1, "block": 1}']
)
def test_what_is_no_calibration_is_refused(text: str) -> None:
    """A file that does not hold a calibration is a ValueError, whatever it holds instead."""
    with pytest.raises(ValueError):
        parse(text)


def test_other_numbers_are_another_judge() -> None:
    """The identity, part of the verdict cache's key, changes with the weights."""
    one = parse('{"weights": {"a": 1}, "speak": 0.5, "block": 0.9}')
    other = parse('{"weights": {"a": 2}, "speak": 0.5, "block": 0.9}')
    assert one.identity != other.identity
