"""Drafts are made only where the measured price of rows makes them worth it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrc.speculative.acceptance import Acceptance
from lrc.speculative.cost import CAUTIOUS, CostModel, best_speedup
from lrc.speculative.gain import ExpectedGain
from lrc.speculative.protocols import DraftNode
from lrc.speculative.tree import chain

FLAT = {1: 1.0, 8: 1.0, 16: 2.0}
STEEP = {1: 1.0, 2: 2.0, 4: 4.0, 32: 32.0}


def test_where_rows_cost_as_much_as_steps_nothing_is_drafted() -> None:
    """With v(n) = n no draft can pay, however sure."""
    gain = ExpectedGain(CostModel(STEEP))
    assert gain.limit(1) == 0
    (kept,) = gain.select([chain([1, 2, 3], "toy", [0.98] * 3)], 1, 10)
    assert kept == ()


def test_where_rows_are_free_everything_likely_is_drafted() -> None:
    """With a flat v(n), drafts fill the flat part."""
    gain = ExpectedGain(CostModel(FLAT))
    assert gain.limit(1) >= 7
    (kept,) = gain.select([chain(list(range(20)), "toy", [0.9] * 20)], 1, 30)
    assert len(kept) == 7


def test_rows_go_to_the_likelier_drafts() -> None:
    """Of two texts, the one with the surer guesses gets the rows."""
    gain = ExpectedGain(CostModel({1: 1.0, 2: 1.0, 4: 1.0, 5: 9.0}))
    sure, unsure = chain([1, 2, 3], "sure", [0.9] * 3), chain([1, 2, 3], "unsure", [0.3] * 3)
    kept = gain.select([unsure, sure], 2, 30)
    assert [len(tree) for tree in kept] == [0, 2]


@given(
    st.lists(st.lists(st.floats(0.0, 1.0), max_size=8), min_size=1, max_size=5),
    st.integers(0, 20),
    st.dictionaries(st.integers(1, 40), st.floats(0.1, 10), min_size=1, max_size=8),
    st.integers(0, 40),
)
def test_whatever_is_measured_the_choice_is_a_tree_within_the_room(
    confidences: list[list[float]], room: int, measured: dict[int, float], prompts: int
) -> None:
    """Parents come with their children, and the room is kept."""
    drafts = [chain(list(range(len(row))), "toy", row) for row in confidences]
    kept = ExpectedGain(CostModel(measured)).select(drafts, len(drafts) + prompts, room)
    assert sum(map(len, kept)) <= room
    for tree in kept:
        assert all(-1 <= node.parent < index for index, node in enumerate(tree))


@given(st.floats(0.0, 0.95), st.sampled_from([CAUTIOUS, FLAT, STEEP]))
def test_it_never_expects_to_be_slower_than_plain(confidence: float, measured: dict[int, float]) -> None:
    """By its own estimate, the chosen draft yields at least as many tokens a second as no draft."""
    costs = CostModel(measured)
    (kept,) = ExpectedGain(costs).select([chain(list(range(9)), "toy", [confidence] * 9)], 1, 30)
    expected = 1.0 + sum(confidence ** (index + 1) for index in range(len(kept)))
    assert expected / costs.seconds(1 + len(kept)) >= 1.0 / costs.seconds(1)


def test_a_drafter_that_is_always_wrong_is_soon_not_believed() -> None:
    """A few rejections outweigh any confidence, and rows are no longer spent."""
    gain = ExpectedGain(CostModel({1: 1.0, 2: 1.2, 4: 1.6}))
    draft = chain([1, 2, 3], "liar", [0.9] * 3)
    spent = 0
    for _ in range(100):
        (kept,) = gain.select([draft], 1, 10)
        spent += len(kept)
        if kept:
            gain.tried(kept[0], 0, agreed=False)
    assert spent <= 40


def test_trust_is_learnt_by_drafter_and_by_confidence() -> None:
    """What one drafter's sure guesses are worth says nothing of another's."""
    acceptance = Acceptance()
    for _ in range(50):
        acceptance.learn("a", 0.9, agreed=False)
    assert acceptance.estimate("a", 0.9) < 0.1
    assert acceptance.estimate("a", 0.3) == pytest.approx(0.3)
    assert acceptance.estimate("b", 0.9) == pytest.approx(0.9)
    assert acceptance.overall("a", 0.5) < 0.1
    assert acceptance.overall("c", 0.5) == 0.5


def test_old_experience_fades() -> None:
    """After a change of text the estimate follows."""
    acceptance = Acceptance()
    for _ in range(2000):
        acceptance.learn("a", 0.5, agreed=True)
    for _ in range(400):
        acceptance.learn("a", 0.5, agreed=False)
    assert acceptance.estimate("a", 0.5) < 0.4


def test_measured_costs_are_believed_and_interpolated() -> None:
    """Known widths as they are, between them linear, beyond them at the last slope."""
    costs = CostModel({1: 1.0, 4: 2.5, 8: 3.0})
    costs.learn(4, 99.0)
    assert [costs.seconds(rows) for rows in (0, 1, 2, 4, 6, 8, 16)] == [0.0, 1.0, 1.5, 2.5, 2.75, 3.0, 4.0]


def test_unmeasured_costs_are_learnt_on_one_scale() -> None:
    """Widths that were seen are believed; the others keep the shape of the cautious curve."""
    costs = CostModel()
    for _ in range(5):
        costs.learn(1, 0.04)
        costs.learn(4, 0.05)
    assert costs.seconds(1) == pytest.approx(0.04)
    assert costs.seconds(4) == pytest.approx(0.05)
    assert 0.01 < costs.seconds(2) < 0.09


def test_the_formula_of_the_literature_is_a_special_case() -> None:
    """With a flat v(n): (1 - a^(k+1)) / ((1 - a)(k c + 1)), Leviathan et al. 2023, theorem 3.8."""
    ratio, length = best_speedup(CostModel({1: 1.0, 64: 1.0}), 0.8, 0.1)
    expected = max((1 - 0.8 ** (k + 1)) / (0.2 * (0.1 * k + 1)) for k in range(1, 17))
    assert ratio == pytest.approx(expected)
    assert (1 - 0.8 ** (length + 1)) / (0.2 * (0.1 * length + 1)) == pytest.approx(expected)


def test_on_hardware_with_idle_width_a_good_draft_more_than_doubles_the_speed() -> None:
    """v(n) flat to eight rows, a draft at a tenth of the price, the acceptance seen on the default pair."""
    assert best_speedup(CostModel(FLAT), 0.8, 0.1)[0] >= 2.2


def test_the_policy_learns_prices_and_trust_through_its_own_verbs() -> None:
    """`tried` and `evaluated` change later decisions."""
    gain = ExpectedGain(CostModel())
    assert gain.limit(1) > 0
    gain.tried(DraftNode(-1, 1, "draft", 0.7), 0, agreed=True)
    for rows in range(1, 34):
        for _ in range(4):
            gain.evaluated(rows, float(rows))
    assert gain.limit(1) == 0
