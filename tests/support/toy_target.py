"""A tiny language model that is a pure function of the prefix, with a cache that is strict about its contract."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrc.speculative.errors import CacheWorn, ContextFull, DecodeFailed, NoCacheSlot
from lrc.speculative.protocols import Logits, Row

_START = 17


def next_state(state: int, token: int) -> int:
    """Hash of the whole prefix after one more token."""
    return (state * 1_000_003 + token + 1) % (2**31 - 1)


class ToyLaw:
    """Logits of the next token: mostly of the last two tokens, so that text repeats, and a little of all before."""

    def __init__(self, vocabulary: int = 12, seed: int = 0, peak: float = 2.0, noise: float = 0.5) -> None:
        """`peak` says how sure the model is, `noise` how much the far past matters."""
        random = np.random.default_rng(seed)
        self.vocabulary = vocabulary
        self._near = (peak * random.normal(size=(vocabulary, vocabulary, vocabulary))).astype(np.float32)
        self._far = (noise * random.normal(size=(61, vocabulary))).astype(np.float32)

    def logits(self, before: int, token: int, state: int) -> Logits:
        """After `token`, which follows `before`, where `state` is the hash of the prefix including `token`."""
        row: Logits = self._near[before % self.vocabulary, token] + self._far[state % 61]
        return row

    def after(self, text: Sequence[int]) -> Logits:
        """The same from the text alone: what a cache must reproduce."""
        state = _START
        for token in text:
            state = next_state(state, token)
        return self.logits(text[-2] if len(text) > 1 else 0, text[-1], state)


@dataclass(eq=False)
class _Cell:
    token: int
    state: int
    holders: int = 0


class ToyTarget:
    """A `Target` over a `ToyLaw`. Breaking its contract is an AssertionError, running out of cells a `NoCacheSlot`."""

    def __init__(
        self,
        law: ToyLaw,
        *,
        cells: int = 512,
        sequences: int = 10,
        rows: int = 32,
        outputs: int = 32,
        in_order: bool = False,
    ) -> None:
        """`cells` is also the longest sequence; `in_order`, they are written once and wear out."""
        self.in_order = in_order
        self.written = 0
        self.law = law
        self.n_vocab = law.vocabulary
        self.n_ctx = cells
        self.n_sequences = sequences
        self.n_rows = rows
        self.n_outputs = outputs
        self.texts: list[list[_Cell]] = [[] for _ in range(sequences)]
        self.evaluations: list[int] = []
        self.failures: list[Exception] = []

    def used(self) -> int:
        """Distinct cells in use."""
        return len({id(cell) for text in self.texts for cell in text})

    def tokens(self, sequence: int) -> list[int]:
        """What a sequence holds."""
        return [cell.token for cell in self.texts[sequence]]

    def evaluate(self, rows: Sequence[Row]) -> Logits:
        """Evaluate, all or nothing."""
        assert 0 < len(rows) <= self.n_rows
        assert sum(row.wants_logits for row in rows) <= self.n_outputs
        self.evaluations.append(len(rows))
        if self.failures:
            raise self.failures.pop(0)
        if max(row.position for row in rows) >= self.n_ctx:
            raise ContextFull("full")
        if self.used() + len(rows) > self.n_ctx:
            raise NoCacheSlot("no cell")
        if self.in_order and self.written + len(rows) > self.n_ctx:
            raise CacheWorn("worn")
        self.written += len(rows)
        found: list[Logits] = []
        for row in rows:
            assert row.sequences and len(set(row.sequences)) == len(row.sequences)
            assert 0 <= row.token < self.n_vocab
            first = self.texts[row.sequences[0]]
            for sequence in row.sequences:
                assert len(self.texts[sequence]) == row.position, "a row must follow what its sequence holds"
                assert self.texts[sequence] == first, "sequences of one row must share their cells"
            last = first[-1] if first else None
            cell = _Cell(row.token, next_state(last.state if last else _START, row.token))
            for sequence in row.sequences:
                self.texts[sequence].append(cell)
            if row.wants_logits:
                found.append(self.law.logits(last.token if last else 0, row.token, cell.state))
        return np.array(found, np.float32).reshape(len(found), self.n_vocab)

    def fork(self, source: int, destination: int, start: int, end: int) -> None:
        """Share cells."""
        assert len(self.texts[destination]) == start, "the destination must end where the fork starts"
        assert end <= len(self.texts[source])
        assert self.texts[destination] == self.texts[source][:start], "a fork must continue the same text"
        self.texts[destination].extend(self.texts[source][start:end])

    def rewind(self, sequence: int, length: int) -> None:
        """Drop the end."""
        assert length <= len(self.texts[sequence])
        del self.texts[sequence][length:]

    def length(self, sequence: int) -> int:
        """Tokens held."""
        return len(self.texts[sequence])

    def snapshot(self, sequence: int) -> bytes:
        """The tokens; their states follow."""
        return bytes(self.tokens(sequence))

    def restore(self, sequence: int, state: bytes) -> None:
        """Replace a sequence."""
        if state and max(state) >= self.n_vocab:
            raise DecodeFailed("a snapshot of another model")
        cells: list[_Cell] = []
        value = _START
        for token in state:
            value = next_state(value, token)
            cells.append(_Cell(token, value))
        self.texts[sequence] = cells

    def free(self, sequence: int) -> None:
        """Drop all."""
        self.texts[sequence] = []
        if not any(self.texts):
            self.written = 0
