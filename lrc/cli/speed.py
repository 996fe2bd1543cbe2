"""`lrc bench speed`: every way of guessing against plain decoding and the binding's own class, on this machine."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lrc.cli.log import LogFormat
from lrc.cli.options import Output, checked_format

if TYPE_CHECKING:
    from lrc.config import Settings
    from lrc.models.store import Pair
    from lrc.render.speed import Speed
    from lrc.speculative.bench import Contender, EngineContender
    from lrc.speculative.engine import Engine
    from lrc.speculative.requests import EngineOptions, Request

TOGETHER = (1, 4, 16)
"""Requests decoded side by side."""
SIMULATED = {1: 1.0, 8: 1.0, 9: 1.3, 16: 2.0, 32: 4.0}
"""v(n) of hardware on which up to eight rows cost what one costs."""
SIMULATED_SHARE = 0.1
"""Price of a drafted token there, in rows."""


def speed(
    repo: Annotated[
        Path | None, typer.Option("--repo", help="Take the prompts from this repository's commits.")
    ] = None,
    prompts: Annotated[int, typer.Option("--prompts", min=1, help="Review requests, each alone.")] = 6,
    tokens: Annotated[int, typer.Option("--tokens", min=4, help="Tokens of an answer.")] = 48,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Times that everything is run.")] = 2,
    peers: Annotated[bool, typer.Option("--peers/--no-peers", help="Run the binding's own class beside it.")] = True,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with charts to this file.", dir_okay=False)
    ] = None,
    output_format: LogFormat = "terminal",
    output: Output = None,
) -> None:
    """Measure decoding speed as ratios in one run. The machine should do nothing else.

    All contenders answer the same requests in turn, greedily: real review requests, and requests to write code again
    with one change, where guessing from what was seen pays most.
    """
    from lrc.cli.log import show
    from lrc.cli.reviewer import installed_pair
    from lrc.cli.running import settings_here
    from lrc.render.speed import render, render_json

    checked_format(output_format)
    settings = settings_here()
    measured = _measured(settings, installed_pair(settings), repo, (prompts, tokens, repeats), peers)
    if html is not None:
        from lrc.cli.review import write_aside
        from lrc.render.speedpage import page

        write_aside(html, page(measured))
    show((render_json if output_format == "json" else render)(measured), output)


def _measured(
    settings: "Settings", pair: "Pair", repo: Path | None, sizes: tuple[int, int, int], peers: bool
) -> "Speed":
    from dataclasses import replace

    from lrc.cli.boundary import say
    from lrc.cli.running import engine_faults, options_for
    from lrc.render.speed import Speed
    from lrc.speculative.bench import compare
    from lrc.speculative.engine import Engine
    from lrc.speculative.requests import DrafterKind
    from lrc.store.lock import engine_lock

    count, tokens, repeats = sizes
    with ExitStack() as stack:
        stack.enter_context(engine_lock(say))
        stack.enter_context(engine_faults())
        options = replace(options_for(settings, pair), n_ctx=4096, history=None, max_sequences=1)
        plain = stack.enter_context(Engine.open(pair.target.path, None, replace(options, drafter=DrafterKind.NONE)))
        options = replace(options, costs=plain.measure_costs())
        in_force = dict(plain.describe()["settings"])
        comments, copies = _requests(plain, repo, count, tokens)
        contenders, left_out = _contenders(stack, settings, pair, options, plain)
        if peers:
            contenders += _peers(stack, pair, options, plain)
        alone = _watched(compare(contenders, [[request] for request in comments], repeats))
        copied = _watched(compare(contenders, [[request] for request in copies], repeats))
        together = {}
        for width in TOGETHER:
            wide = Engine.open(pair.target.path, None, replace(options, drafter=DrafterKind.AUTO, max_sequences=width))
            rivals = [
                contenders[0],
                _named(f"{width} side by side", stack.enter_context(wide)),
                *contenders[-2:][:peers],
            ]
            together[width] = _watched(compare(rivals, [(list(comments) * width)[:width]], 1))
    return Speed(
        target=pair.target.label,
        draft=pair.draft.label if pair.draft else None,
        settings=in_force,
        costs=dict(options.costs or {}),
        comments=alone,
        copies=copied,
        together=together,
        left_out=left_out,
        simulated=(SIMULATED, SIMULATED_SHARE),
        memory=_peak_memory(),
    )


def _named(name: str, engine: "Engine") -> "EngineContender":
    from lrc.speculative.bench import EngineContender

    return EngineContender(name, engine)


def _contenders(
    stack: ExitStack, settings: "Settings", pair: "Pair", options: "EngineOptions", plain: "Engine"
) -> "tuple[list[Contender], dict[str, str]]":
    """Plain decoding and every drafter that can be had; with the reasons why others cannot."""
    from dataclasses import replace

    from lrc.cli.running import guesser
    from lrc.errors import EnvironmentFault
    from lrc.speculative.engine import Engine
    from lrc.speculative.errors import EngineError
    from lrc.speculative.requests import DrafterKind

    found: list[Contender] = [_named("plain", plain)]
    left_out: dict[str, str] = {}
    for kind in (kind for kind in DrafterKind if kind is not DrafterKind.NONE):
        try:
            draft = guesser(replace(settings, drafter=kind.value), pair)
            path = draft.path if draft and kind is not DrafterKind.LOOKUP else None
            engine = Engine.open(pair.target.path, path, replace(options, drafter=kind))
        except (EngineError, EnvironmentFault) as fault:
            left_out[kind.value] = fault.message
            continue
        found.append(_named(kind.value, stack.enter_context(engine)))
    return found, left_out


def _peers(stack: ExitStack, pair: "Pair", options: "EngineOptions", plain: "Engine") -> "list[Contender]":
    from lrc.speculative.llama_peer import LlamaContender

    threads = plain.describe()["settings"]["threads"]
    found: list[Contender] = []
    for lookup in (False, True):
        peer = LlamaContender(pair.target.path, options.n_ctx, threads, lookup)
        stack.callback(peer.close)
        found.append(peer)
    return found


def _requests(engine: "Engine", repo: Path | None, count: int, tokens: int) -> "tuple[list[Request], list[Request]]":
    """Requests about hunks of real commits, and requests to copy their code; both without grammar, for the peers."""
    from lrc.detect import mask
    from lrc.errors import WrongUsage
    from lrc.reviewer.chat import ChatForm
    from lrc.reviewer.excerpt import spoken
    from lrc.reviewer.prompt import SYSTEM, about_hunk
    from lrc.speculative.requests import Request

    form = ChatForm(engine, engine.chat_template)
    comments, copies = [], []
    for unit in _units(repo, count):
        corpus = tuple(tuple(engine.encode(text, False)) for text in spoken(unit, mask))
        question = form.tokens(SYSTEM, about_hunk(unit, mask))
        comments.append(Request(prompt=question, max_tokens=tokens, corpus=corpus))
        code = mask("\n".join(line.text for line in unit.hunk.lines if line.new is not None))
        wish = ("Write this code again, unchanged but for one more comment at its end:\n\n", code)
        copies.append(
            Request(prompt=form.tokens("You are a careful programmer.", wish), max_tokens=tokens, corpus=corpus)
        )
    if not comments:
        raise WrongUsage("the repository has no ordinary commits to review", "name another one with --repo")
    return comments, copies


def _units(repo: Path | None, count: int) -> Iterator[Any]:
    from lrc.quality.cases import clean_commits
    from lrc.repo import Repository

    with Repository.discover(repo) as opened:
        left = count
        for case in clean_commits(opened, count):
            for unit in case.units[:1]:
                if left and len(unit.hunk.lines) <= 60:
                    left -= 1
                    yield unit


def _watched(steps: Any) -> Any:
    """The results, with a line of progress on standard error while it goes on."""
    import sys

    while True:
        try:
            line = next(steps)
        except StopIteration as end:
            return end.value
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
