"""A suffix automaton over token ids that grows one token at a time. Pure.

It recognises every substring of what it has read (Blumer et al. 1985; online construction, amortised constant time a
token). Each state also counts how often its substrings occurred, so a continuation can be chosen by frequency.
"""

from collections.abc import Iterable

_LONGEST_COUNT_WALK = 48
"""Suffixes whose counts are updated per token; in very repetitive text there would be as many as there are tokens."""


class SuffixAutomaton:
    """Substrings of a growing text."""

    def __init__(self) -> None:
        """An empty text."""
        self._next: list[dict[int, int]] = [{}]
        self._link: list[int] = [-1]
        self._length: list[int] = [0]
        self._count: list[int] = [0]
        self._last = 0

    def __len__(self) -> int:
        """Number of states: at most twice the tokens read."""
        return len(self._next)

    def extend(self, tokens: Iterable[int]) -> None:
        """Read `tokens` at the end of the text."""
        for token in tokens:
            self._append(token)

    def _append(self, token: int) -> None:
        following, link, length, count = self._next, self._link, self._length, self._count
        state = len(following)
        following.append({})
        length.append(length[self._last] + 1)
        count.append(0)
        link.append(0)
        walk = self._last
        while walk >= 0 and token not in following[walk]:
            following[walk][token] = state
            walk = link[walk]
        if walk >= 0:
            reached = following[walk][token]
            if length[reached] == length[walk] + 1:
                link[state] = reached
            else:
                link[state] = link[reached] = self._split(walk, reached, token)
        self._last = state
        for _ in range(_LONGEST_COUNT_WALK):
            count[state] += 1
            state = link[state]
            if state <= 0:
                break

    def _split(self, walk: int, reached: int, token: int) -> int:
        """Part the short substrings of `reached`, which now also end here, from its long ones."""
        following, link, length = self._next, self._link, self._length
        clone = len(following)
        following.append(following[reached].copy())
        length.append(length[walk] + 1)
        link.append(link[reached])
        self._count.append(self._count[reached])
        while walk >= 0 and following[walk].get(token) == reached:
            following[walk][token] = clone
            walk = link[walk]
        return clone

    def longest_repeat(self) -> tuple[int, int]:
        """State and length of the longest suffix of the text that also occurred before its end; (0, 0) for none."""
        state = self._link[self._last]
        return (state, self._length[state]) if state > 0 else (0, 0)

    def follow(self, state: int, matched: int, token: int) -> tuple[int, int]:
        """State and length of the longest suffix of (matched text + token) that this text contains."""
        while state > 0 and token not in self._next[state]:
            state = self._link[state]
            matched = self._length[state]
        reached = self._next[state].get(token)
        return (reached, matched + 1) if reached is not None else (0, 0)

    def shorter(self, state: int) -> tuple[int, int]:
        """State and length of the longest suffix that occurred at more places."""
        state = max(self._link[state], 0)
        return state, self._length[state]

    def continuations(self, state: int) -> list[tuple[int, int, float]]:
        """Tokens seen after the substrings of `state`, as (token, state reached, share of the occurrences).

        The likeliest come first; of equally frequent ones the one read last, as near text is likelier repeated.
        """
        reached = self._next[state]
        if len(reached) == 1:
            ((token, after),) = reached.items()
            return [(token, after, 1.0)]
        total = sum(self._count[after] for after in reached.values()) or 1
        ranked = [(token, after, self._count[after] / total) for token, after in reversed(reached.items())]
        ranked.sort(key=lambda entry: -entry[2])
        return ranked
