"""Drafts copied from text seen before: the prompt, further texts, the answer so far, and earlier answers.

After SuffixDecoding (Oliaro et al. 2024): the longest suffix of the text that occurred before, and what followed it
there, weighted by frequency. Guessing costs microseconds, so a rejected guess costs only its rows.
"""

from collections.abc import Sequence

from lrc.speculative.automaton import SuffixAutomaton
from lrc.speculative.history import History
from lrc.speculative.protocols import DraftNode, DraftTree

_SHORTEST_MATCH = 2
_SIBLING_CONFIDENCE = 0.08
"""Below this, a second continuation is not worth a row on any machine."""


def _trust(matched: int) -> float:
    """How far a match of `matched` tokens is believed: 0.3 for two, 0.6 for four, 0.9 for nine. Corrected by use.

    Short matches happen by chance in any text (of three tokens in review comments, one in ten goes on alike), long ones
    only where something is copied (from five tokens on, 97 of 100 do): the odds rise with the square of the length, so
    that one curve serves both. Most lengths have a class of their own in `Acceptance`.
    """
    return matched**2 / (matched**2 + 10.0)


class Lookup:
    """Guesses by suffix match."""

    name = "lookup"
    seconds_a_token = 0.0

    def __init__(self, corpus: Sequence[Sequence[int]] = (), history: History | None = None, branches: int = 1) -> None:
        """`corpus` are further texts to copy from, `history` earlier answers.

        `branches` is how many continuations are followed where the first guess is unsure.
        """
        self._corpus = corpus
        self._history = history
        self._branches = branches
        self._separators = 0
        self._unread: list[int] = []
        self._text = SuffixAutomaton()
        self._place = (0, 0)

    def begin(self, prompt: Sequence[int]) -> None:
        """Remember the prompt; it is read when a guess is first asked for."""
        self._text = SuffixAutomaton()
        self._place = (0, 0)
        self._unread = []
        for document in self._corpus:
            self._unread.extend(document)
            self._separators -= 1
            # Ids below zero occur in no text: no match runs from one document into the next.
            self._unread.append(self._separators)
        self._unread.extend(prompt)

    def observe(self, tokens: Sequence[int]) -> None:
        """Remember the new tokens."""
        self._unread.extend(tokens)

    def close(self) -> None:
        """Forget the text."""
        self._text = SuffixAutomaton()
        self._unread = []

    def propose(self, limit: int) -> DraftTree:
        """The continuation of the longest match, in this text or in the history, whichever is longer."""
        self._read()
        state, matched = self._text.longest_repeat()
        automaton = self._text
        if self._history is not None and self._place[1] > matched:
            automaton, (state, matched) = self._history.automaton, self._place
        while matched >= _SHORTEST_MATCH and not automaton.continuations(state):
            state, matched = automaton.shorter(state)
        if matched < _SHORTEST_MATCH:
            return ()
        return self._grow(automaton, state, matched, limit)

    def _read(self) -> None:
        self._text.extend(self._unread)
        if self._history is not None:
            for token in self._unread:
                self._place = self._history.automaton.follow(*self._place, token)
        self._unread = []

    def _grow(self, automaton: SuffixAutomaton, state: int, matched: int, limit: int) -> DraftTree:
        """Follow the likeliest continuations from `state`; siblings come after the main branch's next node."""
        nodes: list[DraftNode] = []
        open_ends = [(-1, state, matched)]
        while open_ends and len(nodes) < limit:
            parent, state, matched = open_ends.pop(0)
            choices = automaton.continuations(state)[: self._branches]
            for rank, (token, after, share) in enumerate(choices):
                confidence = share * _trust(matched)
                if token < 0 or len(nodes) >= limit or (rank and confidence < _SIBLING_CONFIDENCE):
                    break
                nodes.append(DraftNode(parent, token, self.name, confidence))
                open_ends.append((len(nodes) - 1, after, matched + 1))
        return tuple(nodes)
