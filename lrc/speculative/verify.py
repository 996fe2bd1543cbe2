"""The one rule by which drafts are accepted. Pure.

Without a law on the drafted tokens: sample from the target and accept while the sample equals a draft. Each emitted
token is then the target's own draw, so the output is that of plain decoding, token for token, whatever is drafted.

With a law (drafts drawn from a distribution q, at a temperature above 0): the rejection rule of Leviathan et al. 2023,
applied to siblings one after the other as in SpecInfer (Miao et al. 2024): accept with probability min(1, p/q), after
a rejection go on with the normalised positive part of p - q. The distribution of the output is that of plain decoding.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrc.speculative.protocols import DraftNode, DraftTree, Law, Logits
from lrc.speculative.sampling import Chooser, draw


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one evaluation of a draft yields."""

    tokens: tuple[int, ...]
    """Emitted tokens, at least one."""
    path: tuple[int, ...]
    """Indexes of the accepted nodes from the root down; the tokens of all but the last emitted one, as a rule."""
    visited: tuple[int, ...]
    """Indexes of the nodes whose parent was accepted: those that were really tried, for the acceptance counts."""


def verify(tree: DraftTree, logits: Sequence[Logits] | Logits, chooser: Chooser, limit: int) -> Verdict:
    """Follow the target through `tree` and advance `chooser` by what is emitted, at most `limit` (>= 1) tokens.

    `logits[0]` predicts the token after the last known one, `logits[1 + i]` the token after node `i`. Ends at the first
    disagreement, after an ending token, and at the limit.
    """
    tokens: list[int] = []
    path: list[int] = []
    visited: list[int] = []
    node = -1
    while True:
        children = [index for index, child in enumerate(tree) if child.parent == node and index > node]
        token, agreed = _choose(logits[node + 1], [tree[index] for index in children], chooser)
        chooser.advance(token)
        tokens.append(token)
        visited.extend(children)
        if agreed is None:
            break
        node = children[agreed]
        path.append(node)
        if token in chooser.ends or len(tokens) >= limit:
            break
    return Verdict(tuple(tokens), tuple(path), tuple(visited))


def _choose(logits: Logits, children: Sequence[DraftNode], chooser: Chooser) -> tuple[int, int | None]:
    """The next token and which of `children` it agrees with."""
    if chooser.stochastic and any(child.law is not None for child in children):
        return _reject(chooser.law(logits), children, chooser)
    token = chooser.pick(logits)
    for place, child in enumerate(children):
        if child.token == token:
            return token, place
    return token, None


def _reject(law: Law, children: Sequence[DraftNode], chooser: Chooser) -> tuple[int, int | None]:
    """The rejection rule over siblings in the order in which they were drawn.

    A child without a law is a point mass: accepted with the probability that what is left of p gives it, else p without
    that token. Children drawn with a law are taken to be drawn independently, each from its own law.
    """
    left = law
    for place, child in enumerate(children):
        guess = child.law if child.law is not None else _point(child.token, len(law))
        chance = left[child.token] / guess[child.token] if guess[child.token] > 0 else 0.0
        if chooser.uniform() < chance:
            return child.token, place
        remainder = np.maximum(left - guess, 0.0)
        total = remainder.sum()
        if total <= 0.0:
            # p and q were equal up to rounding, and rounding rejected: what is left of p is p itself.
            continue
        left = remainder / total
    return draw(left, chooser.uniform()), None


def _point(token: int, size: int) -> Law:
    law = np.zeros(size, np.float64)
    law[token] = 1.0
    return law
