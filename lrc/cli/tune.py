"""`lrc tune`: measures which settings run the target fastest on this machine, once, for all reviews."""

from typing import TYPE_CHECKING, Annotated

import typer

from lrc.cli.log import LogFormat
from lrc.cli.options import checked_format

if TYPE_CHECKING:
    from lrc.models.store import Pair
    from lrc.speculative.requests import EngineOptions
    from lrc.speculative.tuning import Trial, Tuning


def tune(
    again: Annotated[
        bool, typer.Option("--again", envvar="LRC_AGAIN", help="Measure although it was done for this machine.")
    ] = False,
    output_format: LogFormat = "terminal",
) -> None:
    """Measure how the target runs fastest here, in about half a minute; reviews use the result.

    Remembered for this machine, model and native library, and void when one of them changes. Leave the machine alone
    meanwhile.
    """
    from lrc.cli.boundary import emit
    from lrc.cli.reviewer import installed_pair
    from lrc.cli.running import settings_here, tuned, tuning_key, tunings
    from lrc.errors import EnvironmentFault
    from lrc.speculative.tuning import remember

    wanted = checked_format(output_format)
    pair = installed_pair(settings_here())
    tuning = None if again else tuned(pair)
    # Without costs the machine was too busy last time; it may be free now.
    fresh = tuning is None or not tuning.costs
    if tuning is None or not tuning.costs:
        tuning = _measured(pair)
        try:
            remember(tunings(), tuning_key(pair), tuning)
        except OSError as fault:
            raise EnvironmentFault(
                f"cannot write {tunings()}: {fault.strerror}", "LRC_CACHE_DIR names another place"
            ) from fault
    emit(_as_json(pair, tuning, fresh) if wanted == "json" else _told(pair, tuning, fresh))


def _measured(pair: "Pair") -> "Tuning":
    """Tries settings and times them; nothing else of `lrc` runs meanwhile."""
    from lrc.cli.boundary import say
    from lrc.cli.reviewer import require_memory
    from lrc.cli.running import engine_faults
    from lrc.speculative import llama_trials
    from lrc.speculative.loading import threads_of_machine
    from lrc.speculative.requests import EngineOptions
    from lrc.speculative.tuning import tune as search
    from lrc.store.lock import engine_lock

    with engine_lock(say), engine_faults():
        require_memory(pair.target, None, llama_trials.CONTEXT)
        with llama_trials.Trials(pair.target.path) as trials:
            return search(
                EngineOptions(),
                trials.measure,
                trials.costs,
                processors=threads_of_machine(),
                gpu=llama_trials.has_gpu(),
                on_trial=_tell,
            )


def _tell(options: "EngineOptions", trial: "Trial") -> None:
    """One line a trial on standard error."""
    import sys

    row = 1000 * trial.step_seconds
    print(
        f"lrc: {trial.prompt_rate:6.0f} prompt tokens/s, {row:5.1f} ms a token  {_settings(options)}", file=sys.stderr
    )


def _settings(of: "EngineOptions | Tuning") -> str:
    threads = f"{of.threads} thread{'' if of.threads == 1 else 's'}"
    weights = "weights rearranged" if of.repack else "weights as stored"
    kernel = "fused attention" if of.flash_attention else "plain attention"
    gpu = f", {of.gpu_layers} blocks on the GPU" if of.gpu_layers else ""
    return f"{threads}, {weights}, {kernel}, batches of {of.micro_batch}{gpu}"


def _told(pair: "Pair", tuning: "Tuning", fresh: bool) -> str:
    trial = tuning.trial
    rows = [width for width in (2, 4, 8, 16, 32) if width in tuning.costs]
    ratios = ", ".join(f"{width}: {tuning.costs[width] / tuning.costs[1]:.1f}" for width in rows)
    gain = tuning.two_contexts
    busy = "other programs kept the processor busy: run it again when they do not"
    lines = [
        f"{pair.target.label}: {_settings(tuning)}",
        f"{trial.prompt_rate:.0f} prompt tokens/s, {1000 * trial.step_seconds:.1f} ms a token",
        f"cost of several rows at once, in single ones: {ratios}" if rows else busy,
        f"one context for prompts and another for answers would be {gain:.2f} times as fast: not used"
        if gain > 1
        else "one context serves prompts and answers best, of all that was tried",
        "kept: reviews use it from now on" if fresh else "measured earlier: `lrc tune --again` measures anew",
    ]
    return "\n".join(lines)


def _as_json(pair: "Pair", tuning: "Tuning", fresh: bool) -> str:
    import json
    from dataclasses import asdict

    data = {"version": 1, "target": pair.target.label, "measured_now": fresh, **asdict(tuning)}
    return json.dumps(data, indent=2)
