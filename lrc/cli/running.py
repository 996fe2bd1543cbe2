"""How the pair is run on this machine: what `lrc tune` measured, what was said before, and which file guesses."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lrc.config import Settings
from lrc.errors import EnvironmentFault

if TYPE_CHECKING:
    from lrc.models.checked import Model
    from lrc.models.store import Pair
    from lrc.speculative.requests import EngineOptions
    from lrc.speculative.tuning import Tuning


def settings_here() -> Settings:
    """The settings in force where the command runs, in a repository or not."""
    from lrc import config
    from lrc.cli.config import root_here

    return config.load(root_here()).settings


def options_for(settings: Settings, pair: "Pair") -> "EngineOptions":
    """The engine's options: the user's settings, and for the rest what suits this machine where that was measured."""
    from lrc.speculative.requests import DrafterKind, EngineOptions
    from lrc.store.lock import cache_directory

    options = EngineOptions(
        n_ctx=settings.context,
        threads=settings.threads,
        drafter=DrafterKind(settings.drafter),
        exact=settings.exact,
        history=cache_directory() / "history",
    )
    tuning = tuned(pair)
    return options if tuning is None else tuning.apply(options)


def guesser(settings: Settings, pair: "Pair") -> "Model | None":
    """The model that guesses: a slim copy of the draft where there is one, for `self` the pruned copy of the target.

    Raises EnvironmentFault when `self` is asked for and there is neither such a copy nor a draft that the user named.
    """
    from lrc.models.made import made, pruned_path, slim_path
    from lrc.models.store import store

    kept = store()
    if settings.drafter == "self":
        copy = made(pruned_path(pair.target, kept.models), kept)
        if copy is None and not (settings.draft and pair.draft):
            raise EnvironmentFault(
                f"the drafter 'self' needs a copy of the target {pair.target.label} with blocks left out",
                "`lrc model prune` makes one",
            )
        return copy or pair.draft
    if pair.draft is None:
        return None
    return made(slim_path(pair.draft, kept.models), kept) or pair.draft


def tuned(pair: "Pair") -> "Tuning | None":
    """What `lrc tune` found for this target, machine and native library; None when something of that is new."""
    from lrc.speculative.tuning import recall

    return recall(tunings(), tuning_key(pair))


def tunings() -> Path:
    """The file of all tunings. With the caches: losing it costs half a minute."""
    from lrc.store.lock import cache_directory

    return cache_directory() / "tuning.json"


def tuning_key(pair: "Pair") -> str:
    """What a tuning of this target is remembered under."""
    from lrc.speculative.tuning import identity, library_identity

    return identity(pair.target.sha256, library_identity())


@contextmanager
def engine_faults() -> Iterator[None]:
    """Gives the engine's errors the form that the boundary shows."""
    from lrc.speculative.errors import EngineError

    try:
        yield
    except EngineError as error:
        raise EnvironmentFault(error.message, error.hint) from error
