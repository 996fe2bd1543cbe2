"""The adaptive policy: rows go to drafts only as far as the expected tokens are worth the rows' measured price.

With m texts in work, a plain step yields m tokens for v(m). A drafted token adds the probability that it is reached and
accepted, and costs its share of v(m + drafts). The best number of drafts is the one with the most expected tokens a
second; it may be none, and where the estimates are right the result is never slower than plain decoding.
"""

from collections.abc import Sequence

from lrc.speculative import tree as trees
from lrc.speculative.acceptance import Acceptance
from lrc.speculative.cost import CostModel
from lrc.speculative.draft_model import DraftModel
from lrc.speculative.protocols import Drafter, DraftNode, DraftTree

_MARGIN = 1.03
"""Expected gain below which nothing is drafted: estimates are not that good."""
_LONGEST = 31
"""Guesses for a text and step: with its last token 32 rows, a whole step of the staircase v(n) on many machines."""
_DRAFT_MODEL_CONFIDENCE = 0.7
_TYPICAL_ANSWER = 48
"""Tokens over which a draft model's reading of the prompt is spread."""


class ExpectedGain:
    """Drafts what is expected to pay."""

    def __init__(self, costs: CostModel, draft_share: float = 0.5) -> None:
        """`draft_share` is the price of a draft model's token in single rows, until it was timed."""
        self._costs = costs
        self._draft_share = draft_share
        self._acceptance = Acceptance()
        self._streams = 1

    def limit(self, streams: int) -> int:
        """As much as could pay if every guess were right."""
        self._streams = max(streams, 1)
        plain = self._streams / self._costs.seconds(self._streams)
        best = 0
        for drafted in range(1, _LONGEST + 1):
            rows = self._streams + drafted
            if rows / self._costs.seconds(rows) > _MARGIN * plain:
                best = drafted
        return best

    def select(self, drafts: Sequence[DraftTree], rows: int, room: int) -> list[DraftTree]:
        """The nodes with the highest chances, as many as maximise expected tokens a second."""
        ranked = sorted(
            (-chance, place, index)
            for place, draft in enumerate(drafts)
            for index, chance in enumerate(self._chances(draft))
        )[:room]
        texts = len(drafts)
        base, own = self._costs.seconds(rows), self._costs.seconds(texts)
        best, kept, expected = texts / own * _MARGIN, 0, float(texts)
        for count, (loss, _, _) in enumerate(ranked, 1):
            expected -= loss
            # Rows of prompts in the same batch are paid for anyway: only what drafts add to it is theirs.
            rate = expected / (own + self._costs.seconds(rows + count) - base)
            if rate > best:
                best, kept = rate, count
        chosen: list[list[int]] = [[] for _ in drafts]
        for _, place, index in ranked[:kept]:
            chosen[place].append(index)
        return [trees.pruned(draft, sorted(keep)) for draft, keep in zip(drafts, chosen, strict=True)]

    def _chances(self, draft: DraftTree) -> list[float]:
        """Probability that each node is reached and accepted; smaller than its parent's, so parents rank first."""
        found: list[float] = []
        for node in draft:
            above = found[node.parent] if node.parent >= 0 else 1.0
            found.append(above * self._acceptance.estimate(node.source, node.confidence))
        return found

    def ration(self, drafter: Drafter, limit: int) -> int:
        """How long a chain is worth asking a dear drafter for, its own time and its reading of the prompt included."""
        if not isinstance(drafter, DraftModel):
            return limit
        one = self._costs.seconds(1)
        each = drafter.seconds_a_token or self._draft_share * one
        accepted = self._acceptance.overall(drafter.name, _DRAFT_MODEL_CONFIDENCE)
        texts = self._streams
        reading = texts * drafter.behind * each / _TYPICAL_ANSWER
        best, length, expected = texts / self._costs.seconds(texts) * _MARGIN, 0, float(texts)
        for drafted in range(1, min(limit, _LONGEST) + 1):
            expected += texts * accepted**drafted
            # The reading is paid once an answer; a step's share of it grows with the tokens that the step yields.
            spent = self._costs.seconds(texts * (1 + drafted)) + texts * drafted * each + reading * expected / texts
            if expected / spent > best:
                best, length = expected / spent, drafted
        return length

    def tried(self, node: DraftNode, depth: int, agreed: bool) -> None:
        """Learn how far the drafter can be believed."""
        self._acceptance.learn(node.source, node.confidence, agreed)

    def evaluated(self, rows: int, seconds: float) -> None:
        """Learn the price of rows."""
        self._costs.learn(rows, seconds)
