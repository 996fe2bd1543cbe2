"""A grammar over toy tokens: what may follow depends on the last token and on how long the answer is."""

import numpy as np
from numpy.typing import NDArray

from lrc.speculative.protocols import Grammar


class ToyGrammar:
    """Token t may follow token p when (p + t) is no multiple of three; the end (token 0) only after some tokens.

    With `forced`, a text that the answer has to begin with, token by token.
    """

    open_copies = 0

    def __init__(self, shortest: int = 4, forced: tuple[int, ...] = (), text: tuple[int, ...] = ()) -> None:
        """After the accepted `text`."""
        self.shortest = shortest
        self.forced = forced
        self.text = text
        self.closed = False
        type(self).open_copies += 1

    def legal(self, token: int) -> bool:
        """Whether `token` may come next."""
        assert not self.closed
        if len(self.text) < len(self.forced):
            return token == self.forced[len(self.text)]
        if token == 0:
            return len(self.text) >= self.shortest
        return not self.text or (self.text[-1] + token) % 3 != 0

    def mask(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each token."""
        return np.array([self.legal(int(token)) for token in tokens], np.bool_)

    def accept(self, token: int) -> None:
        """Go on; the real one ends the process on an illegal token."""
        assert self.legal(token) and token != 0
        self.text += (token,)

    def clone(self) -> Grammar:
        """A copy."""
        return ToyGrammar(self.shortest, self.forced, self.text)

    def close(self) -> None:
        """Once only."""
        assert not self.closed
        self.closed = True
        type(self).open_copies -= 1
