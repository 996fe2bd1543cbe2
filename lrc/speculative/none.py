"""The drafter that never guesses: plain decoding, and the baseline of every comparison."""

from collections.abc import Sequence

from lrc.speculative.protocols import DraftTree


class NoDrafter:
    """Proposes nothing."""

    name = "none"
    seconds_a_token = 0.0

    def begin(self, prompt: Sequence[int]) -> None:
        """Nothing to prepare."""

    def propose(self, limit: int) -> DraftTree:
        """The empty tree."""
        return ()

    def observe(self, tokens: Sequence[int]) -> None:
        """Nothing to learn."""

    def close(self) -> None:
        """Nothing to give back."""
