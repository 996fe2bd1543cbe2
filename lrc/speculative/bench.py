"""Compares ways of decoding on the same prompts, pair by pair, as plain data.

All contenders are loaded at once and take turns on each prompt, forwards and then backwards: what disturbs the machine
disturbs them alike, and the ratio of neighbours is worth more than the rate of either.
"""

import statistics
import time
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from lrc.speculative.engine import Engine
from lrc.speculative.requests import Request
from lrc.speculative.stats import EngineStats


@dataclass(frozen=True, slots=True)
class Run:
    """One contender on one group of requests."""

    seconds: float
    """From the first prompt token to the last answer."""
    decode_seconds: float
    """Of it, what went by after the prompts were evaluated."""
    tokens: int
    """Generated."""


class Contender(Protocol):
    """A way of decoding."""

    name: str

    def begin(self) -> None:
        """Forget the prompts seen, and count from here on."""

    def run(self, requests: Sequence[Request]) -> Run:
        """Answer `requests`."""

    def details(self) -> dict[str, Any]:
        """What else it can tell of the runs counted, as plain data."""


class EngineContender:
    """The engine under some options."""

    def __init__(self, name: str, engine: Engine) -> None:
        """`engine` stays the caller's."""
        self.name = name
        self._engine = engine
        self._before = EngineStats()

    def begin(self) -> None:
        """Empty the cache of prompts; see `Contender.begin`."""
        self._engine.forget()
        self._before = self._engine.stats

    def run(self, requests: Sequence[Request]) -> Run:
        """Answer `requests` side by side, as far as the engine's options allow."""
        before = self._engine.stats
        started = time.perf_counter()
        answered = sum(completion.counts.generated_tokens for completion in self._engine.generate(requests))
        seconds = time.perf_counter() - started
        return Run(seconds, _decoding(self._engine.stats.since(before)), answered)

    def details(self) -> dict[str, Any]:
        """Counts by drafter, and shares."""
        stats = self._engine.stats.since(self._before)
        spent = _decoding(stats)
        prompt = stats.prompt_tokens - stats.reused_tokens
        steps = sum(stats.answer_steps.values())
        return {
            "acceptance": stats.acceptance,
            "tokens_a_step": stats.generated_tokens / max(stats.target_steps, 1),
            "rows_a_step": sum(rows * count for rows, count in stats.answer_steps.items()) / max(steps, 1),
            "answer_steps": dict(stats.answer_steps),
            "answer_tokens": stats.answer_tokens,
            "drafting_share": stats.seconds_draft / spent if spent else 0.0,
            "prompt_rate": prompt / stats.seconds_prefill if stats.seconds_prefill else 0.0,
            "drafts": {name: asdict(counts) for name, counts in stats.drafts.items()},
        }


def _decoding(stats: EngineStats) -> float:
    return stats.seconds_decode + stats.seconds_draft + stats.seconds_choose


@dataclass(frozen=True, slots=True)
class Result:
    """What a contender did over all groups."""

    name: str
    """Of the contender."""
    rate: float
    """Generated tokens a second, prompts left out."""
    ratio: float
    """Median over the groups of the rate against the baseline's on the same group."""
    worst: float
    """The smallest of those ratios."""
    whole: float | None = None
    """Median of the baseline's whole time, prompts included, over this contender's, for as many tokens; None where
    prompts were still in the cache."""
    details: dict[str, Any] = field(default_factory=dict)
    """What else it told."""


def compare(
    contenders: Sequence[Contender],
    groups: Sequence[Sequence[Request]],
    repeats: int = 2,
    *,
    warm_up: Sequence[Request] = (),
    fresh: bool = False,
) -> Generator[str, None, list[Result]]:
    """Run all contenders over all groups of requests; yields a line of progress each, returns the `Result`s.

    The first contender is the baseline. Each group is run `repeats` times, in alternating order, after `warm_up`, which
    is thrown away. With `fresh`, no run finds the prompts of an earlier one in its cache, so that the whole time means
    something. Use `results = yield from compare(...)`.
    """
    runs: dict[str, list[list[Run]]] = {contender.name: [[] for _ in groups] for contender in contenders}
    told: dict[str, dict[str, Any]] = {}
    for contender in contenders:
        if warm_up:
            contender.run(warm_up)
        contender.begin()
    for place, group in enumerate(groups):
        for repeat in range(repeats):
            for contender in contenders if repeat % 2 == 0 else contenders[::-1]:
                if fresh:
                    contender.begin()
                run = contender.run(group)
                runs[contender.name][place].append(run)
                yield f"{contender.name}: {place + 1} of {len(groups)}, {_speed(run):.1f} tokens/s"
    for contender in contenders:
        told[contender.name] = contender.details()
    baseline = runs[contenders[0].name]
    return [_result(name, every, baseline, told[name], fresh) for name, every in runs.items()]


def _speed(run: Run) -> float:
    return run.tokens / max(run.decode_seconds, 1e-9)


def _result(
    name: str, runs: Sequence[Sequence[Run]], baseline: Sequence[Sequence[Run]], told: dict[str, Any], fresh: bool
) -> Result:
    """The best of several runs counts: noise only ever slows a run down."""
    pairs = list(zip(runs, baseline, strict=True))
    ratios = [max(map(_speed, own)) / max(map(_speed, other)) for own, other in pairs]
    # Per token: outside exact mode the texts, and so their lengths, may differ.
    wholes = [min(map(_each, other)) / min(map(_each, own)) for own, other in pairs]
    every = [run for group in runs for run in group]
    rate = sum(run.tokens for run in every) / max(sum(run.decode_seconds for run in every), 1e-9)
    return Result(
        name, rate, statistics.median(ratios), min(ratios), statistics.median(wholes) if fresh else None, told
    )


def _each(run: Run) -> float:
    """Seconds of a token, its share of the prompts included."""
    return run.seconds / max(run.tokens, 1)
