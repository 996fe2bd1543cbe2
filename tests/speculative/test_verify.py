"""Acceptance: what is emitted follows the target's law, whatever was drafted."""

from collections import Counter

import numpy as np
import pytest

from lrc.speculative.protocols import DraftNode, Law, Logits
from lrc.speculative.sampling import GREEDY, Chooser, Sampling, draw, law_of
from lrc.speculative.tree import chain
from lrc.speculative.verify import verify

END = frozenset({0})
DRAWS = 6_000
# 99.99 % quantile of the chi-square distribution with 4 degrees of freedom.
CRITICAL = 23.51


def rows(*best: int, size: int = 5) -> Logits:
    """Logits whose argmax is each of `best`."""
    found = np.zeros((len(best), size), np.float32)
    for index, token in enumerate(best):
        found[index, token] = 1.0
    return found


def chi_square(seen: Counter[int], law: Law) -> float:
    """Distance of counts from a law."""
    total = sum(seen.values())
    assert all(law[token] > 0 for token in seen)
    return float(sum((seen[t] - total * p) ** 2 / (total * p) for t, p in enumerate(law) if p > 0))


def test_the_accepted_prefix_is_kept_and_the_first_mismatch_corrected() -> None:
    """Tokens up to the first disagreement are accepted, then the target's own token is emitted."""
    verdict = verify(chain([1, 2, 4], "toy", [0.5] * 3), rows(1, 2, 3, 1), Chooser(GREEDY, None, END), 9)
    assert verdict.tokens == (1, 2, 3)
    assert verdict.path == (0, 1)
    assert verdict.visited == (0, 1, 2)


def test_a_wholly_accepted_draft_yields_one_token_more() -> None:
    """After the last accepted token the target has already predicted the next."""
    verdict = verify(chain([1, 2], "toy", [0.5] * 2), rows(1, 2, 3), Chooser(GREEDY, None, END), 9)
    assert verdict.tokens == (1, 2, 3)


def test_nothing_is_accepted_after_an_end() -> None:
    """An accepted ending token ends the text even if the draft went on."""
    verdict = verify(chain([1, 0, 2], "toy", [0.5] * 3), rows(1, 0, 2, 2), Chooser(GREEDY, None, END), 9)
    assert verdict.tokens == (1, 0)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_tokens_than_allowed_are_emitted(limit: int) -> None:
    """The limit cuts an accepted draft."""
    verdict = verify(chain([1, 2, 3], "toy", [0.5] * 3), rows(1, 2, 3, 4), Chooser(GREEDY, None, END), limit)
    assert verdict.tokens == (1, 2, 3)[:limit]


def test_of_several_branches_the_one_that_the_target_follows_survives() -> None:
    """Siblings are compared with the target's token; the path goes through the one that equals it."""
    tree = (DraftNode(-1, 4, "a"), DraftNode(-1, 1, "b"), DraftNode(0, 2, "a"), DraftNode(1, 3, "b"))
    logits = rows(1, 2, 3, 2, 2)
    verdict = verify(tree, logits, Chooser(GREEDY, None, END), 9)
    assert verdict.path == (1, 3)
    assert verdict.tokens == (1, 3, 2)
    assert verdict.visited == (0, 1, 3)


LAWS = [
    Sampling(temperature=1.0),
    Sampling(temperature=0.7, top_k=3),
    Sampling(temperature=1.5, top_p=0.8),
    Sampling(temperature=1.0, min_p=0.3),
]


@pytest.mark.parametrize("sampling", LAWS)
@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("siblings", [1, 2, 3])
def test_the_emitted_token_has_the_targets_law(sampling: Sampling, drawn: bool, siblings: int) -> None:
    """By chi-square: with decided and with drawn drafts, alone and as siblings, the first token's law is plain."""
    random = np.random.default_rng(7)
    logits = random.normal(size=(1 + siblings, 5)).astype(np.float32)
    guess = law_of(random.normal(size=5).astype(np.float32), Sampling(temperature=1.0))
    chooser = Chooser(sampling, None, frozenset())
    seen: Counter[int] = Counter()
    for _ in range(DRAWS):
        if drawn:
            tokens = [draw(guess, random.random()) for _ in range(siblings)]
            tree = tuple(DraftNode(-1, token, "drawn", 0.5, guess) for token in tokens)
        else:
            tree = tuple(DraftNode(-1, token, "decided") for token in range(siblings))
        seen[verify(tree, logits, chooser, 1).tokens[0]] += 1
    assert chi_square(seen, law_of(logits[0], sampling)) < CRITICAL


def test_drawn_drafts_are_accepted_as_often_as_the_laws_overlap() -> None:
    """The rejection rule accepts with probability 1 - TV(p, q), which matching a sample does not reach."""
    random = np.random.default_rng(3)
    logits = random.normal(size=(2, 5)).astype(np.float32)
    sampling = Sampling(temperature=1.0)
    law, guess = law_of(logits[0], sampling), law_of(logits[1], sampling)
    chooser = Chooser(sampling, None, frozenset())
    accepted = sum(
        bool(verify((DraftNode(-1, draw(guess, random.random()), "q", 0.5, guess),), logits, chooser, 9).path)
        for _ in range(DRAWS)
    )
    overlap = float(np.minimum(law, guess).sum())
    assert abs(accepted / DRAWS - overlap) < 4 * (overlap * (1 - overlap) / DRAWS) ** 0.5
