"""Who runs in `lrc bench speed`, and on which requests."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lrc.config import Settings
    from lrc.models.store import Pair
    from lrc.review import Unit
    from lrc.speculative.bench import Contender, EngineContender
    from lrc.speculative.engine import Engine
    from lrc.speculative.requests import DrafterKind, EngineOptions, Request

_MOST_LINES = 60
"""Of a hunk: what a typical commit has, so that a prompt does not take a minute."""


def opened(
    stack: ExitStack, name: str, target: Path, draft: Path | None, options: "EngineOptions"
) -> "EngineContender":
    """An engine under `options`, closed with `stack`."""
    from lrc.speculative.bench import EngineContender
    from lrc.speculative.engine import Engine

    return EngineContender(name, stack.enter_context(Engine.open(target, draft, options)))


def drafting(
    stack: ExitStack, settings: "Settings", pair: "Pair", options: "EngineOptions", kinds: "Sequence[DrafterKind]"
) -> "tuple[list[Contender], dict[str, str]]":
    """An engine for each drafter of `kinds` that can be had; with the reasons why others cannot."""
    from dataclasses import replace

    from lrc.errors import EnvironmentFault
    from lrc.speculative.errors import EngineError

    found: list[Contender] = []
    left_out: dict[str, str] = {}
    for kind in kinds:
        try:
            draft = draft_for(settings, pair, kind)
            found.append(opened(stack, kind.value, pair.target.path, draft, replace(options, drafter=kind)))
        except (EngineError, EnvironmentFault) as fault:
            left_out[kind.value] = fault.message
    return found, left_out


def draft_for(settings: "Settings", pair: "Pair", kind: "DrafterKind") -> Path | None:
    """The file that `kind` drafts with, as in a review."""
    from dataclasses import replace

    from lrc.cli.running import guesser

    draft = guesser(replace(settings, drafter=kind.value), pair)
    return draft.path if draft is not None else None


def peers(stack: ExitStack, target: Path, n_ctx: int, threads: int) -> "list[Contender]":
    """The binding's own class, without and with its prompt lookup."""
    from lrc.speculative.llama_peer import LlamaContender

    found: list[Contender] = []
    for lookup in (False, True):
        peer = LlamaContender(target, n_ctx, threads, lookup)
        stack.callback(peer.close)
        found.append(peer)
    return found


def requests(engine: "Engine", units: "Sequence[Unit]", tokens: int) -> "tuple[list[Request], list[Request]]":
    """Requests to review `units`, and requests to copy their code; both without grammar, which the peers lack."""
    from lrc.detect import mask
    from lrc.reviewer.chat import ChatForm
    from lrc.reviewer.excerpt import spoken
    from lrc.reviewer.prompt import SYSTEM, about_hunk
    from lrc.speculative.requests import Request

    form = ChatForm(engine, engine.chat_template)

    def request(system: str, wish: Any, unit: "Unit") -> Request:
        corpus = tuple(tuple(engine.encode(text, False)) for text in spoken(unit, mask))
        return Request(prompt=form.tokens(system, wish), max_tokens=tokens, corpus=corpus)

    comments, copies = [], []
    for unit in units:
        comments.append(request(SYSTEM, about_hunk(unit, mask), unit))
        code = mask("\n".join(line.text for line in unit.hunk.lines if line.new is not None))
        wish = ("Write this code again, unchanged but for one more comment at its end:\n\n", code)
        copies.append(request("You are a careful programmer.", wish, unit))
    return comments, copies


def hunks(repo: Path | None, count: int) -> "list[Unit]":
    """`count` hunks of real commits, one a commit; raises WrongUsage where there is none."""
    from lrc.errors import WrongUsage
    from lrc.repo import Repository

    with Repository.discover(repo) as repository:
        found = [unit for unit, _ in zip(_hunks(repository, count), range(count), strict=False)]
    if not found:
        raise WrongUsage("the repository has no ordinary commits to review", "name another one with --repo")
    return found


def _hunks(repository: Any, count: int) -> "Iterator[Unit]":
    from lrc.quality.cases import clean_commits

    for case in clean_commits(repository, 4 * count):
        yield from [unit for unit in case.units if len(unit.hunk.lines) <= _MOST_LINES][:1]
