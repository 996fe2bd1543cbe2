"""`lrc calibrate`: measures the target in use on the repository's own code, and sets when it speaks and blocks."""

from typing import TYPE_CHECKING, Annotated

import typer

from lrc.cli.log import LogFormat
from lrc.cli.options import Output, checked_format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lrc.quality.fitting import Wanted
    from lrc.quality.observing import Observation
    from lrc.reviewer.confidence import Calibration

CAPABLE = 7_000_000_000
"""Weights from which a target may know what is wrong with a hunk as a whole."""
LEAST_PLANTED = 40
LEAST_CLEAN = 15
"""Cases of each sort below which thresholds are set but the weights are left as they are."""


def calibrate(
    minutes: Annotated[
        float, typer.Option("--minutes", envvar="LRC_MINUTES", min=0.5, help="How long to measure at most.")
    ] = 30,
    findings: Annotated[
        float, typer.Option("--findings", min=0, help="Comments on a clean commit that you will bear, on average.")
    ] = 0.1,
    blocks: Annotated[
        float,
        typer.Option("--blocks", min=0, max=1, help="Share of clean commits that may be blocked: 0.02 is 1 in 50."),
    ] = 0.02,
    commits: Annotated[int, typer.Option("--commits", min=1, help="Look back over at most this many commits.")] = 300,
    whole: Annotated[
        bool | None,
        typer.Option(
            "--whole-hunks/--no-whole-hunks",
            help="Measure, too, what comments on whole hunks are worth; by default from 7 billion weights on.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the result and keep nothing.")] = False,
    output_format: LogFormat = "terminal",
    output: Output = None,
) -> None:
    """Plant defects in this repository's code, measure what the model finds, and set its thresholds.

    No labels are needed: recent commits are taken for clean, and the same code with one slip planted is not. What is
    measured is kept and added to by the next run.
    """
    from lrc import config
    from lrc.cli.log import show
    from lrc.cli.reviewer import installed_pair
    from lrc.cli.study import observations, progress
    from lrc.models.location import data_dir
    from lrc.quality.cases import Way
    from lrc.quality.fitting import Wanted
    from lrc.render.quality import render_calibration, render_calibration_json
    from lrc.repo import Repository
    from lrc.reviewer.confidence import kept_for

    checked_format(output_format)
    with Repository.discover() as repo:
        settings = config.load(repo.root).settings
        root = repo.root
    pair = installed_pair(settings)
    if whole is None:
        whole = pair.target.facts.parameters >= CAPABLE
    kept = data_dir() / "calibrations"
    seen = _earlier(_notes(kept, pair.target.sha256))
    # The seed moves on with what is known, so that a second run looks at other places.
    found = observations(
        settings,
        [root],
        minutes=minutes,
        ways=(Way.CLEAN, Way.ADDED, Way.MODIFIED),
        whole=whole,
        most=commits,
        seed=1 + len(seen),
        tell=progress(),
    )
    seen += _noted(found, None if dry_run else _notes(kept, pair.target.sha256))
    before = kept_for(pair.target.sha256, kept)
    after = _calibrated(seen, before, Wanted(findings, blocks), pair.target.sha256)
    if not dry_run:
        _keep(after, kept, pair.target.sha256)
    rendered = render_calibration_json if output_format == "json" else render_calibration
    show(rendered(seen, before, after), output)


def _notes(directory: "Path", target: str) -> "Path":
    return directory / f"{target[:16]}.jsonl"


def _earlier(path: "Path") -> "list[Observation]":
    from lrc.quality.observing import read

    return read(path) if path.is_file() else []


def _noted(found: "Iterator[Observation]", path: "Path | None") -> "list[Observation]":
    """All that is observed, each written down as it comes without any code: an interrupted run loses nothing."""
    from lrc.quality.observing import to_json, without_code

    seen = []
    for observation in found:
        seen.append(observation)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(to_json(without_code(observation)) + "\n")
    return seen


def _calibrated(seen: "Sequence[Observation]", before: "Calibration", wanted: "Wanted", target: str) -> "Calibration":
    """New weights where there are cases enough, else the known ones, with thresholds for what is wanted."""
    from dataclasses import replace

    from lrc.errors import WrongUsage
    from lrc.quality.cases import Way
    from lrc.quality.fitting import fit, whole_share, with_thresholds

    clean = sum(observation.way is Way.CLEAN for observation in seen)
    if not clean or clean == len(seen):
        raise WrongUsage(
            "no ordinary commits and code to plant in were found", "run it in a repository with history, or longer"
        )
    about = f"{len(seen) - clean} planted defects and {clean} clean commits of this machine's repositories"
    fitted = before
    if target not in before.targets and len(seen) - clean >= LEAST_PLANTED and clean >= LEAST_CLEAN:
        fitted = fit(seen, about)
    chosen = with_thresholds(seen, fitted, wanted)
    return replace(chosen, targets=(target,), about=about, whole=whole_share(seen))


def _keep(calibration: "Calibration", directory: "Path", target: str) -> None:
    from lrc.cli.review import write_aside
    from lrc.reviewer.confidence import kept_at, to_json

    directory.mkdir(parents=True, exist_ok=True)
    write_aside(kept_at(target, directory), to_json(calibration))
