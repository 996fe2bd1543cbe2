"""Finds the settings that suit a machine and a model, by trying them, and remembers them.

Which weights layout, how many threads, which kernel and which batch are best differs from machine to machine by more
than any speculation gains, and cannot be told from a data sheet.
"""

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lrc.speculative.cost import completed
from lrc.speculative.loading import threads_of_machine
from lrc.speculative.requests import EngineOptions

PROMPT_TOKENS = 300
"""Of a typical review request."""
ANSWER_TOKENS = 40
"""Of a typical answer."""
_NOISE = 0.02
"""A setting that is better by less than this is not known to be better."""
_DISTURBED = 0.8
"""Share of the processor below which v(n) is not worth measuring: reviews then learn it while running."""
_VERSION = 3


@dataclass(frozen=True, slots=True)
class Trial:
    """What one setting was measured to do."""

    prompt_rate: float
    """Prompt tokens a second."""
    step_seconds: float
    """Of one row."""
    hand_over_seconds: float = 0.0
    """To move a prompt's cache from one context to another."""
    processor_share: float = 1.0
    """How much of the threads' time the processor really gave; clearly below 1 when other programs were busy."""

    @property
    def review_seconds(self) -> float:
        """Of a typical request alone; what is made small."""
        return PROMPT_TOKENS / self.prompt_rate + ANSWER_TOKENS * self.step_seconds


_TRIAL = tuple(one.name for one in fields(Trial))


def two_contexts(trials: Sequence[Trial]) -> float:
    """How many times as fast as the best single context one for prompts and one for answers would be, each its best.

    They would hold the weights twice where the two are laid out differently, so a small gain is none.
    """
    single = min(trial.review_seconds for trial in trials)
    prompt = PROMPT_TOKENS / max(trial.prompt_rate for trial in trials)
    answer = ANSWER_TOKENS * min(trial.step_seconds for trial in trials)
    return single / (prompt + answer + max(trial.hand_over_seconds for trial in trials))


@dataclass(frozen=True, slots=True)
class Tuning:
    """The best settings found, and v(n) under them."""

    repack: bool
    """See `EngineOptions.repack`."""
    threads: int
    """See `EngineOptions.threads`."""
    flash_attention: bool
    """See `EngineOptions.flash_attention`."""
    micro_batch: int
    """See `EngineOptions.micro_batch`."""
    gpu_layers: int
    """See `EngineOptions.gpu_layers`."""
    trial: Trial
    """What they were measured to do."""
    costs: Mapping[int, float] = field(default_factory=dict)
    """Seconds of an evaluation by its number of rows; empty when the machine was too busy to tell."""
    two_contexts: float = 1.0
    """See the function `two_contexts`. Told and not acted upon: what is left to gain is small beside the memory."""

    def apply(self, options: EngineOptions) -> EngineOptions:
        """`options` with these settings; threads asked for by the user stay."""
        threads = options.threads or self.threads
        return replace(
            options,
            repack=self.repack,
            threads=threads,
            flash_attention=self.flash_attention,
            micro_batch=self.micro_batch,
            gpu_layers=self.gpu_layers,
            # Measured with these threads and kernels only: exact mode and other threads have another v(n).
            costs=dict(self.costs) if self.costs and not options.exact and threads == self.threads else None,
        )


Measure = Callable[[EngineOptions], Trial]


