"""Several drafters in one: each proposes, equal guesses fall together, and every token keeps the name of its source."""

from collections.abc import Callable, Sequence

from lrc.speculative.protocols import Drafter, DraftTree
from lrc.speculative.tree import merged


class Chain:
    """Asks its drafters in order and stops at the first that proposes anything."""

    name = "chain"

    def __init__(self, drafters: Sequence[Drafter], ration: Callable[[Drafter, int], int] | None = None) -> None:
        """`ration(drafter, limit)` says how many tokens a drafter may be asked for; it may refuse a dear one with 0."""
        self._drafters = drafters
        self._ration = ration or (lambda _drafter, limit: limit)

    @property
    def seconds_a_token(self) -> float:
        """The dearest of its drafters."""
        return max((drafter.seconds_a_token for drafter in self._drafters), default=0.0)

    def begin(self, prompt: Sequence[int]) -> None:
        """Pass it on."""
        for drafter in self._drafters:
            drafter.begin(prompt)

    def observe(self, tokens: Sequence[int]) -> None:
        """Pass it on."""
        for drafter in self._drafters:
            drafter.observe(tokens)

    def close(self) -> None:
        """Pass it on."""
        for drafter in self._drafters:
            drafter.close()

    def propose(self, limit: int) -> DraftTree:
        """The first guess there is."""
        for drafter in self._drafters:
            tree = self._ask(drafter, limit)
            if tree:
                return tree
        return ()

    def _ask(self, drafter: Drafter, limit: int) -> DraftTree:
        allowed = min(limit, self._ration(drafter, limit))
        return drafter.propose(allowed) if allowed > 0 else ()


class Mix(Chain):
    """Asks all of its drafters and lays their guesses over each other, the earlier drafter's first."""

    name = "mix"

    def propose(self, limit: int) -> DraftTree:
        """One tree of all guesses."""
        return merged([self._ask(drafter, limit) for drafter in self._drafters], limit)
