"""What the model said earlier, to guess from: token ids in one small file, which never leaves the machine.

Reviews repeat themselves: the skeleton of an answer, the phrases for one kind of fault. A capped memory of them makes
lookup drafting work from the first token of an answer on.
"""

import contextlib
import json
import os
import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path

from lrc.speculative.automaton import SuffixAutomaton

MOST_TOKENS = 8192
"""Tokens remembered; reading them takes some tens of milliseconds, once an engine guesses for the first time."""
_LARGEST_FILE = 8 * MOST_TOKENS
_END = -1


class History:
    """Earlier answers of one tokenizer. A missing, damaged or foreign file is an empty history, never an error."""

    def __init__(self, path: Path, tokenizer: str) -> None:
        """Remember in `path`; `tokenizer` identifies the vocabulary that the ids belong to."""
        self._path = path
        self._tokenizer = tokenizer
        self._ids = self._load()
        self._known = len(self._ids)
        self._automaton: SuffixAutomaton | None = None

    def __len__(self) -> int:
        """Tokens remembered, separators included."""
        return len(self._ids)

    @property
    def automaton(self) -> SuffixAutomaton:
        """All remembered texts, to be read and followed only; built when first asked for."""
        if self._automaton is None:
            self._automaton = SuffixAutomaton()
            self._automaton.extend(self._ids)
        return self._automaton

    def add(self, tokens: Sequence[int]) -> None:
        """Remember one answer."""
        if not tokens:
            return
        text = [*tokens[:MOST_TOKENS], _END]
        self._ids.extend(text)
        if self._automaton is not None:
            self._automaton.extend(text)

    def save(self) -> None:
        """Write what was added, the newest `MOST_TOKENS` of it, aside and then in place; readable by the user alone.

        Failing to write loses speed at most, so it is not an error.
        """
        if len(self._ids) == self._known:
            return
        header = json.dumps({"version": 1, "tokenizer": self._tokenizer}).encode() + b"\n"
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, aside = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(header + array("i", self._ids[-MOST_TOKENS:]).tobytes())
                Path(aside).replace(self._path)
            except OSError:
                Path(aside).unlink(missing_ok=True)
                raise
            self._known = len(self._ids)

    def _load(self) -> list[int]:
        try:
            with self._path.open("rb") as file:
                header, _, body = file.read(_LARGEST_FILE).partition(b"\n")
            if json.loads(header) != {"version": 1, "tokenizer": self._tokenizer}:
                return []
            ids = array("i")
            ids.frombytes(body[: len(body) - len(body) % ids.itemsize])
        except (OSError, ValueError):
            return []
        return [token for token in ids[-MOST_TOKENS:] if token >= _END]
