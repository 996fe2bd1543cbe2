"""The engine as others use it: open a pair of models, generate answers side by side, score given text."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lrc.speculative import loading, measure, scoring, snapshots
from lrc.speculative.cache import PrefixCache
from lrc.speculative.errors import EngineBusy, EngineError, PromptTooLong
from lrc.speculative.loading import Parts
from lrc.speculative.protocols import Grammar, Logits
from lrc.speculative.requests import Completion, EngineOptions, Request
from lrc.speculative.sampling import Chooser
from lrc.speculative.scheduler import Decoding
from lrc.speculative.stats import EngineStats, Tally
from lrc.speculative.streams import Job, Outcome

_DEFAULTS = EngineOptions()


class Engine:
    """A target model, perhaps a draft model, and their caches. Use it as a context manager, from one thread."""

    def __init__(self, parts: Parts, options: EngineOptions) -> None:
        """Take over loaded models; use `open`."""
        self._parts = parts
        self._options = options
        self._tally = Tally()
        self._closed = False
        self._grammars: dict[str, Grammar] = {}
        self._streams = options.max_sequences
        self._policy = parts.drafting.policy
        # One more than are decoded, so that scoring finds a place while answers are in work.
        self._cache = PrefixCache(parts.target, range(options.max_sequences + 1))

    @classmethod
    def open(cls, target: Path, draft: Path | None = None, options: EngineOptions = _DEFAULTS) -> Self:
        """Load the models.

        Raises `BindingMissing`, `ModelUnreadable`, `OutOfMemory`, `VocabularyMismatch`, `DrafterUnavailable`,
        `NoMemoryRemoval`, `ExactModeUnavailable`.
        """
        return cls(loading.load(target, draft, options), options)

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
        if not self._closed:
            self._closed = True
            for grammar in self._grammars.values():
                grammar.close()
            self._grammars.clear()
            if self._parts.drafting.history is not None:
                self._parts.drafting.history.save()
            self._parts.close()

    @property
    def n_ctx(self) -> int:
        """The longest prompt plus answer, in tokens."""
        return self._parts.target.n_ctx

    @property
    def stats(self) -> EngineStats:
        """All work so far."""
        return self._tally.stats()

    @property
    def begin_tokens(self) -> tuple[int, ...]:
        """What every prompt of this model has to begin with: its BOS token, or nothing."""
        return self._parts.vocabulary.begin_tokens

    @property
    def chat_template(self) -> str:
        """The chat template (Jinja) inside the target's file; empty when it has none."""
        return self._parts.vocabulary.meta("tokenizer.chat_template")

    def encode(self, text: str, special: bool) -> list[int]:
        """`text` as token ids, without BOS; with `special`, markers such as `<|im_start|>` become their single token.

        Text from a diff must be encoded with `special=False`, so that it cannot forge the markers.
        """
        return self._parts.vocabulary.encode(text, special)

    def piece(self, tokens: Sequence[int]) -> bytes:
        """The bytes of `tokens`, special ones spelt out: the inverse of `encode`."""
        return self._parts.vocabulary.decode(tokens)

    def describe(self) -> dict[str, Any]:
        """Plain data for JSON: models, their sizes and quantisation, the drafter, settings in force."""
        self._check_open()
        return self._parts.describe()

    def warm(self, prefix: Sequence[int], folder: Path) -> bool:
        """Have the beginning that later prompts share in the cache: from a snapshot in `folder`, else evaluated now.

        What is evaluated is written to `folder` for the next process. Returns whether it came from disk. Raises
        `PromptTooLong`, `EngineBusy`, `DecodeFailed`.
        """
        self._check_open()
        self._check_length(len(prefix) + 1)
        parts = self._parts
        return snapshots.warm(parts.target, self._cache, list(prefix), folder, parts.snapshot_key())

    def forget(self) -> None:
        """Empty the cache: the next prompts are evaluated whole. Raises `EngineBusy` while answers are in work."""
        self._check_open()
        if self._cache.idle < self._streams + 1:
            raise EngineBusy("answers are in work", "finish or drop them first")
        self._cache.renew()

    def measure_costs(self, repeats: int = 3, seconds: float = math.inf) -> dict[int, float]:
        """Seconds of one evaluation by number of rows: v(n) of this machine, model and settings, for `EngineOptions`.

        Of undivided evaluations, see `division`. Takes some seconds, or about `seconds` when that is less, for fewer
        numbers of rows. It is only true on a machine that does nothing else.
        """
        self._check_open()
        target = self._parts.target
        division, target.division = target.division, None
        sequence, _ = self._cache.take([], 0)
        try:
            return dict(measure.measure_costs(target, sequence, repeats=repeats, seconds=seconds))
        finally:
            self._cache.release(sequence, keep=False)
            target.division = division

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
        iterator, Ctrl-C and every error leave the engine usable. Raises `PromptTooLong` and `GrammarInvalid` before
        anything is evaluated, `DecodeFailed` and `GrammarStuck` while at work.
        """
        self._check_open()
        for request in requests:
            self._check_length(len(request.prompt) + 1)
            self._grammar(request)
        return self._completions(requests, deadline, on_tokens)

    def _completions(
        self,
        requests: Sequence[Request],
        deadline: float | None,
        on_tokens: Callable[[int, float], None] | None,
    ) -> Iterator[Completion]:
        parts = self._parts
        jobs = [self._job(request) for request in requests]
        decoding = Decoding(
            parts.target, self._cache, self._policy, self._tally, spare=parts.spare, streams=self._streams
        )
        parts.set_deadline(deadline)
        outcomes = decoding.outcomes(jobs, deadline, on_tokens)
        try:
            for outcome in outcomes:
                # The deadline belongs to this call: what the caller does between two answers is not under it.
                parts.set_deadline(None)
                yield self._completion(outcome)
                parts.set_deadline(deadline)
        finally:
            outcomes.close()
            parts.set_deadline(None)

    def _job(self, request: Request) -> Job:
        grammar = self._grammar(request)
        chooser = Chooser(request.sampling, grammar.clone() if grammar else None, self._parts.vocabulary.ends)
        return Job(list(request.prompt), request.max_tokens, chooser, self._parts.drafting.drafter(request, chooser))

    def _grammar(self, request: Request) -> Grammar | None:
        """The parsed grammar, to be cloned: requests mostly share one."""
        if request.grammar is None:
            return None
        if request.grammar not in self._grammars:
            self._grammars[request.grammar] = self._parts.parse_grammar(request.grammar)
        return self._grammars[request.grammar]

    def _completion(self, outcome: Outcome) -> Completion:
        tokens = outcome.tokens
        if tokens and tokens[-1] in self._parts.vocabulary.ends:
            tokens = tokens[:-1]
        if self._parts.drafting.history is not None:
            self._parts.drafting.history.add(tokens)
        text = self.piece(tokens).decode("utf-8", "replace")
        return Completion(outcome.index, tokens, text, outcome.finish, outcome.counts)

    def score(
        self, prompt: Sequence[int], positions: Sequence[int], *, keep: bool = True, deadline: float | None = None
    ) -> Iterator[tuple[int, Logits]]:
        """For each wanted position of `prompt`, in rising order, the logits that predict the token standing there.

        Position 0 has no prediction and is refused with ValueError, as are positions beyond the prompt's length (that
        length itself is allowed: the prediction of the token after the prompt). The prefix shared with earlier calls is
        taken from the cache; `keep` leaves this prompt there for later ones. Raises `PromptTooLong`, `DecodeAborted` at
        the deadline.
        """
        self._check_open()
        self._check_length(len(prompt))
        if any(not 0 < position <= len(prompt) for position in positions):
            raise ValueError("a wanted position lies outside the prompt")
        rows = scoring.score(self._parts.target, self._cache, self._tally, list(prompt), sorted(set(positions)), keep)
        return scoring.until(rows, deadline, self._parts.set_deadline)

    def _check_open(self) -> None:
        if self._closed:
            raise EngineError("the engine is closed", "open it again")

    def _check_length(self, length: int) -> None:
        if length > self.n_ctx:
            raise PromptTooLong(
                f"a prompt of {length} tokens does not fit into the context of {self.n_ctx}",
                "review less at once, or choose a larger context",
            )
