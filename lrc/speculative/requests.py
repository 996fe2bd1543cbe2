"""The values that go into the engine and come out of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lrc.speculative.sampling import GREEDY, Sampling
from lrc.speculative.stats import Counts

_MOST_SEQUENCES = 200
"""The native library knows 256; some are set aside for scoring and for branches."""


class DrafterKind(StrEnum):
    """Who guesses."""

    NONE = "none"
    """Nobody: plain decoding."""
    LOOKUP = "lookup"
    """Text seen before (prompt, extra texts of the request, answer so far, history) and forced spans."""
    DRAFT = "draft"
    """The draft model."""
    SELF = "self"
    """The target with blocks left out."""
    MTP = "mtp"
    """The target's own heads for several tokens."""
    TREE = "tree"
    """Lookup and draft model with several branches."""
    AUTO = "auto"
    """Whatever is expected to pay on this machine, plain decoding included."""


class Finish(StrEnum):
    """Why an answer ended."""

    STOP = "stop"
    """The model ended it."""
    LENGTH = "length"
    """It reached the request's `max_tokens`."""
    CONTEXT = "context"
    """The context window or the cache is full."""
    DEADLINE = "deadline"
    """Time was up; the answer may be empty."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the models are run."""

    n_ctx: int = 8192
    """Cells of the cache, shared by all sequences, and so the longest prompt plus answer."""
    threads: int = 0
    """Threads for every evaluation; 0 takes what this machine has."""
    max_sequences: int = 16
    """Answers decoded side by side; further requests wait."""
    drafter: DrafterKind = DrafterKind.AUTO
    """Who guesses."""
    exact: bool = False
    """Byte-identical output whatever the drafter and whatever is decoded beside it, at some cost in speed."""
    verbose: bool = False
    """Let the native library write its log to the standard error stream."""
    repack: bool = False
    """Load weights rearranged for single rows: faster decoding, slower prompts."""
    flash_attention: bool = True
    """Use the fused attention kernel."""
    micro_batch: int = 512
    """Rows that the native library evaluates at once."""
    gpu_layers: int = 0
    """Blocks to place on a GPU, where the native library has one."""
    draft_length: int = 0
    """Guess always up to so many tokens; 0 leaves it to the kind of drafter, which may decide step by step."""
    draft_sampling: bool = False
    """At a temperature above 0, draw the draft model's guesses and use the rejection rule. The law of the output
    stays the same, but a seed no longer gives the same text as plain decoding."""
    costs: Mapping[int, float] | None = None
    """Seconds of one evaluation by number of rows, measured earlier on this machine; None learns them while running."""
    history: Path | None = None
    """A folder that remembers the ids of earlier answers, to guess from; None remembers nothing."""

    def __post_init__(self) -> None:
        """Raise ValueError for options that mean nothing."""
        if self.n_ctx < 8 or not 0 < self.max_sequences <= _MOST_SEQUENCES or self.micro_batch < 1:
            raise ValueError(f"meaningless engine options: {self}")


@dataclass(frozen=True, slots=True)
class Request:
    """One answer to generate."""

    prompt: tuple[int, ...]
    """Token ids, special ones included."""
    max_tokens: int
    """The longest answer."""
    grammar: str | None = None
    """GBNF with the rule `root`; the answer is a text of it (a beginning of one, when cut at `max_tokens`)."""
    sampling: Sampling = GREEDY
    """How tokens are drawn."""
    corpus: tuple[tuple[int, ...], ...] = ()
    """Further texts that the answer may quote; used for guessing only."""

    def __post_init__(self) -> None:
        """Raise ValueError for a request that cannot have an answer."""
        if not self.prompt or self.max_tokens < 1:
            raise ValueError("a request needs a prompt and room for an answer")


@dataclass(frozen=True, slots=True)
class Completion:
    """One generated answer."""

    index: int
    """Place of its request in the sequence given."""
    tokens: tuple[int, ...]
    """Without the ending token."""
    text: str
    """The tokens as text; bytes that are no UTF-8 replaced."""
    finish: Finish
    """Why it ended."""
    counts: Counts
    """The work behind it."""
