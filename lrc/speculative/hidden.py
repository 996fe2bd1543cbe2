"""What a target knew at each token of the texts that it evaluated: the input of heads that predict further tokens.

A head reads the target's hidden state at one position beside the token at the next one. The two live in contexts of
their own, with sequences of their own, so states are found by the text that they stand in.
"""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lrc.speculative.protocols import Row

Hidden = NDArray[np.float32]
"""A hidden state: as many numbers as the model is wide."""

_WINDOW = 16
"""Tokens up to a position by which, together with the position, its state is found again."""
_MOST_BYTES = 1 << 26
"""Of all states kept; the oldest go first."""

_Place = tuple[int, tuple[int, ...]]


class Texts:
    """The tokens of each sequence of a target, followed from the outside; those of a snapshot are not known."""

    def __init__(self, sequences: int) -> None:
        """All `sequences` are empty."""
        self._tokens: list[list[int | None]] = [[] for _ in range(sequences)]

    def add(self, row: Row) -> None:
        """A row was evaluated."""
        for sequence in row.sequences:
            tokens = self._tokens[sequence]
            tokens.extend([None] * (row.position - len(tokens)))
            del tokens[row.position :]
            tokens.append(row.token)

    def fork(self, source: int, destination: int, start: int, end: int) -> None:
        """`destination` got the tokens of `source` from `start` to `end`."""
        tokens = self._tokens[destination]
        del tokens[start:]
        tokens.extend([None] * (start - len(tokens)))
        tokens.extend(self._tokens[source][start:end])

    def cut(self, sequence: int, length: int) -> None:
        """Only the first `length` tokens are left."""
        del self._tokens[sequence][length:]

    def place(self, sequence: int, position: int) -> _Place | None:
        """What a state at `position` is found by; None where that is not known."""
        if not 0 <= position < len(self._tokens[sequence]):
            return None
        found = self._tokens[sequence][max(0, position + 1 - _WINDOW) : position + 1]
        known = tuple(token for token in found if token is not None)
        return (position, known) if len(known) == len(found) else None


class HiddenStates:
    """The states of the positions that a target evaluated last."""

    def __init__(self, width: int, most_bytes: int = _MOST_BYTES) -> None:
        """States of `width` numbers, as many as `most_bytes` hold."""
        self._most = max(1, most_bytes // (4 * width))
        self._states: OrderedDict[_Place, Hidden] = OrderedDict()

    def keep(self, texts: Texts, rows: Sequence[Row], states: Hidden) -> None:
        """The state of each of `rows`, which `texts` knows already, one line of `states` a row."""
        for row, state in zip(rows, states, strict=True):
            place = texts.place(row.sequences[0], row.position)
            if place is not None:
                self._states.pop(place, None)
                self._states[place] = state.copy()
        while len(self._states) > self._most:
            self._states.popitem(last=False)

    def find(self, place: _Place | None) -> Hidden | None:
        """The state there; None when it was never seen, or is forgotten."""
        return self._states.get(place) if place is not None else None
