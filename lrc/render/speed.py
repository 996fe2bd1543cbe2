"""How fast the engine is, as tables and as JSON; predictions beside what was measured."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lrc.speculative.bench import Result
from lrc.speculative.cost import CostModel
from lrc.speculative.division import Division

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA_VERSION = 2
"""Raised when a field of the JSON changes its meaning or goes."""
PEER = "llama_cpp.Llama"
"""Name of the binding's own class among the contenders."""
BESIDE = " side by side"
"""How the names of contenders end that decode several answers at once."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What one run of the benchmark measured."""

    target: str
    draft: str | None
    settings: Mapping[str, Any]
    """Threads, kernels and layout in force."""
    costs: Mapping[int, float]
    """Seconds of an evaluation by its number of rows: v(n)."""
    comments: Sequence[Result]
    """Review comments, one request at a time; the first is plain decoding."""
    copies: Sequence[Result]
    """Code written again, one request at a time."""
    together: Mapping[int, Sequence[Result]]
    """Requests side by side, by their number."""
    left_out: Mapping[str, str]
    """Drafters that could not run, with the reason."""
    simulated: tuple[Mapping[int, float], float]
    """v(n) of other hardware, and the price of a drafted token there."""
    memory: int
    """Most bytes that the process held, all contenders loaded."""


def replayed(result: Result, costs: Mapping[int, float], share: float) -> float | None:
    """The ratio to plain decoding that the acceptance measured by position gives where rows cost `costs`.

    For the best length of draft; a drafted token costs `share` of a row. None where nothing was drafted.
    """
    model = CostModel(costs)
    best = None
    for counts in result.details.get("drafts", {}).values():
        reached, expected = 1.0, 1.0
        for length, (drafted, accepted) in enumerate(zip(counts["drafted"], counts["accepted"], strict=False), 1):
            if drafted < 5:
                break
            reached *= accepted / drafted
            expected += reached
            ratio = expected / (model.seconds(1 + length) / model.seconds(1) + length * share)
            best = ratio if best is None else max(best, ratio)
    return best


def predicted(result: Result, costs: Mapping[int, float]) -> float | None:
    """What the model of cost says of a contender's steps: its ratio to plain decoding, which takes v(1) a token.

    None for a contender that does not tell its steps.
    """
    told = result.details
    steps = {int(rows): count for rows, count in told.get("answer_steps", {}).items()}
    if not steps or not costs:
        return None
    model = CostModel(Division(costs).costs)
    spent = sum(count * model.seconds(rows) for rows, count in steps.items()) / model.seconds(1)
    return float(told["answer_tokens"] / spent * (1 - told["drafting_share"]))


def most_rows_pay(costs: Mapping[int, float], texts: int) -> float | None:
    """The most tokens a second that `texts` answers side by side can have without drafts, against one alone.

    None where v(n) was not measured.
    """
    if not costs:
        return None
    model = CostModel(Division(costs).costs)
    return max(rows * model.seconds(1) / model.seconds(rows) for rows in range(1, texts + 1))


def against_peer(results: Sequence[Result]) -> float | None:
    """How many times as fast as the binding's own class the requests side by side were, prompts included."""
    wholes = {result.name: result.whole for result in results}
    peer, own = wholes.get(PEER), next((whole for name, whole in wholes.items() if name.endswith(BESIDE)), None)
    return own / peer if own and peer else None


def render(speed: Speed) -> str:
    """The tables."""
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    console = Console(file=stream, width=120, color_system=None)
    console.print(f"target {speed.target}, draft {speed.draft or 'none'}, {_settings(speed)}")
    for title, results in _parts(speed):
        console.print()
        console.print(_table(title, results, speed))
    console.print()
    for line in remarks(speed):
        console.print(line)
    for name, reason in speed.left_out.items():
        console.print(f"{name}: not run, {reason}")
    console.print(f"peak memory, all contenders loaded at once: {speed.memory / 2**30:.1f} GiB")
    return stream.getvalue().rstrip()


def remarks(speed: Speed) -> Iterator[str]:
    """What the figures rest on, and the bounds that no way of decoding gets beyond."""
    one = speed.costs.get(1, 0.0)
    if one:
        yield "v(n): " + ", ".join(f"{rows}: {cost / one:.2f}" for rows, cost in speed.costs.items())
        widest = max(speed.costs)
        yield (
            f"bounds by v(n): {most_rows_pay(speed.costs, widest):.2f} if every draft were right, "
            + ", ".join(f"{most_rows_pay(speed.costs, width):.2f} for {width}{BESIDE}" for width in speed.together)
            + " without drafts"
        )
    for width, results in speed.together.items():
        ratio = against_peer(results)
        if ratio is not None:
            yield f"{width} review comments, prompts included: {ratio:.2f} times as fast as {PEER} one by one"


def render_json(speed: Speed) -> str:
    """Everything, for programs."""
    document = {"version": SCHEMA_VERSION, **asdict(speed)}
    for part in ("comments", "copies"):
        for told, result in zip(document[part], getattr(speed, part), strict=True):
            told["predicted"] = predicted(result, speed.costs)
            told["simulated"] = replayed(result, *speed.simulated)
    document["bounds"] = {str(width): most_rows_pay(speed.costs, width) for width in (*speed.together, *speed.costs)}
    document["against_peer"] = {str(width): against_peer(results) for width, results in speed.together.items()}
    return json.dumps(document, indent=2)


def _parts(speed: Speed) -> Iterator[tuple[str, Sequence[Result]]]:
    yield "review comments, one at a time", speed.comments
    yield "code written again, one at a time", speed.copies
    for width, results in speed.together.items():
        yield f"{width} review comments", results


def _settings(speed: Speed) -> str:
    return ", ".join(f"{name} {value}" for name, value in speed.settings.items())


COLUMNS = (
    "tokens/s",
    "ratio",
    "worst",
    "whole",
    "accepted",
    "a step",
    "drafting",
    "prompt/s",
    "predicted",
    "simulated",
)
"""What is told of a contender: tokens a second; median and smallest ratio to plain decoding; the ratio of the whole
time, prompts included, where they were not in the cache; share of drafts accepted; tokens a target step; share of time
drafting; prompt tokens a second; the ratio that the model of cost predicts here, and that the measured acceptance gives
on the simulated hardware."""


def cells(result: Result, speed: Speed) -> list[str]:
    """The cells of a row, one a column."""
    told = result.details
    known = [f"{result.rate:.1f}", f"{result.ratio:.2f}", f"{result.worst:.2f}"]
    known.append("" if result.whole is None else f"{result.whole:.2f}")
    if "acceptance" in told:
        known += [f"{told['acceptance']:.0%}", f"{told['tokens_a_step']:.2f}", f"{told['drafting_share']:.0%}"]
        known += [f"{told['prompt_rate']:.0f}"]
    else:
        known += [""] * 4
    for ratio in (predicted(result, speed.costs), replayed(result, *speed.simulated)):
        known.append("" if ratio is None else f"{ratio:.2f}")
    return known


def _table(title: str, results: Sequence[Result], speed: Speed) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for result in results:
        table.add_row(result.name, *cells(result, speed))
    return table
