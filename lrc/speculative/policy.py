"""Decides how many rows of a step go to drafts."""

from collections.abc import Sequence
from typing import Protocol

from lrc.speculative import tree as trees
from lrc.speculative.protocols import DraftNode, DraftTree


class Policy(Protocol):
    """Shares the rows of a step among drafts and learns from what became of them."""

    def limit(self, streams: int) -> int:
        """How many tokens each of `streams` texts may have guessed in the next step; 0 is legal."""

    def select(self, drafts: Sequence[DraftTree], rows: int, room: int) -> list[DraftTree]:
        """Cut each draft to what is worth its rows: at most `room` in all, next to `rows` rows of other work."""

    def tried(self, node: DraftNode, depth: int, agreed: bool) -> None:
        """A drafted token was verified."""

    def evaluated(self, rows: int, seconds: float) -> None:
        """An evaluation of `rows` rows took `seconds`."""


class FixedLength:
    """Always drafts up to the same number of tokens a text: for tests and comparisons."""

    def __init__(self, length: int) -> None:
        """Draft up to `length` tokens."""
        self._length = length

    def limit(self, streams: int) -> int:
        """The fixed length."""
        return self._length

    def select(self, drafts: Sequence[DraftTree], rows: int, room: int) -> list[DraftTree]:
        """All there is room for, the earlier texts first."""
        chosen: list[DraftTree] = []
        for draft in drafts:
            kept = min(len(draft), self._length, room)
            room -= kept
            chosen.append(trees.pruned(draft, range(kept)))
        return chosen

    def tried(self, node: DraftNode, depth: int, agreed: bool) -> None:
        """Nothing is learnt."""

    def evaluated(self, rows: int, seconds: float) -> None:
        """Nothing is learnt."""
