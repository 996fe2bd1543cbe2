"""How the next token is drawn from the target's logits. Pure but for the random stream.

The law is defined once, whatever drafts: grammar mask, temperature, top-k, top-p, min-p, draw. Every emitted token
takes one number of the random stream, so a seed gives the same text with drafts and without.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lrc.speculative.errors import GrammarStuck
from lrc.speculative.protocols import Grammar, Law, Logits

_FIRST_LOOK = 64
"""Candidates tried against the grammar before the whole vocabulary; the best legal token is nearly always one."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of the draw."""

    temperature: float = 0.0
    """0 takes the most probable token; above, logits are divided by it."""
    top_k: int = 0
    """Keep only that many of the most probable tokens; 0 keeps all."""
    top_p: float = 1.0
    """Keep the fewest tokens whose probabilities sum to this."""
    min_p: float = 0.0
    """Keep tokens at least this fraction as probable as the best."""
    seed: int = 0
    """Start of the random stream."""

    def __post_init__(self) -> None:
        """Raise ValueError for settings that mean nothing."""
        if self.temperature < 0 or self.top_k < 0 or not 0 < self.top_p <= 1 or not 0 <= self.min_p <= 1:
            raise ValueError(f"meaningless sampling settings: {self}")


GREEDY = Sampling()


def law_of(logits: Logits, sampling: Sampling, allowed: NDArray[np.bool_] | None = None) -> Law:
    """The distribution that the next token is drawn from; `allowed` is the grammar's mask over the vocabulary.

    Equal logits keep the order of their ids, so that the kept set does not depend on the sorting algorithm.
    Raises `GrammarStuck` when nothing is allowed.
    """
    scaled = logits.astype(np.float64) / sampling.temperature
    if allowed is not None:
        scaled[~allowed] = -np.inf
    best = scaled.max()
    if not np.isfinite(best):
        raise GrammarStuck("the grammar allows no token here", "check the grammar")
    weights = np.exp(scaled - best)
    if sampling.top_k or sampling.top_p < 1 or sampling.min_p:
        _truncate(weights, sampling)
    law: Law = weights / weights.sum()
    return law


def _truncate(weights: Law, sampling: Sampling) -> None:
    """Set to zero what top-k, top-p and min-p drop; each works on what the one before left."""
    order = np.argsort(-weights, kind="stable")
    kept = int(np.count_nonzero(weights))
    if sampling.top_k:
        kept = min(kept, sampling.top_k)
    if sampling.top_p < 1:
        mass = np.cumsum(weights[order[:kept]])
        kept = int(np.searchsorted(mass, sampling.top_p * mass[-1])) + 1
    kept = min(kept, len(order))
    if sampling.min_p:
        kept = min(kept, int(np.count_nonzero(weights[order[:kept]] >= sampling.min_p * weights[order[0]])))
    weights[order[kept:]] = 0.0


def draw(law: Law, uniform: float) -> int:
    """The token at `uniform` (0 <= u < 1) of the cumulated law; never one of probability zero."""
    cumulated = np.cumsum(law)
    index = int(np.searchsorted(cumulated, uniform * cumulated[-1], side="right"))
    if index < len(law) and law[index] > 0:
        return index
    return int(np.flatnonzero(law)[-1])


class Chooser:
    """Picks the target's own next token, row after row of one text: the only place where output is decided."""

    def __init__(self, sampling: Sampling, grammar: Grammar | None, ends: frozenset[int]) -> None:
        """`ends` are the tokens that finish an answer; they are never fed to the grammar, which would abort."""
        self.sampling = sampling
        self.ends = ends
        self._grammar = grammar
        self._random = np.random.default_rng(sampling.seed)

    @property
    def stochastic(self) -> bool:
        """Whether the choice is drawn rather than decided."""
        return self.sampling.temperature > 0

    @property
    def grammar(self) -> Grammar | None:
        """The grammar after the tokens advanced so far; look ahead with a clone only."""
        return self._grammar

    def pick(self, logits: Logits) -> int:
        """The next token by the law of these logits. Does not advance."""
        if self.stochastic:
            return draw(self.law(logits), self.uniform())
        best = int(logits.argmax())
        if self._grammar is None or self._grammar.legal(best):
            return best
        return self._best_legal(self._grammar, logits)

    def law(self, logits: Logits) -> Law:
        """The law that `pick` draws from at a temperature above 0."""
        allowed = None
        if self._grammar is not None:
            allowed = self._grammar.mask(np.arange(len(logits), dtype=np.int32))
        return law_of(logits, self.sampling, allowed)

    def uniform(self) -> float:
        """The next number of the random stream."""
        return float(self._random.random())

    def advance(self, token: int) -> None:
        """`token` was emitted."""
        if self._grammar is not None and token not in self.ends:
            self._grammar.accept(token)

    def close(self) -> None:
        """Give back the grammar."""
        if self._grammar is not None:
            self._grammar.close()

    @staticmethod
    def _best_legal(grammar: Grammar, logits: Logits) -> int:
        """The most probable legal token; of equals the smallest id, as an argmax over the masked row gives."""
        if len(logits) > _FIRST_LOOK:
            few = np.argpartition(-logits, _FIRST_LOOK)[:_FIRST_LOOK]
            # Everything outside `few` is at most as probable as its worst member, so a legal token above that one wins.
            legal = few[grammar.mask(few.astype(np.int32))]
            if len(legal) and logits[legal].max() > logits[few].min():
                best = logits[legal].max()
                return int(legal[logits[legal] == best].min())
        masked = np.where(grammar.mask(np.arange(len(logits), dtype=np.int32)), logits, -np.inf)
        best_index = int(masked.argmax())
        if not np.isfinite(masked[best_index]):
            raise GrammarStuck("the grammar allows no token here", "check the grammar")
        return best_index