def tune(
    options: EngineOptions,
    measure: Measure,
    costs: Callable[[EngineOptions], Mapping[int, float]],
    *,
    processors: int,
    gpu: bool = False,
    seconds: float = 18.0,
    on_trial: Callable[[EngineOptions, Trial], None] | None = None,
) -> Tuning:
    """Try settings one after the other, keeping each that is better than the best so far, for about `seconds`.

    No trial is begun that would end later if it took as long as those before it. Measuring the costs afterwards takes
    its own time. `measure` and `costs` load and time; they come from `llama_trials`, or from a test. Settings that fail
    to load count as infinitely slow, unless the first one does: its error rises.
    """
    started = time.monotonic()
    best = replace(options, threads=options.threads or processors)
    found = measure(best)
    trials = [found]
    if on_trial is not None:
        on_trial(best, found)
    tries, spent = 1, time.monotonic() - started
    for change in _changes(best, processors, gpu):
        if spent + spent / tries > seconds:
            break
        candidate = replace(best, **change)
        if candidate == best:
            continue
        with contextlib.suppress(Exception):
            tried = measure(candidate)
            trials.append(tried)
            if on_trial is not None:
                on_trial(candidate, tried)
            if tried.review_seconds < found.review_seconds * (1 - _NOISE):
                best, found = candidate, tried
        tries, spent = tries + 1, time.monotonic() - started
    return Tuning(
        best.repack,
        best.threads,
        best.flash_attention,
        best.micro_batch,
        best.gpu_layers,
        found,
        {} if found.processor_share < _DISTURBED else completed(costs(best)),
        two_contexts(trials),
    )


def _changes(first: EngineOptions, processors: int, gpu: bool) -> Iterator[dict[str, Any]]:
    """Single changes, the one that matters most first."""
    if gpu:
        yield {"gpu_layers": 999}
    yield {"repack": not first.repack}
    for threads in sorted({processors // 2, processors - 1, processors} - {0, first.threads}):
        yield {"threads": threads}
    yield {"flash_attention": not first.flash_attention}
    for rows in (128, 256):
        yield {"micro_batch": rows}


def identity(model: str, library: str) -> str:
    """Of machine, model and library: when it changes, what was measured is void.

    `model` is the target's hash, `library` what `library_identity` says.
    """
    parts = [platform.machine(), _processor(), str(threads_of_machine()), model, library]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def library_identity() -> str:
    """The native library's version and files, without loading it: a build with other kernels is another library."""
    found = importlib.util.find_spec("llama_cpp")
    if found is None or found.origin is None:
        return ""
    files = (Path(found.origin).parent / "lib").glob("*")
    sizes = [f"{path.name} {path.stat().st_size}" for path in sorted(files) if path.is_file()]
    return "\n".join([importlib.metadata.version("llama-cpp-python"), *sizes])


def _processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    with contextlib.suppress(OSError):
        for line in cpuinfo.read_text("utf-8", "replace").splitlines():
            if line.startswith(("model name", "CPU part")):
                return line.partition(":")[2].strip()
    return platform.processor()


def remember(path: Path, key: str, tuning: Tuning) -> None:
    """Write `tuning` for `key` beside others, aside and then in place. Raises OSError."""
    known = _read(path)
    known[key] = {
        "repack": tuning.repack,
        "threads": tuning.threads,
        "flash_attention": tuning.flash_attention,
        "micro_batch": tuning.micro_batch,
        "gpu_layers": tuning.gpu_layers,
        **asdict(tuning.trial),
        "two_contexts": tuning.two_contexts,
        "costs": {str(rows): seconds for rows, seconds in tuning.costs.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.write_text(json.dumps({"version": _VERSION, "tunings": known}, indent=1), "utf-8")
    aside.replace(path)


def recall(path: Path, key: str) -> Tuning | None:
    """The tuning for `key`; None when there is none, or the file is damaged."""
    try:
        entry = _read(path)[key]
        return Tuning(
            bool(entry["repack"]),
            int(entry["threads"]),
            bool(entry["flash_attention"]),
            int(entry["micro_batch"]),
            int(entry["gpu_layers"]),
            Trial(*(float(entry[name]) for name in _TRIAL)),
            {int(rows): float(seconds) for rows, seconds in entry["costs"].items()},
            float(entry["two_contexts"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _read(path: Path) -> dict[str, Any]:
    """All remembered tunings; empty when the file is missing, damaged or of another version."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("version") != _VERSION:
        return {}
    known = content.get("tunings")
    return known if isinstance(known, dict) else {}
