"""Where model, engine, reviewer, cache and lock are introduced to each other."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from lrc.cli.boundary import say
from lrc.config import Settings
from lrc.errors import EnvironmentFault
from lrc.review import Listener, Reviewer

if TYPE_CHECKING:
    from lrc.models.checked import Model
    from lrc.models.store import Pair
    from lrc.reviewer.confidence import Calibration
    from lrc.speculative.engine import Engine
    from lrc.speculative.stats import EngineStats

ReviewerOpener = Callable[[], Any]


def opener(
    settings: Settings,
    listener: Listener,
    *,
    rules: str = "",
    budget: float | None = None,
    tell: Callable[[str], None] = say,
) -> ReviewerOpener:
    """What opens the model's reviewer when the pipeline first needs one.

    Kept answers come without loading anything. `budget` is in seconds from the call on. `tell` gets one sentence
    when a draft is left out, or another review has to be waited for. What the opener yields raises EnvironmentFault,
    with the way out, when no model can be had.
    """
    deadline = None if budget is None else time.monotonic() + budget

    @contextmanager
    def opened() -> Iterator[Reviewer]:
        from lrc.store.lock import cache_directory
        from lrc.store.verdicts import Remembering, Verdicts

        pair = installed_pair(settings)
        with ExitStack() as stack:
            judge = _judge(settings, pair, rules)

            def load() -> Reviewer:
                return stack.enter_context(_asking(settings, pair, listener, rules, deadline, tell))

            yield Remembering(Verdicts(cache_directory() / "verdicts.db", judge), load)

    return opened


def installed_pair(settings: Settings) -> "Pair":
    """The pair that the settings name, else the one in use. Raises EnvironmentFault when there is none."""
    import os

    from lrc.models.store import current

    environ = dict(os.environ)
    environ |= {f"LRC_{role.upper()}": value for role in ("target", "draft") if (value := getattr(settings, role))}
    pair = current(environ)
    if pair is None:
        raise EnvironmentFault("no model is installed", "`lrc model pull` fetches the default pair, once (1.6 GB)")
    return pair


def _judge(settings: Settings, pair: "Pair", rules: str) -> Any:
    from lrc.reviewer.prompt import VERSION
    from lrc.store.verdicts import Judge

    way = f"{settings.reviewer} {VERSION}"
    if settings.reviewer == "measure":
        way += f" {calibration_for(pair).identity}"
    return Judge(target=pair.target.sha256, reviewer=way, rules=rules if settings.reviewer == "prompt" else "")


@contextmanager
def _asking(
    settings: Settings,
    pair: "Pair",
    listener: Listener,
    rules: str,
    deadline: float | None,
    tell: Callable[[str], None],
) -> Iterator[Reviewer]:
    """A reviewer over a loaded engine."""
    with opened_engine(settings, pair, tell) as engine:
        yield _reviewer(settings, pair, engine, listener, rules, deadline)


@contextmanager
def opened_engine(settings: Settings, pair: "Pair", tell: Callable[[str], None]) -> "Iterator[Engine]":
    """The pair, loaded; only one engine runs on a machine at a time. Raises EnvironmentFault with the way out."""
    from lrc.cli.running import engine_faults, guesser, options_for
    from lrc.speculative.engine import Engine
    from lrc.store.lock import engine_lock

    if pair.note:
        tell(pair.note)
    draft = guesser(settings, pair)
    with engine_lock(tell):
        # Behind the lock: while another review runs, its model is what fills the memory.
        require_memory(pair.target, draft, settings.context)
        options = options_for(settings, pair)
        with engine_faults(), Engine.open(pair.target.path, draft.path if draft else None, options) as engine:
            yield engine


def require_memory(target: "Model", draft: "Model | None", context: int) -> None:
    """Says so before loading when the pair cannot fit: running into swap would stop the whole machine."""
    from lrc.models.machine import available_memory
    from lrc.models.memory_need import need

    wanted = need(target.facts, draft.facts if draft else None, context)
    free = available_memory().bytes
    if 0 < free < wanted:
        raise EnvironmentFault(
            f"not enough memory: the model needs {wanted / 2**30:.1f} GiB, {free / 2**30:.1f} GiB is free",
            "close other programs, set LRC_DRAFT=none, or choose a smaller model with `lrc model use`",
        )


def _reviewer(
    settings: Settings, pair: "Pair", engine: "Engine", listener: Listener, rules: str, deadline: float | None
) -> Reviewer:
    from lrc.detect import mask
    from lrc.reviewer.agreement import Agreement, Both, Remembered
    from lrc.reviewer.chat import ChatForm
    from lrc.reviewer.measure import Measurer
    from lrc.reviewer.measuring import MeasuringReviewer
    from lrc.reviewer.prompting import PromptingReviewer
    from lrc.reviewer.writer import Writer

    form = ChatForm(engine, engine.chat_template)

    def describe() -> dict[str, object]:
        return told(engine.describe(), engine.stats)

    asking = PromptingReviewer(
        engine,
        form,
        mask,
        describe,
        context=engine.n_ctx,
        rules=rules,
        deadline=deadline,
        on_tokens=_spoken_to(listener),
    )
    if settings.reviewer == "prompt":
        return asking
    calibration = calibration_for(pair)
    measurer = Remembered(Measurer(engine, mask, deadline))
    writer = Writer(engine, form, mask, deadline, _spoken_to(listener))
    measuring = MeasuringReviewer(measurer, writer, calibration, describe, deadline)
    return Both(measuring, Agreement(asking, measurer, calibration)) if calibration.whole else measuring


def calibration_for(pair: "Pair") -> "Calibration":
    """What `lrc calibrate` found for the target on this machine, else what the package knows of it."""
    from lrc.models.location import data_dir
    from lrc.reviewer.confidence import kept_for

    return kept_for(pair.target.sha256, data_dir() / "calibrations")


def _spoken_to(listener: Listener) -> Callable[[int, float], None]:
    """Turns the engine's running total and rate into the steps that a listener adds up."""
    seen = 0

    def on_tokens(total: int, rate: float) -> None:
        nonlocal seen
        fresh, seen = (total - seen if total >= seen else total), total
        if fresh and rate > 0:
            listener.tokens(fresh, fresh / rate)

    return on_tokens


def told(description: dict[str, Any], stats: "EngineStats") -> dict[str, object]:
    """The engine's description and counts as the report keeps them: plain data, rates rounded."""
    drafters = {
        name: {
            "drafted": sum(counts.drafted),
            "accepted": sum(counts.accepted),
            "acceptance": round(counts.acceptance, 3),
        }
        for name, counts in stats.drafts.items()
    }
    return {
        **description,
        "prompt_tokens": stats.prompt_tokens,
        "reused_tokens": stats.reused_tokens,
        "generated_tokens": stats.generated_tokens,
        "tokens_a_second": round(stats.tokens_a_second, 1),
        "target_steps": stats.target_steps,
        "seconds_prefill": round(stats.seconds_prefill, 2),
        "seconds_decode": round(stats.seconds_decode, 2),
        "seconds_draft": round(stats.seconds_draft, 2),
        "drafters": drafters,
    }
