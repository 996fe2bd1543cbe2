"""`lrc bench quality`: what the reviewer finds of planted defects, and what it says about clean commits."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrc.cli.log import LogFormat
from lrc.cli.options import Drafter, Exact, Output, checked_format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lrc.quality.judging import Judgement
    from lrc.quality.observing import Observation
    from lrc.reviewer.confidence import Calibration


def quality(
    repo: Annotated[
        list[Path] | None, typer.Option("--repo", help="A repository to take code and commits from; may be repeated.")
    ] = None,
    package: Annotated[
        list[str] | None, typer.Option("--package", help="An installed package to plant in; may be repeated.")
    ] = None,
    minutes: Annotated[
        float, typer.Option("--minutes", envvar="LRC_MINUTES", min=0.1, help="How long to measure at most.")
    ] = 30,
    commits: Annotated[int, typer.Option("--commits", min=1, help="Clean commits taken of each repository.")] = 50,
    prompt: Annotated[
        bool, typer.Option("--prompt/--no-prompt", help="Ask the classic way beside it; that takes most of the time.")
    ] = True,
    seed: Annotated[int, typer.Option("--seed", help="Another seed plants other defects.")] = 7,
    drafter: Drafter = None,
    exact: Exact = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with curves to this file.", dir_okay=False)
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Append every observation to this file.", dir_okay=False)
    ] = None,
    use: Annotated[
        list[Path] | None, typer.Option("--use", help="Judge kept observations again instead of measuring.")
    ] = None,
    output_format: LogFormat = "terminal",
    output: Output = None,
) -> None:
    """Plant defects in real code and count what is found, and what is said about commits taken for clean.

    Detectors with measuring, and the classic way of asking the model, are judged on the same cases in the same run.
    """
    from lrc import config
    from lrc.cli.log import show
    from lrc.cli.reviewer import calibration_for, installed_pair
    from lrc.cli.study import observations, progress
    from lrc.quality.cases import Way
    from lrc.quality.observing import read, to_json
    from lrc.render.quality import render, render_json

    checked_format(output_format)
    settings = config.load(Path.cwd(), {"drafter": drafter, "exact": exact or None}).settings
    seen = [observation for path in use or () for observation in read(path)]
    if not use:
        found = observations(
            settings,
            repo or ([] if package else [Path.cwd()]),
            packages=[_directory(name) for name in package or ()],
            minutes=minutes,
            ways=tuple(Way),
            prompt=prompt,
            most=commits,
            seed=seed,
            tell=progress(),
        )
        for observation in found:
            seen.append(observation)
            if keep is not None:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(to_json(observation) + "\n")
    calibration = calibration_for(installed_pair(settings))
    judged = judgements(seen, calibration)
    if html is not None:
        from lrc.cli.review import write_aside
        from lrc.render.qualitypage import page

        write_aside(html, page(judged, seen, calibration))
    show((render_json if output_format == "json" else render)(judged, seen, calibration), output)


def _directory(package: str) -> Path:
    """Where an installed package's code is; WrongUsage when it is not installed or is a single file."""
    from importlib.util import find_spec

    from lrc.errors import WrongUsage

    found = find_spec(package) if package.isidentifier() else None
    for place in (found.submodule_search_locations or ()) if found is not None else ():
        return Path(place)
    raise WrongUsage(f"no installed package is named {package!r}", "name one that `pip list` shows, as it is imported")


def judgements(seen: "Sequence[Observation]", calibration: "Calibration") -> "list[Judgement]":
    """Measuring, and the classic way on those cases on which it was asked."""
    from lrc.quality.judging import judge, measured, prompted

    judged = [judge("measure", seen, measured(calibration), lambda one: one.seconds)]
    asked = [observation for observation in seen if observation.prompted is not None]
    if asked:
        judged.append(judge("prompt", asked, prompted, lambda one: one.prompted_seconds))
    return judged
