"""The seams of the engine: a model that evaluates rows, and something that guesses what the model will say next.

A *sequence* is one line of text in the model's key-value cache, named by a small integer. A *row* is one token at one
position, evaluated in one batch with others. A *draft* is a tree of guessed tokens below the last known one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float32]
"""Unnormalised log-probabilities over the vocabulary, one row a position."""

Law = NDArray[np.float64]
"""A probability for each token of the vocabulary."""


@dataclass(frozen=True, slots=True)
class Row:
    """One token to evaluate."""

    sequences: tuple[int, ...]
    """The sequences that it belongs to: more than one where branches of a draft share their beginning."""
    position: int
    """0-based place in each of those sequences."""
    token: int
    wants_logits: bool = False
    """Whether the prediction of the token after it is needed; leaving it out saves the output layer's work."""


class Target(Protocol):
    """A language model with a key-value cache of several sequences.

    A draft model is another `Target`. All methods leave the cache as it was when they raise.
    """

    @property
    def n_vocab(self) -> int:
        """Number of token ids."""

    @property
    def n_ctx(self) -> int:
        """Cells of the cache, shared by all sequences; also the longest sequence."""

    @property
    def n_sequences(self) -> int:
        """How many sequences it holds; their ids are 0 to this less one."""

    @property
    def n_rows(self) -> int:
        """The most rows in one `evaluate`."""

    @property
    def n_outputs(self) -> int:
        """The most rows with `wants_logits` in one `evaluate`."""

    def evaluate(self, rows: Sequence[Row]) -> Logits:
        """Evaluate `rows` in one batch and return the logits of those that want them, in order.

        The array is only valid until the next call. Raises `NoCacheSlot`, `ContextFull`, `DecodeAborted`,
        `DecodeFailed`.
        """

    def fork(self, source: int, destination: int, start: int, end: int) -> None:
        """Let `destination` share the cells of `source` at positions `start` to `end` (exclusive), new to it."""

    def rewind(self, sequence: int, length: int) -> None:
        """Forget everything of `sequence` from position `length` on. Raises `NoMemoryRemoval`."""

    def length(self, sequence: int) -> int:
        """How many tokens `sequence` holds."""

    def snapshot(self, sequence: int) -> bytes:
        """The cache of `sequence` as bytes, for `restore`; the same build, model and settings are needed to read it."""

    def restore(self, sequence: int, state: bytes) -> None:
        """Replace `sequence` by a snapshot. Raises `DecodeFailed` when the bytes do not fit this model."""

    def free(self, sequence: int) -> None:
        """Forget all of `sequence`."""


@dataclass(frozen=True, slots=True)
class DraftNode:
    """One guessed token."""

    parent: int
    """Index of the node before it in the tree; -1 right after the last known token."""
    token: int
    source: str
    """Name of the drafter that guessed it; the counts are kept by it."""
    confidence: float = 0.5
    """The drafter's own estimate, 0 to 1, that the target agrees, given that it agreed with the parent."""
    law: Law | None = None
    """The distribution that the token was drawn from, for drafters that draw; None for those that decide."""


DraftTree = tuple[DraftNode, ...]
"""Parents before their children; a chain is the tree with one branch, the empty tree is no guess."""


class Drafter(Protocol):
    """Guesses the continuation of one text. What it guesses never changes the output, only its price."""

    @property
    def name(self) -> str:
        """Short name for the counts."""

    @property
    def seconds_a_token(self) -> float:
        """What one drafted token costs in wall time; 0 where it costs next to nothing."""

    def begin(self, prompt: Sequence[int]) -> None:
        """Start a new text. Nothing costly may happen here: many texts are never drafted for."""

    def propose(self, limit: int) -> DraftTree:
        """Guess at most `limit` tokens that follow the text so far."""

    def observe(self, tokens: Sequence[int]) -> None:
        """The text grew by `tokens`, whether guessed or not."""

    def close(self) -> None:
        """The text is finished; give back what was held for it."""


class Grammar(Protocol):
    """The set of texts that an answer may be, as seen after the tokens accepted so far."""

    def legal(self, token: int) -> bool:
        """Whether `token` may come next."""

    def mask(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each of `tokens` whether it may come next."""

    def accept(self, token: int) -> None:
        """The answer goes on with `token`, which must be legal."""

    def clone(self) -> "Grammar":
        """An independent copy, to look ahead with."""

    def close(self) -> None:
        """Give back what the native library holds."""
