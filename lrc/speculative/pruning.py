"""Makes the draft of self-speculation: tries on real answers which blocks of a target can be left out."""

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lrc.speculative.cost import CostModel, speedups
from lrc.speculative.engine import Engine
from lrc.speculative.errors import EngineError
from lrc.speculative.prune import candidates, search
from lrc.speculative.requests import DrafterKind, EngineOptions, Request

SHARES = (7, 4, 3, 2)
"""Of the blocks, one in so many is left out: the numbers of blocks that are compared."""
_TRIALS = "trial-"
"""How the folders begin that copies are tried in."""
_ROOM = 1.2
"""Free disk space wanted, in sizes of the target: one copy lies there while it is tried."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the target said to a real prompt; the copies are measured by how often they would say the same."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pruned:
    """One set of blocks, tried."""

    dropped: tuple[int, ...]
    """Blocks left out."""
    acceptance: float
    """Share of the target's tokens that the copy guesses, each after the right text."""
    share: float
    """Size in sizes of the target: about the price of a guess in single rows."""
    speedup: float
    """Expected times plain decoding; below 1 when no draft length pays on this machine."""


def samples(engine: Engine, requests: Sequence[Request]) -> list[Sample]:
    """What the model of `engine` answers; requests without an answer are left out."""
    answers = sorted(engine.generate(requests), key=lambda completion: completion.index)
    return [Sample(requests[answer.index].prompt, answer.tokens) for answer in answers if answer.tokens]


def acceptance(model: Path, known: Sequence[Sample], options: EngineOptions) -> float:
    """The share of the samples' tokens that `model` would guess. Raises what loading raises."""
    plain = replace(options, drafter=DrafterKind.NONE, history=None, costs=None, exact=False)
    hits = total = 0
    with Engine.open(model, None, plain) as engine:
        for sample in known:
            text = (*sample.prompt, *sample.answer)
            for position, logits in engine.score(text, range(len(sample.prompt), len(text))):
                total += 1
                hits += int(logits.argmax()) == text[position]
    return hits / total if total else 0.0


def make_pruned(
    target: Path,
    destination: Path,
    ask: Callable[[], Sequence[Sample]],
    options: EngineOptions,
    *,
    blocks: int,
    costs: Mapping[int, float] | None = None,
    seconds: float = 180.0,
    on_trial: Callable[[Pruned], None] | None = None,
) -> Pruned:
    """Write the copy of `target` that drafts best for it to `destination`, after trying sets for about `seconds`.

    How many blocks go is decided first, by evenly spread sets; then single blocks are moved while there is time. At
    least one set is tried. `ask` gives what the target says, once it is known that a copy can be made. Raises
    `EngineError` when the model is too small or the disk too full, and what loading and writing raise.
    """
    counts = sorted({blocks // part for part in SHARES if 0 < blocks // part <= len(candidates(blocks))})
    if not counts:
        raise EngineError(f"{target.name} has too few blocks to leave any out ({blocks})", "use another drafter")
    destination.parent.mkdir(parents=True, exist_ok=True)
    for left in destination.parent.glob(f"{_TRIALS}*"):  # of a run that was killed: as large as a model
        shutil.rmtree(left, ignore_errors=True)
    _require_room(target, destination.parent)
    known = ask()
    deadline = time.monotonic() + seconds
    tried: dict[tuple[int, ...], Pruned] = {}
    with tempfile.TemporaryDirectory(dir=destination.parent, prefix=_TRIALS) as folder:

        def value(dropped: Sequence[int]) -> float:
            key = tuple(dropped)
            if key not in tried:
                if tried and time.monotonic() > deadline:
                    return 0.0
                copy = Path(folder) / "copy.gguf"
                tried[key] = _try(target, copy, key, known, options, CostModel(costs))
                if on_trial is not None:
                    on_trial(tried[key])
            return tried[key].speedup

        firsts = {count: search(blocks, count, value, trials=1)[1] for count in counts}
        search(blocks, max(firsts, key=lambda count: firsts[count]), value)
    best = max(tried.values(), key=lambda pruned: pruned.speedup)
    _write(target, destination, best.dropped)
    return best


def _try(
    target: Path,
    copy: Path,
    dropped: tuple[int, ...],
    known: Sequence[Sample],
    options: EngineOptions,
    costs: CostModel,
) -> Pruned:
    _write(target, copy, dropped)
    share = copy.stat().st_size / target.stat().st_size
    accepted = acceptance(copy, known, options)
    return Pruned(dropped, accepted, share, max(speedups(costs, accepted, share)))


def _write(target: Path, destination: Path, dropped: Sequence[int]) -> None:
    from lrc.speculative.llama_files import write_pruned

    write_pruned(target, destination, dropped)


def _require_room(target: Path, folder: Path) -> None:
    wanted, free = int(_ROOM * target.stat().st_size), shutil.disk_usage(folder).free
    if free < wanted:
        raise EngineError(
            f"not enough disk space in {folder}: {wanted >> 20} MiB are needed, {free >> 20} MiB are free",
            "make room there",
        )
