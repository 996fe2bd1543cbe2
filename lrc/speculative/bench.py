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
    """Of it, without the evaluation of prompts; equal to `seconds` where the contender does not tell."""
    tokens: int
    """Generated."""


class Contender(Protocol):
    """A way of decoding."""

    name: str

    def run(self, requests: Sequence[Request]) -> Run:
        """Answer `requests`."""

    def details(self) -> dict[str, Any]:
        """What else it can tell, as plain data."""


class EngineContender:
    """The engine under some options."""

    def __init__(self, name: str, engine: Engine) -> None:
        """`engine` stays the caller's."""
        self.name = name
        self._engine = engine

    def run(self, requests: Sequence[Request]) -> Run:
        """Answer `requests` side by side, as far as the engine's options allow."""
        before = self._engine.stats
        started = time.perf_counter()
        answered = sum(completion.counts.generated_tokens for completion in self._engine.generate(requests))
        seconds = time.perf_counter() - started
        return Run(seconds, _decoding(self._engine.stats) - _decoding(before), answered)

    def details(self) -> dict[str, Any]:
        """Counts by drafter, and shares."""
        stats = self._engine.stats
        spent = _decoding(stats)
        prompt = stats.prompt_tokens - stats.reused_tokens
        drafted = sum(sum(counts.drafted) for counts in stats.drafts.values())
        return {
            "acceptance": stats.acceptance,
            "rows_a_step": 1 + drafted / max(stats.target_steps, 1),
            "tokens_a_step": stats.generated_tokens / max(stats.target_steps, 1),
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
    total_ratio: float
    """Median of the baseline's whole time, prompts included, over this contender's."""
    details: dict[str, Any] = field(default_factory=dict)
    """What else it told."""


def compare(
    contenders: Sequence[Contender], groups: Sequence[Sequence[Request]], repeats: int = 2
) -> Generator[str, None, list[Result]]:
    """Run all contenders over all groups of requests; yields a line of progress each, returns the `Result`s.

    The first contender is the baseline. Each group is run `repeats` times, in alternating order; the first run of each
    contender, which fills caches, is thrown away. Use `results = yield from compare(...)`, or `run_all`.
    """
    runs: dict[str, list[list[Run]]] = {contender.name: [[] for _ in groups] for contender in contenders}
    for contender in contenders:
        contender.run(groups[0])
    for repeat in range(repeats):
        order = contenders if repeat % 2 == 0 else contenders[::-1]
        for place, group in enumerate(groups):
            for contender in order:
                run = contender.run(group)
                runs[contender.name][place].append(run)
                yield f"{contender.name}: prompt {place + 1} of {len(groups)}, {run.tokens / run.seconds:.1f} tokens/s"
    return [_result(contender, runs[contender.name], runs[contenders[0].name]) for contender in contenders]


def _result(contender: Contender, runs: Sequence[Sequence[Run]], baseline: Sequence[Sequence[Run]]) -> Result:
    ratios: list[float] = []
    totals: list[float] = []
    for own, other in zip(runs, baseline, strict=True):
        ratios.append(_rate(own) / _rate(other))
        # Per token: outside exact mode the texts, and so their lengths, may differ.
        totals.append(_total(other) / _total(own))
    every = [run for group in runs for run in group]
    rate = sum(run.tokens for run in every) / max(sum(run.decode_seconds for run in every), 1e-9)
    return Result(
        contender.name, rate, statistics.median(ratios), min(ratios), statistics.median(totals), contender.details()
    )


def _rate(runs: Sequence[Run]) -> float:
    """The best rate: noise only ever slows a run down."""
    return max(run.tokens / max(run.decode_seconds, 1e-9) for run in runs)


def _total(runs: Sequence[Run]) -> float:
    return min(run.seconds / max(run.tokens, 1) for run in runs)


def run_all(steps: Generator[str, None, list[Result]]) -> list[Result]:
    """The results of `compare`, its progress ignored."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return list(end.value)


def table(results: Sequence[Result], costs: dict[int, float]) -> str:
    """The results as text of fixed columns, and v(n) below."""
    head = f"{'':24}{'tokens/s':>9}{'ratio':>7}{'worst':>7}{'whole':>7}{'accepted':>10}{'per step':>10}{'drafting':>10}"
    lines = [head]
    for result in results:
        told = result.details
        line = f"{result.name:24}{result.rate:9.1f}{result.ratio:7.2f}{result.worst:7.2f}{result.total_ratio:7.2f}"
        if "acceptance" in told:
            line += f"{told['acceptance']:10.0%}{told['tokens_a_step']:10.2f}{told['drafting_share']:10.1%}"
        lines.append(line)
    if costs:
        one = costs[1]
        lines.append("v(n): " + ", ".join(f"{rows}: {seconds / one:.2f}" for rows, seconds in costs.items()))
    return "\n".join(lines)
