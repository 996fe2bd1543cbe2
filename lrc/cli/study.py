"""What `lrc calibrate` and `lrc bench quality` share: cases shown to the loaded target, in limited time."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lrc.config import Settings
    from lrc.models.store import Pair
    from lrc.quality.cases import Way
    from lrc.quality.observing import Observation, Observer
    from lrc.speculative.engine import Engine

Told = Callable[["Observation", float], None]
"""Is told each observation with the share of the time that is gone."""


def observations(
    settings: "Settings",
    repositories: Sequence[Path],
    *,
    minutes: float,
    ways: "Sequence[Way]",
    prompt: bool = False,
    whole: bool = False,
    packages: "Sequence[Path]" = (),
    most: int = 1000,
    seed: int = 1,
    tell: Told = lambda observation, share: None,
) -> "Iterator[Observation]":
    """Cases of the repositories in turn, as the target sees them, until the time is used up or there are no more.

    `prompt` asks the classic way beside measuring, `whole` asks it with agreement. `packages` are directories of code
    without history. `most` is the number of commits taken of each repository. A case that is too long for the context
    is left out. Raises EnvironmentFault when a repository or the model cannot be had.
    """
    from lrc.cli.boundary import say
    from lrc.cli.reviewer import installed_pair, opened_engine
    from lrc.quality.sampling import cases_of, cases_of_files
    from lrc.repo import Repository
    from lrc.speculative.errors import PromptTooLong

    pair = installed_pair(settings)
    started = time.monotonic()
    with ExitStack() as stack:
        opened = [stack.enter_context(Repository.discover(path)) for path in repositories]
        engine = stack.enter_context(opened_engine(settings, pair, say))
        observer = _observer(engine, pair, prompt=prompt, whole=whole)
        sources = [cases_of(repository, seed=seed, most=most, ways=ways) for repository in opened]
        sources += [cases_of_files(package, seed=seed) for package in packages]
        while sources:
            for source in list(sources):
                case = next(source, None)
                if case is None:
                    sources.remove(source)
                    continue
                gone = (time.monotonic() - started) / (60 * minutes)
                if gone >= 1:
                    return
                try:
                    observation = observer.observe(case)
                except PromptTooLong:
                    continue
                tell(observation, gone)
                yield observation


def _observer(engine: "Engine", pair: "Pair", *, prompt: bool, whole: bool) -> "Observer":
    from lrc.cli.reviewer import calibration_for
    from lrc.detect import mask
    from lrc.quality.observing import Observer
    from lrc.reviewer.agreement import Agreement, Remembered
    from lrc.reviewer.chat import ChatForm
    from lrc.reviewer.measure import Measurer
    from lrc.reviewer.prompting import PromptingReviewer

    form = ChatForm(engine, engine.chat_template)
    measurer = Remembered(Measurer(engine, mask))
    classic = PromptingReviewer(engine, form, mask, dict, context=engine.n_ctx)
    if whole:
        return Observer(measurer, Agreement(classic, measurer, calibration_for(pair)))
    return Observer(measurer, classic if prompt else None)


def progress() -> Told:
    """One line a case on standard error."""
    import sys

    def tell(observation: "Observation", share: float) -> None:
        what = observation.kind or "clean"
        print(f"lrc: {share:4.0%}  {what:<18} {observation.origin}"[:118], file=sys.stderr)

    return tell
