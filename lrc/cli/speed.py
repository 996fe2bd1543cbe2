"""`lrc bench speed`: every way of drafting against plain decoding and the binding's own class, on this machine."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lrc.cli.log import LogFormat
from lrc.cli.options import Exact, Output, checked_format

if TYPE_CHECKING:
    from lrc.config import Settings
    from lrc.models.store import Pair
    from lrc.render.speed import Speed
    from lrc.review import Unit
    from lrc.speculative.bench import Contender, Result
    from lrc.speculative.requests import DrafterKind, EngineOptions, Request

SIMULATED = {1: 1.0, 8: 1.0, 9: 1.3, 16: 2.0, 32: 4.0}
"""v(n) of hardware on which up to eight rows cost what one costs."""
SIMULATED_SHARE = 0.1
"""Price of a drafted token there, in rows."""
_SPARE = 64
"""Cells of a context beyond its requests: the binding's lookup drafts past the end of an answer."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    prompts: int
    """Review requests, and requests to copy code, each alone."""
    tokens: int
    """Of an answer."""
    repeats: int
    """Times that each request is answered."""
    together: tuple[int, ...]
    """Requests side by side."""


def speed(
    repo: Annotated[
        Path | None, typer.Option("--repo", help="Take the prompts from this repository's commits.")
    ] = None,
    prompts: Annotated[int, typer.Option("--prompts", min=1, help="Review requests, each alone.")] = 6,
    tokens: Annotated[int, typer.Option("--tokens", min=4, help="Tokens of an answer.")] = 48,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Times that each request is answered.")] = 2,
    quick: Annotated[
        bool, typer.Option("--quick", help="A look in some minutes: 2 short answers, 4 together.")
    ] = False,
    drafter: Annotated[
        str | None,
        typer.Option("--drafter", envvar="LRC_DRAFTER", help="Only this one: lookup, draft, self, mtp, tree or auto."),
    ] = None,
    exact: Exact = False,
    peers: Annotated[bool, typer.Option("--peers/--no-peers", help="Run the binding's own class beside it.")] = True,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with charts to this file.", dir_okay=False)
    ] = None,
    output_format: LogFormat = "terminal",
    output: Output = None,
) -> None:
    """Measure decoding speed as ratios in one run. The machine should do nothing else.

    All contenders answer the same requests in turn, greedily: real review requests, and requests to write code again
    with one change, where drafting from what was seen pays most; then many review requests, prompts included.
    """
    from lrc.cli.contenders import hunks
    from lrc.cli.log import show
    from lrc.cli.reviewer import installed_pair
    from lrc.cli.running import settings_here
    from lrc.render.speed import render, render_json

    checked_format(output_format)
    kinds = _kinds(drafter)
    settings = replace(settings_here(), exact=exact or settings_here().exact)
    sizes = Sizes(2, 16, 1, (4,)) if quick else Sizes(prompts, tokens, repeats, (4, 16))
    pair = installed_pair(settings)
    measured = _measured(settings, pair, hunks(repo, max(sizes.prompts, *sizes.together)), sizes, kinds, peers)
    if html is not None:
        from lrc.cli.review import write_aside
        from lrc.render.speedpage import page

        write_aside(html, page(measured))
    show((render_json if output_format == "json" else render)(measured), output)


def _kinds(drafter: str | None) -> "list[DrafterKind]":
    """The drafters to be measured. Raises WrongUsage for a name that is none."""
    from lrc.errors import WrongUsage
    from lrc.speculative.requests import DrafterKind

    every = [kind for kind in DrafterKind if kind is not DrafterKind.NONE]
    chosen: list[DrafterKind] = [kind for kind in every if drafter in (None, kind.value)]
    if not chosen and drafter != DrafterKind.NONE:
        raise WrongUsage(f"no drafter named {drafter!r}", f"choose from none, {', '.join(every)}")
    return chosen


@dataclass(frozen=True, slots=True)
class _Contest:
    """Everything loaded, and what is asked."""

    plain: "Contender"
    drafting: "list[Contender]"
    peers: "list[Contender]"
    comments: "list[Request]"
    copies: "list[Request]"
    options: "EngineOptions"
    """Of the engines; v(n) among them."""
    in_force: dict[str, Any]
    left_out: dict[str, str]

    def alone(self, asked: "Sequence[Request]", sizes: Sizes) -> "list[Result]":
        """Everybody on one request after the other."""
        from lrc.speculative.bench import compare

        everybody = [self.plain, *self.drafting, *self.peers]
        groups = [[request] for request in asked[: sizes.prompts]]
        return _watched(compare(everybody, groups, sizes.repeats, warm_up=self.warm_up))

    def together(self, beside: "Contender", width: int) -> "list[Result]":
        """`beside` on many requests at once, plain decoding and a peer on one after the other, prompts included."""
        from lrc.speculative.bench import compare

        rivals = [self.plain, beside, *self.peers[:1]]
        return _watched(compare(rivals, [self.comments[:width]], 1, warm_up=self.warm_up, fresh=True))

    @property
    def warm_up(self) -> "list[Request]":
        """A short request, to bring the weights into memory."""
        return [replace(self.comments[0], prompt=self.comments[0].prompt[:16], max_tokens=4)]


