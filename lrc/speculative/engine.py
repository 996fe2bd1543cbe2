"""The engine as others use it: open a pair of models, generate answers side by side, score given text."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lrc.speculative.protocols import Logits
from lrc.speculative.requests import Completion, EngineOptions, Request
from lrc.speculative.stats import EngineStats


_DEFAULTS = EngineOptions()


class Engine:
    """A target model, perhaps a draft model, and their caches. Use it as a context manager, from one thread."""

    @classmethod
    def open(cls, target: Path, draft: Path | None = None, options: EngineOptions = _DEFAULTS) -> Self:
        """Load the models.

        Raises `BindingMissing`, `ModelUnreadable`, `OutOfMemory`, `VocabularyMismatch`, `DrafterUnavailable`,
        `NoMemoryRemoval`, `ExactModeUnavailable`.
        """
        raise NotImplementedError

    def __enter__(self) -> Self:
        """The engine itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Give all memory back. Calling it twice is harmless."""
        raise NotImplementedError

    @property
    def n_ctx(self) -> int:
        """The longest prompt plus answer, in tokens."""
        raise NotImplementedError

    @property
    def stats(self) -> EngineStats:
        """All work so far."""
        raise NotImplementedError

    @property
    def begin_tokens(self) -> tuple[int, ...]:
        """What every prompt of this model has to begin with: its BOS token, or nothing."""
        raise NotImplementedError

    def encode(self, text: str, special: bool) -> list[int]:
        """`text` as token ids, without BOS; with `special`, markers such as `<|im_start|>` become their single token.

        Text from a diff must be encoded with `special=False`, so that it cannot forge the markers.
        """
        raise NotImplementedError

    def piece(self, tokens: Sequence[int]) -> bytes:
        """The bytes of `tokens`, special ones spelt out: the inverse of `encode`."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Plain data for JSON: models, their sizes and quantisation, the drafter and why, settings in force."""
        raise NotImplementedError

    def generate(
        self,
        requests: Sequence[Request],
        *,
        deadline: float | None = None,
        on_tokens: Callable[[int, float], None] | None = None,
    ) -> Iterator[Completion]:
        """Decode `requests` side by side and yield each answer as it ends; requests beyond `max_sequences` wait.

        `deadline` is a `time.monotonic()` time: what is unfinished then is yielded with `Finish.DEADLINE`. `on_tokens`
        is told, after each step, the tokens generated so far in this call and the rate in tokens a second. Dropping the
        iterator, Ctrl-C and every error leave the engine usable. Raises `PromptTooLong` before anything is evaluated,
        `GrammarInvalid`, `DecodeFailed`.
        """
        raise NotImplementedError

    def score(
        self, prompt: Sequence[int], positions: Sequence[int], *, keep: bool = True, deadline: float | None = None
    ) -> Iterator[tuple[int, Logits]]:
        """For each wanted position of `prompt`, in rising order, the logits that predict the token standing there.

        Position 0 has no prediction and is refused with ValueError, as are positions beyond the prompt's length (that
        length itself is allowed: the prediction of the token after the prompt). The prefix shared with earlier calls is
        taken from the cache; `keep` leaves this prompt there for later ones. Raises `PromptTooLong`, `DecodeAborted` at
        the deadline.
        """
        raise NotImplementedError
