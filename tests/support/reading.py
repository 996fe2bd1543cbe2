"""A stand-in for the target model: it has read one text and expects everything to go on as there."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

_TOKEN = re.compile(r" ?\w+|\s*\n|[ \t]+(?=\s)|[ \t]{2,}| ?[^\w\s]{1,2}")
SIZE = 512


class Reader:
    """Scores text by one reference text: the token that stands there after the same three tokens is expected.

    Words are tokens, numbered as they are first seen. Anything unknown is equally unlikely.
    """

    def __init__(self, reference: str, certainty: float = 9.0) -> None:
        self._ids: dict[str, int] = {}
        self._words: list[str] = []
        self._certainty = certainty
        self._next: dict[tuple[int, ...], int] = {}
        self.rows = 0
        """Rows scored so far."""
        known = self.encode(reference, False)
        for place in range(1, len(known)):
            for width in (3, 2, 1):
                self._next.setdefault(tuple(known[max(0, place - width) : place]), known[place])

    def encode(self, text: str, special: bool) -> list[int]:
        """Tokens that join to `text` again."""
        words, position = [], 0
        for match in _TOKEN.finditer(text):
            words += [*text[position : match.start()], match[0]]
            position = match.end()
        words += text[position:]
        for word in words:
            if word not in self._ids:
                self._ids[word] = len(self._words)
                self._words.append(word)
        return [self._ids[word] for word in words]

    def piece(self, tokens: Sequence[int]) -> bytes:
        """The bytes of tokens."""
        return "".join(self._words[token] for token in tokens).encode()

    def score(
        self, prompt: Sequence[int], positions: Sequence[int], *, keep: bool = True, deadline: float | None = None
    ) -> Iterator[tuple[int, "np.ndarray[tuple[int], np.dtype[np.float32]]"]]:
        """The logits that predict the token at each position."""
        for position in positions:
            self.rows += 1
            logits = np.zeros(SIZE, dtype=np.float32)
            for width in (3, 2, 1):
                expected = self._next.get(tuple(prompt[max(0, position - width) : position]))
                if expected is not None:
                    logits[expected] = self._certainty
                    break
            yield position, logits
