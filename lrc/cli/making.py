"""`lrc model prune` and `lrc model slim`: make drafts on this machine out of the models that are here."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrc.errors import EnvironmentFault

if TYPE_CHECKING:
    from lrc.config import Settings
    from lrc.models.store import Pair
    from lrc.review import Unit
    from lrc.speculative.pruning import Pruned, Sample

Again = Annotated[bool, typer.Option("--again", envvar="LRC_AGAIN", help="Make it anew although it is there.")]

_COMMITS = 12
_SAMPLES = 6
_ANSWER = 40


def prune(
    minutes: Annotated[
        float, typer.Option("--minutes", envvar="LRC_MINUTES", min=0.0, help="How long to try sets of blocks.")
    ] = 4,
    again: Again = False,
) -> None:
    """Make a draft of the target, some blocks left out.

    `--drafter self` uses it. Which blocks is found by trying on review prompts about this repository's commits. The
    copy takes up to the target's size on disk, beside the models.
    """
    from lrc.cli.boundary import emit, say
    from lrc.cli.reviewer import installed_pair, require_memory
    from lrc.cli.running import engine_faults, options_for, settings_here, tuned
    from lrc.models.made import pruned_path
    from lrc.models.store import store
    from lrc.speculative.pruning import make_pruned
    from lrc.store.lock import engine_lock

    settings = settings_here()
    pair = installed_pair(settings)
    place = pruned_path(pair.target, store().models)
    if _is_there(place, again):
        return
    units = _units()
    tuning = tuned(pair)
    with engine_lock(say), engine_faults(), _writing(place):
        require_memory(pair.target, None, settings.context)
        best = make_pruned(
            pair.target.path,
            place,
            lambda: _samples(settings, pair, units),
            options_for(settings, pair),
            blocks=pair.target.facts.blocks,
            costs=tuning.costs if tuning else None,
            seconds=60 * minutes,
            on_trial=_tell,
        )
    emit(_described(best))
    if best.speedup < 1:
        emit("it does not pay on this machine; `--drafter self` uses it all the same, auto does not")
    emit(str(place))


def slim(again: Again = False) -> None:
    """Make a copy of the draft with 4 bits a weight.

    The embedding included: it guesses nearly as well and costs less. Reviews use it in the draft's place; what the
    target says does not depend on it.
    """
    from lrc.cli.boundary import emit
    from lrc.cli.reviewer import installed_pair
    from lrc.cli.running import engine_faults, settings_here
    from lrc.cli.watch import size
    from lrc.models.made import slim_path
    from lrc.models.store import store
    from lrc.speculative.llama_files import write_slim

    draft = installed_pair(settings_here()).draft
    if draft is None:
        raise EnvironmentFault("there is no draft model to make slim", "`lrc model use` chooses one")
    place = slim_path(draft, store().models)
    if _is_there(place, again):
        return
    with engine_faults(), _writing(place):
        write_slim(draft.path, place)
    emit(f"{size(draft.bytes)} before, {size(place.stat().st_size)} now: {place}")


def _is_there(place: Path, again: bool) -> bool:
    from lrc.cli.boundary import emit, say
    from lrc.models.made import made
    from lrc.models.store import store

    if again or made(place, store()) is None:
        return False
    say("it was made before", "--again makes it anew")
    emit(str(place))
    return True


@contextmanager
def _writing(place: Path) -> Iterator[None]:
    """Says in one line when the file cannot be written."""
    try:
        yield
    except OSError as fault:
        raise EnvironmentFault(
            f"cannot write {place}: {fault.strerror}", "make room there, or name another place with LRC_DATA_DIR"
        ) from fault


def _units() -> "list[Unit]":
    """Hunks of the repository's recent ordinary commits."""
    from lrc.quality.cases import clean_commits
    from lrc.repo import Repository

    with Repository.discover() as repository:
        found = [unit for case in clean_commits(repository, _COMMITS) for unit in case.units[:2]]
    if not found:
        raise EnvironmentFault("this repository has no commits of code to try on", "run it in one that has")
    return found


def _samples(settings: "Settings", pair: "Pair", units: "list[Unit]") -> "list[Sample]":
    """What the target answers to review prompts about `units`."""
    from dataclasses import replace

    from lrc.cli.boundary import say
    from lrc.cli.running import options_for
    from lrc.detect import mask
    from lrc.reviewer.answer import grammar_for_hunk
    from lrc.reviewer.chat import ChatForm
    from lrc.reviewer.excerpt import places
    from lrc.reviewer.prompt import SYSTEM, about_hunk
    from lrc.speculative.engine import Engine
    from lrc.speculative.pruning import samples
    from lrc.speculative.requests import DrafterKind, Request

    options = replace(options_for(settings, pair), drafter=DrafterKind.NONE, history=None)
    with Engine.open(pair.target.path, None, options) as engine:
        form = ChatForm(engine, engine.chat_template)
        longest = engine.n_ctx - _ANSWER - 1
        requests = [
            Request(prompt, _ANSWER, grammar_for_hunk(places(unit.hunk), 1))
            for unit in units
            if len(prompt := form.tokens(SYSTEM, about_hunk(unit, mask))) <= longest
        ]
        say(f"asking the target about {min(len(requests), _SAMPLES)} pieces of recent commits first")
        # The short ones: all of them are read again for every set of blocks that is tried.
        known = samples(engine, sorted(requests, key=lambda request: len(request.prompt))[:_SAMPLES])
    if not known:
        raise EnvironmentFault("every commit of code is too long to try on", "run it in another repository")
    return known


def _tell(tried: "Pruned") -> None:
    import sys

    print(f"lrc: {_described(tried)}", file=sys.stderr)


def _described(tried: "Pruned") -> str:
    blocks = ", ".join(map(str, tried.dropped))
    return (
        f"without blocks {blocks}: {tried.acceptance:.0%} of guesses right, {tried.share:.0%} of the size, "
        f"expected {tried.speedup:.2f} times plain decoding"
    )
