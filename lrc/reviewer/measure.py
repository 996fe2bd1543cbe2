"""Measuring a change: where the target's own probabilities say that something else was meant.

Two readings of one evaluation. *Surprise*: at a written token the model strongly expected another of the same kind.
*Gain*: with the expected text in its place, the likelihood of the edited stretch and of what follows rises. Surprise
alone is mostly taste; a gain is only seen where what follows agrees with the repair and not with what is written.
For a modified line the old text, or what of it could be a slip, is a repair to be tried as well (a regression). Which
repairs are tried is the business of `repairs` and `reverts`.

The gain is what filling in the middle would say: given the text before and behind, the odds of two middles are the
odds of the two whole texts, and these are what is compared, `FOLLOWING` tokens far. Prompted for with the model's own
markers, fill-in-the-middle gave the same gains (r = 0.97 on twelve repairs of planted and clean lines) at the price of
evaluating the passage again. All in all measuring a hunk takes about 1.1 times as long as evaluating its passage once
(13 hunks of real commits).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from lrc.review import Unit
from lrc.reviewer.passage import Encoder, Passage, passage_of
from lrc.reviewer.repairs import (
    LEAST_CHANCE,
    Repair,
    Suspicion,
    common,
    parses,
    slips,
    surprises,
    worth_trying,
)
from lrc.reviewer.reverts import reverts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEASURED = frozenset({
    "bash", "c", "cpp", "csharp", "elixir", "go", "haskell", "java", "javascript", "kotlin", "lua", "php", "python",
    "ruby", "rust", "scala", "solidity", "swift", "tsx", "typescript",
})  # fmt: skip
"""Languages that are measured: code, with a grammar at hand that tells it from comments and strings. In settings and
data every value is a choice, and a surprising one is none the worse."""

FOLLOWING = 12
"""Tokens behind an edit that both versions are judged by."""


class Scorer(Encoder, Protocol):
    """What measuring needs of the engine."""

    def score(
        self, prompt: Sequence[int], positions: Sequence[int], *, keep: bool = True, deadline: float | None = None
    ) -> Iterator[tuple[int, "NDArray[np.float32]"]]:
        """For each wanted position the logits that predict the token standing there."""


def unmeasurable(unit: Unit) -> str:
    """Why measuring can say nothing about a unit; empty when it can."""
    if unit.language not in MEASURED:
        return "not code that can be measured: detectors only"
    if not unit.hunk.added:
        return "only removed lines: detectors only"
    return ""


class Measurer:
    """Finds suspicions in units with one model; not thread-safe, as the engine is not."""

    def __init__(self, scorer: Scorer, mask: Callable[[str], str], deadline: float | None = None) -> None:
        self._scorer = scorer
        self._mask = mask
        self._deadline = deadline

    def measure(self, unit: Unit) -> list[Suspicion]:
        """All suspicions of a unit with their gain, strongest first. Raises what the engine raises."""
        passage = passage_of(unit, self._scorer, self._mask)
        likelihoods, repairs = self._read(unit, passage)
        # From the back, so that the evaluated beginning of the passage serves every repair.
        chosen = sorted(worth_trying(repairs), key=lambda item: -item.start)
        tried = [(self._tried(passage, repair, likelihoods), repair) for repair in chosen]
        # Only what would be spoken about is worth a parse; a repair that does not parse is none.
        sound = [
            suspicion
            for suspicion, repair in tried
            if suspicion.gain <= 0 or parses(unit.language, passage.text, repair)
        ]
        return sorted(sound, key=lambda suspicion: -suspicion.gain)

    def _read(self, unit: Unit, passage: Passage) -> tuple[dict[int, float], list[Repair]]:
        """One evaluation of the passage: the log-probability of every token from the first added one on, and all
        repairs that may be worth trying."""
        import numpy as np

        written = {token.index: token for token in passage.written()}
        if not written:
            return {}, []
        possible = self._by_place(passage, [*reverts(unit, passage), *slips(unit, passage)])
        last = min(len(passage.tokens), max(written) + FOLLOWING + 1)
        likelihoods: dict[int, float] = {}
        repairs: list[Repair] = []
        for index, logits in self._scorer.score(
            passage.tokens, range(max(1, min(written)), last), deadline=self._deadline
        ):
            actual, peak = float(logits[passage.tokens[index]]), float(logits.max())
            total = peak + float(np.log(np.exp(logits - peak).sum()))
            likelihoods[index] = actual - total
            for repair, token in possible.get(index, ()):
                value = float(logits[token])
                weighed = replace(repair.suspicion, surprise=value - actual, share=value - total)
                if weighed.reverts or weighed.surprise >= LEAST_CHANCE:
                    repairs.append(replace(repair, suspicion=weighed))
            if index in written:
                repairs += surprises(unit, passage, written[index], logits, total, self._piece)
        return likelihoods, repairs

    def _piece(self, token: int) -> str:
        return self._scorer.piece([token]).decode("utf-8", "replace")

    def _by_place(self, passage: Passage, repairs: Sequence[Repair]) -> dict[int, list[tuple[Repair, int]]]:
        """Repairs by the first token in which the repaired text differs, with the token that it has there."""
        places: dict[int, list[tuple[Repair, int]]] = {}
        for repair in repairs:
            edited = passage.edited(repair.start, repair.end, repair.text)
            head = common(passage.tokens, edited)
            if head < min(len(passage.tokens), len(edited)):
                places.setdefault(head, []).append((repair, edited[head]))
        return places

    def _tried(self, passage: Passage, repair: Repair, likelihoods: dict[int, float]) -> Suspicion:
        """The repair's suspicion with its gain: both versions from where they part to where they are one again, and
        `FOLLOWING` tokens on."""
        edited = passage.edited(repair.start, repair.end, repair.text)
        original = passage.tokens
        head = common(original, edited)
        tail = common(original[head:][::-1], edited[head:][::-1])
        as_written = sum(likelihoods.get(index, 0.0) for index in range(head, _end(original, tail)))
        gain = self._likelihood(edited[: _end(edited, tail)], head) - as_written
        return replace(repair.suspicion, gain=gain)

    def _likelihood(self, tokens: Sequence[int], first: int) -> float:
        """Log-probability of the tokens from `first` on, given those before."""
        import numpy as np

        total = 0.0
        for index, logits in self._scorer.score(tokens, range(first, len(tokens)), deadline=self._deadline):
            peak = float(logits.max())
            total += float(logits[tokens[index]]) - peak - float(np.log(np.exp(logits - peak).sum()))
        return total


def _end(tokens: Sequence[int], tail: int) -> int:
    return min(len(tokens), len(tokens) - tail + FOLLOWING)
