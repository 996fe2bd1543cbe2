"""Drafts from a smaller model of the same vocabulary, as Leviathan et al. 2023 and Chen et al. 2023 do."""

import time
from collections.abc import Sequence

import numpy as np

from lrc.speculative.cache import PrefixCache, common_prefix
from lrc.speculative.errors import DraftOutOfSync, NoCacheSlot
from lrc.speculative.protocols import DraftNode, DraftTree, Law, Logits, Row, Target
from lrc.speculative.sampling import Sampling, draw, law_of

_SMOOTHING = 0.2
_UNSURE = 0.7
"""Probability of the best token below which further candidates are proposed."""
_PLAIN = Sampling(temperature=1.0)


class DraftModel:
    """Guesses by running another `Target`, whose cache follows the text lazily: no guess asked for, no work done."""

    def __init__(
        self,
        target: Target,
        cache: PrefixCache,
        *,
        name: str = "draft",
        n_vocab: int | None = None,
        stop_below: float = 0.4,
        sampling: Sampling | None = None,
        siblings: int = 0,
        reads_again: bool = False,
    ) -> None:
        """Draft on `target`, whose sequences `cache` hands out.

        Guessing stops after a token whose probability is below `stop_below`. `n_vocab` is how many ids draft and target
        share. With `sampling`, tokens are drawn from the draft's law, which each node then carries. `siblings` is how
        many further candidates are proposed where the model is unsure; they cost a row of the target, no work here.
        With `reads_again`, accepted guesses are evaluated anew: what a draft reads may have become better known.
        """
        self.name = name
        self._target = target
        self._cache = cache
        self._shared = min(n_vocab or target.n_vocab, target.n_vocab)
        self._stop_below = stop_below
        self._sampling = sampling
        self._siblings = siblings
        self._reads_again = reads_again
        self._sure = 0
        self._random = np.random.default_rng(sampling.seed + 1) if sampling else None
        self._text: list[int] = []
        self._sequence: int | None = None
        self._seconds = 0.0

    @property
    def seconds_a_token(self) -> float:
        """A running mean over the drafted tokens, without the time to catch up with a prompt."""
        return self._seconds

    def begin(self, prompt: Sequence[int]) -> None:
        """Remember the prompt."""
        self.close()
        self._text = list(prompt)

    def observe(self, tokens: Sequence[int]) -> None:
        """Remember the new tokens; the cache is corrected at the next guess."""
        self._text.extend(tokens)

    def close(self) -> None:
        """Give the sequence back."""
        if self._sequence is not None:
            self._cache.release(self._sequence)
            self._sequence = None

    @property
    def behind(self) -> int:
        """Tokens to evaluate before the next guess."""
        if self._sequence is None:
            return len(self._text)
        return len(self._text) - common_prefix(self._cache.text(self._sequence), self._text)

    def propose(self, limit: int) -> DraftTree:
        """A chain of at most `limit` tokens; shorter where the model is unsure or its context full."""
        limit = min(limit, self._target.n_ctx - len(self._text))
        if limit <= 0 or (self._text and max(self._text[-1:]) >= self._shared):
            return ()
        try:
            return self._guess(*self._catch_up(), limit)
        except NoCacheSlot:
            if not self._cache.evict():
                self.close()
            return ()

    def _catch_up(self) -> tuple[int, Logits]:
        """Evaluate the text that the draft has not seen; returns its sequence and the prediction after it."""
        if self._sequence is None:
            self._sequence, self._sure = self._cache.take(self._text, len(self._text) - 1)
        sequence = self._sequence
        known = self._cache.text(sequence)
        if self._target.length(sequence) != len(known):
            raise DraftOutOfSync(
                f"the draft's cache holds {self._target.length(sequence)} tokens instead of {len(known)}", "report this"
            )
        keep = min(common_prefix(known, self._text), len(self._text) - 1)
        self._cache.cut(sequence, min(keep, self._sure) if self._reads_again else keep)
        while True:
            start = len(self._cache.text(sequence))
            pending = self._text[start : start + self._target.n_rows]
            last = start + len(pending) == len(self._text)
            logits = self._evaluate(sequence, pending, start, last)
            if last:
                self._sure = len(self._text)
                return sequence, logits

    def _evaluate(self, sequence: int, tokens: Sequence[int], start: int, wants_logits: bool) -> Logits:
        final = len(tokens) - 1
        rows = [
            Row((sequence,), start + index, token, wants_logits and index == final)
            for index, token in enumerate(tokens)
        ]
        logits = self._target.evaluate(rows)
        self._cache.grow(sequence, tokens)
        return logits

    def _guess(self, sequence: int, logits: Logits, limit: int) -> DraftTree:
        nodes: list[DraftNode] = []
        started, parent, length = time.perf_counter(), -1, 0
        while len(nodes) < limit:
            row = logits[-1][: self._shared]
            token, confidence, law = self._pick(row)
            if confidence < self._stop_below and self._sampling is None:
                break
            nodes.append(DraftNode(parent, token, self.name, confidence, law))
            place = len(nodes) - 1
            if law is None and confidence < _UNSURE:
                nodes.extend(self._others(row, token, confidence, parent)[: limit - len(nodes)])
            parent, length = place, length + 1
            if len(nodes) >= limit:
                break
            logits = self._evaluate(sequence, [token], len(self._text) + length - 1, True)
        self._learn_seconds((time.perf_counter() - started) / max(length, 1))
        return tuple(nodes)

    def _others(self, logits: Logits, best: int, confidence: float, parent: int) -> list[DraftNode]:
        """The next best candidates beside `best`, likeliest first."""
        if not self._siblings:
            return []
        most = min(self._siblings + 1, len(logits) - 1)
        near = np.argpartition(-logits, most)[: most + 1]
        ranked = [int(token) for token in near[np.argsort(-logits[near], kind="stable")] if token != best]
        share = [confidence * float(np.exp(logits[token] - logits[best])) for token in ranked]
        return [
            DraftNode(parent, token, self.name, part)
            for token, part in zip(ranked[: self._siblings], share, strict=False)
        ]

    def _learn_seconds(self, seconds: float) -> None:
        self._seconds = seconds if not self._seconds else (1 - _SMOOTHING) * self._seconds + _SMOOTHING * seconds

    def _pick(self, logits: Logits) -> tuple[int, float, Law | None]:
        """The guessed token, the draft's probability of it, and the law where it was drawn."""
        if self._sampling is not None and self._random is not None:
            law = law_of(logits, self._sampling)
            token = draw(law, float(self._random.random()))
            # Not the probability of the token drawn: what is kept of a draft must not depend on what was drawn.
            return token, float(law.max()), law
        token = int(logits.argmax())
        weights = np.exp(logits - logits[token])
        return token, float(1.0 / weights.sum()), None
