"""Scoring given text: only what is asked for, from the cache where it can be."""

import numpy as np
import pytest

from lrc.speculative.cache import PrefixCache
from lrc.speculative.errors import DecodeAborted, NoCacheSlot
from lrc.speculative.scoring import score, until
from lrc.speculative.stats import Tally
from tests.support.toy_target import ToyLaw, ToyTarget

LAW = ToyLaw(seed=2)
PROMPT = [1 + index * 7 % 11 for index in range(60)]


class Rig:
    """A target ready for scoring."""

    def __init__(self, rows: int = 16, outputs: int = 5, cells: int = 512, in_order: bool = False) -> None:
        self.target = ToyTarget(LAW, cells=cells, sequences=3, rows=rows, outputs=outputs, in_order=in_order)
        self.cache = PrefixCache(self.target, range(3))
        self.tally = Tally()

    def score(self, prompt: list[int], positions: list[int], keep: bool = True) -> dict[int, np.ndarray]:
        """All rows."""
        return dict(score(self.target, self.cache, self.tally, prompt, positions, keep))


@pytest.mark.parametrize("positions", [[1], [60], [1, 60], list(range(1, 61)), list(range(20, 60, 3))])
def test_each_wanted_row_predicts_the_token_at_its_position(positions: list[int]) -> None:
    """Whatever the chunks of rows and outputs."""
    rig = Rig()
    found = rig.score(PROMPT, positions)
    assert list(found) == positions
    for position, row in found.items():
        assert np.array_equal(row, LAW.after(PROMPT[:position]))


def test_a_second_call_evaluates_only_from_where_it_has_to() -> None:
    """The common prefix comes from the cache, up to the row before the first wanted one."""
    rig = Rig()
    rig.score(PROMPT, [60])
    before = sum(rig.target.evaluations)
    other = [*PROMPT[:50], 3, 3, 3]
    found = rig.score(other, [51, 53])
    assert sum(rig.target.evaluations) - before == 3
    assert np.array_equal(found[53], LAW.after(other))
    assert rig.tally.reused_tokens == 50


def test_what_is_not_kept_leaves_the_cache_as_it_was() -> None:
    """Trying variants does not cost the prompt that they are variants of."""
    rig = Rig()
    rig.score(PROMPT, [60])
    used = rig.target.used()
    for variant in range(1, 5):
        rig.score([*PROMPT[:40], variant, variant], [41, 42], keep=False)
    assert rig.target.used() == used
    before = sum(rig.target.evaluations)
    rig.score(PROMPT, [60])
    assert sum(rig.target.evaluations) - before == 1


def test_a_dropped_iteration_gives_its_sequence_back() -> None:
    """Half of the rows were enough."""
    rig = Rig()
    rows = score(rig.target, rig.cache, rig.tally, PROMPT, list(range(1, 61)), True)
    next(rows)
    assert rig.cache.idle == 2
    rows.close()  # type: ignore[attr-defined]
    assert rig.cache.idle == 3
    assert all(rig.target.tokens(sequence) == rig.cache.text(sequence) for sequence in range(3))


def test_a_full_cache_forgets_old_texts_before_it_fails() -> None:
    """And only when nothing is left to forget, the error rises."""
    rig = Rig()
    rig.score([5] * 20, [20])
    rig.target.failures = [NoCacheSlot("full")]
    assert list(rig.score(PROMPT, [60])) == [60]
    rig.cache.evict()
    rig.target.failures = [NoCacheSlot("full")]
    with pytest.raises(NoCacheSlot):
        rig.score(PROMPT, [60])
    assert rig.cache.idle == 3


def test_the_deadline_covers_evaluation_but_not_the_caller() -> None:
    """It is set around each step and lifted while the caller looks at a row."""
    rig = Rig()
    told: list[float | None] = []
    rows = until(score(rig.target, rig.cache, rig.tally, PROMPT, [1, 2], True), float("inf"), told.append)
    next(rows)
    assert told == [float("inf"), None]


def test_after_the_deadline_it_is_an_error_by_name() -> None:
    """A reviewer can say that it did not finish."""
    rig = Rig()
    rows = until(score(rig.target, rig.cache, rig.tally, PROMPT, [1, 2], True), 0.0, lambda _: None)
    with pytest.raises(DecodeAborted):
        next(rows)
    assert rig.cache.idle == 3


def test_a_worn_cache_is_renewed_in_the_middle() -> None:
    """What was handed out is not handed out again, and what follows is right."""
    rig = Rig(cells=70, in_order=True)
    rig.score([5] * 40, [40])
    found = rig.score(PROMPT, list(range(1, 61)))
    assert list(found) == list(range(1, 61))
    assert all(np.array_equal(row, LAW.after(PROMPT[:position])) for position, row in found.items())
    assert rig.cache.idle == 3
