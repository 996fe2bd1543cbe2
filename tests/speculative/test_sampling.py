"""The law of the next token, and the choice under a grammar."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrc.speculative.errors import GrammarStuck
from lrc.speculative.sampling import GREEDY, Chooser, Sampling, draw, law_of
from tests.support.toy_grammar import ToyGrammar

LOGITS = np.array([0.0, 1.0, 2.0, 3.0, 3.0, -1.0], np.float32)


def test_temperature_alone_is_a_softmax() -> None:
    """Logits over the temperature, normalised."""
    law = law_of(LOGITS, Sampling(temperature=2.0))
    expected = np.exp(LOGITS.astype(np.float64) / 2)
    assert np.allclose(law, expected / expected.sum())


def test_top_k_keeps_the_first_of_equals() -> None:
    """Of two equally probable tokens the one with the smaller id is kept."""
    assert np.flatnonzero(law_of(LOGITS, Sampling(temperature=1.0, top_k=1))).tolist() == [3]


def test_top_p_keeps_the_fewest_tokens_that_reach_it() -> None:
    """The token that crosses the threshold is still kept."""
    law = law_of(np.log(np.array([0.5, 0.3, 0.2], np.float32)), Sampling(temperature=1.0, top_p=0.6))
    assert np.allclose(law, [0.625, 0.375, 0.0])


def test_min_p_is_relative_to_the_best() -> None:
    """Tokens less probable than the fraction of the best are dropped."""
    law = law_of(np.log(np.array([0.5, 0.3, 0.2], np.float32)), Sampling(temperature=1.0, min_p=0.5))
    assert np.allclose(law, [0.625, 0.375, 0.0])


def test_the_grammar_comes_before_truncation() -> None:
    """Top-k keeps the k best of the legal tokens, not the legal ones of the k best."""
    allowed = np.array([True, True, False, False, False, True])
    law = law_of(LOGITS, Sampling(temperature=1.0, top_k=2), allowed)
    assert np.flatnonzero(law).tolist() == [0, 1]


@given(st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=20), st.floats(0, 1, exclude_max=True))
def test_only_possible_tokens_are_drawn(values: list[float], uniform: float) -> None:
    """A token of probability zero is never the answer, at the edges of the interval either."""
    law = law_of(np.array(values, np.float32), Sampling(temperature=0.5, top_k=3))
    assert law[draw(law, uniform)] > 0
    assert np.isclose(law.sum(), 1.0)


@given(st.integers(0, 2**32 - 1), st.integers(70, 400), st.integers(1, 4))
def test_the_best_legal_token_is_the_argmax_of_the_masked_row(seed: int, size: int, levels: int) -> None:
    """The short cuts of the greedy choice give what masking the whole row gives, ties included."""
    random = np.random.default_rng(seed)
    logits = random.integers(0, 50 * levels, size).astype(np.float32)
    grammar = ToyGrammar(text=(int(random.integers(1, 9)),))
    allowed = grammar.mask(np.arange(size, dtype=np.int32))
    expected = int(np.where(allowed, logits, -np.inf).argmax())
    assert Chooser(GREEDY, grammar, frozenset()).pick(logits) == expected


def test_a_grammar_without_a_way_on_is_named() -> None:
    """Nothing legal is an error of its own, greedy and sampled."""
    grammar = ToyGrammar(forced=(99,))
    for sampling in (GREEDY, Sampling(temperature=1.0)):
        with pytest.raises(GrammarStuck):
            Chooser(sampling, grammar, frozenset()).pick(LOGITS)


@pytest.mark.parametrize(
    "settings", [{"temperature": -1}, {"top_k": -1}, {"top_p": 0}, {"top_p": 1.1}, {"min_p": -0.1}, {"min_p": 2}]
)
def test_settings_without_meaning_are_refused(settings: dict[str, float]) -> None:
    """A wrong value fails where it is written down."""
    with pytest.raises(ValueError, match="meaningless"):
        Sampling(**settings)  # type: ignore[arg-type]
