"""Drafts of text that the grammar forces. They are verified like any other guess and never injected.

A grammar allows the same text in several tokenisations; writing the forced text directly would choose one of them in
the target's place. As a draft, a wrong tokenisation costs a few rows and changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lrc.speculative.protocols import DraftTree, Grammar
from lrc.speculative.tree import chain

_LONGEST_SPAN = 96
"""Bytes looked ahead."""
_CONFIDENCE = 0.9


class Forced:
    """Guesses the bytes that have no alternative."""

    name = "forced"
    seconds_a_token = 0.0

    def __init__(
        self,
        grammar: Grammar,
        bytes_to_tokens: Mapping[int, int],
        ends: frozenset[int],
        encode: Callable[[bytes], list[int]],
    ) -> None:
        """`grammar` is the one that the text's chooser advances: it is only copied here.

        `bytes_to_tokens` are the tokens of a single byte, `ends` the tokens that finish an answer.
        """
        self._grammar = grammar
        self._bytes = list(bytes_to_tokens)
        self._candidates = np.array([*bytes_to_tokens.values(), *sorted(ends)], np.int32)
        self._encode = encode

    def begin(self, prompt: Sequence[int]) -> None:
        """Nothing to prepare: the grammar knows its place."""

    def observe(self, tokens: Sequence[int]) -> None:
        """Nothing to learn: the grammar was advanced."""

    def close(self) -> None:
        """The grammar is the chooser's to close."""

    def propose(self, limit: int) -> DraftTree:
        """The forced bytes as tokens, less the last one, which might run on into text that is not forced."""
        span = self._span()
        if len(span) < 2:
            return ()
        tokens = self._encode(span)[:-1][:limit]
        return chain(tokens, self.name, [_CONFIDENCE] * len(tokens))

    def _span(self) -> bytes:
        """Walk on while exactly one byte is legal."""
        span = bytearray()
        state = self._grammar.clone()
        try:
            while len(span) < _LONGEST_SPAN:
                legal = np.flatnonzero(state.mask(self._candidates))
                if len(legal) != 1 or legal[0] >= len(self._bytes):
                    break
                span.append(self._bytes[legal[0]])
                state.accept(int(self._candidates[legal[0]]))
        finally:
            state.close()
        return bytes(span)