def _measured(
    settings: "Settings",
    pair: "Pair",
    units: "Sequence[Unit]",
    sizes: Sizes,
    kinds: "Sequence[DrafterKind]",
    peers: bool,
) -> "Speed":
    from lrc.cli.boundary import say
    from lrc.cli.running import engine_faults
    from lrc.render.speed import BESIDE, Speed
    from lrc.store.lock import engine_lock

    with ExitStack() as stack:
        stack.enter_context(engine_lock(say))
        stack.enter_context(engine_faults())
        contest = _opened(stack, settings, pair, units, sizes, kinds, peers)
        comments, copies = (contest.alone(asked, sizes) for asked in (contest.comments, contest.copies))
        together = {}
        for width in sizes.together:
            if width > len(units):
                contest.left_out[f"{width}{BESIDE}"] = f"the repository has {len(units)} hunks for it"
                continue
            beside = _side_by_side(stack, settings, pair, contest, width)
            together[width] = contest.together(beside, width)
    return Speed(
        target=pair.target.label,
        draft=pair.draft.label if pair.draft else None,
        settings=contest.in_force,
        costs=dict(contest.options.costs or {}),
        comments=comments,
        copies=copies,
        together=together,
        left_out=contest.left_out,
        simulated=(SIMULATED, SIMULATED_SHARE),
        memory=_peak_memory(),
    )


def _opened(
    stack: ExitStack,
    settings: "Settings",
    pair: "Pair",
    units: "Sequence[Unit]",
    sizes: Sizes,
    kinds: "Sequence[DrafterKind]",
    peers: bool,
) -> _Contest:
    """Measure v(n), then load everybody who takes part; all is closed with `stack`."""
    from lrc.cli import contenders
    from lrc.cli.running import options_for
    from lrc.speculative.engine import Engine
    from lrc.speculative.requests import DrafterKind

    # Costs are measured again, and nothing remembered: the run explains itself.
    base = replace(options_for(settings, pair), history=None, max_sequences=1, costs=None)
    with Engine.open(pair.target.path, None, replace(base, drafter=DrafterKind.NONE)) as engine:
        costs = engine.measure_costs()
        comments, copies = contenders.requests(engine, units, sizes.tokens)
        in_force = dict(engine.describe()["settings"])
    # Twice the longest: the last request's text is still there while the next one runs.
    options = replace(base, costs=costs, n_ctx=2 * _longest([*comments, *copies]) + _SPARE)
    plain = contenders.opened(stack, "plain", pair.target.path, None, replace(options, drafter=DrafterKind.NONE))
    drafting, left_out = contenders.drafting(stack, settings, pair, options, kinds)
    others = contenders.peers(stack, pair.target.path, options.n_ctx, in_force["threads"]) if peers else []
    return _Contest(plain, drafting, others, comments, copies, options, in_force, left_out)


def _longest(requests: "Sequence[Request]") -> int:
    """Tokens of the longest prompt with its answer."""
    return max(len(request.prompt) + request.max_tokens for request in requests)


def _side_by_side(stack: ExitStack, settings: "Settings", pair: "Pair", contest: _Contest, width: int) -> "Contender":
    """The engine as a review runs it, with room for `width` requests at once."""
    from lrc.cli import contenders
    from lrc.render.speed import BESIDE
    from lrc.speculative.requests import DrafterKind

    cells = width * _longest(contest.comments) + _SPARE
    options = replace(contest.options, drafter=DrafterKind.AUTO, max_sequences=width, n_ctx=cells)
    draft = contenders.draft_for(settings, pair, DrafterKind.AUTO)
    return contenders.opened(stack, f"{width}{BESIDE}", pair.target.path, draft, options)


def _watched(steps: Any) -> "list[Result]":
    """The results, with a line of progress on standard error while it goes on."""
    import sys

    while True:
        try:
            line = next(steps)
        except StopIteration as end:
            return list(end.value)
        print(f"lrc: {line}", file=sys.stderr)


def _peak_memory() -> int:
    """Bytes that this process held at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
