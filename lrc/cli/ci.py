"""`lrc ci`: the review of what a CI run is about, with nobody watching."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrc.cli.options import FailOn, MaxFindings, NoModel, Output, Paths
from lrc.errors import EnvironmentFault

if TYPE_CHECKING:
    from lrc.cli.ci_range import Range
    from lrc.gate import Verdict
    from lrc.review import Report

_EVENT_LIMIT = 32_000_000
"""Bytes of an event file that are read; GitHub's own are below 25 MB, the limit of its webhooks."""


def ci(
    base: Annotated[
        str | None,
        typer.Option("--base", envvar="LRC_BASE", help="Review what the head has since it left this revision."),
    ] = None,
    head: Annotated[
        str | None, typer.Option("--head", envvar="LRC_HEAD", help="The newest commit to review, else HEAD.")
    ] = None,
    fail_on: FailOn = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            envvar="LRC_FORMAT",
            help="terminal, json, sarif or annotations. Without it: annotations on GitHub Actions, else terminal.",
        ),
    ] = None,
    output: Output = None,
    path: Paths = None,
    max_findings: MaxFindings = None,
    no_model: NoModel = False,
) -> None:
    """Review what a CI run is about. The range comes from GitHub Actions, GitLab CI or git, unless --base names it."""
    import os

    from lrc.cli.boundary import say
    from lrc.cli.ci_environment import on_github
    from lrc.cli.options import REVIEW_FORMATS, checked_format
    from lrc.cli.review import run_review

    github = on_github(os.environ)
    chosen = checked_format(output_format or ("annotations" if github else "terminal"), REVIEW_FORMATS)
    found = _found(base, head)
    say(f"reviewing {found.short} ({found.why})")

    def tell(report: "Report", verdict: "Verdict") -> None:
        from lrc.render.annotations import no_command
        from lrc.render.headline import headline
        from lrc.render.summary import summary

        if output is not None:
            say(no_command(headline(report, verdict)).removeprefix("lrc: "))
        if github:
            _summarise(summary(report, verdict, f"{found.short} ({found.why})"))

    flags = {"fail_on": fail_on, "max_findings": max_findings, "no_model": no_model or None}
    paths = tuple(path or ())
    code = run_review(
        None,
        revision=found.revision,
        flags=flags,
        output_format=chosen,
        output=output,
        paths=paths,
        record=False,  # the clone of a run is thrown away
        tell=tell,
    )
    raise typer.Exit(code)


def _found(base: str | None, head: str | None) -> "Range":
    """The range to review; a base that is given leaves the environment unread."""
    import os

    from lrc.cli.ci_environment import clue_from
    from lrc.cli.ci_range import Finder
    from lrc.repo import Repository

    with Repository.discover() as repo:
        finder = Finder(repo)
        if base is not None:
            return finder.given(base, head or "HEAD")
        return finder.found(clue_from(os.environ, _read_event), head)


def _read_event(path: str) -> bytes:
    """The event file's content; raises EnvironmentFault when it is no file that can be read whole."""
    from lrc.cli.ci_environment import GIVE_BASE

    try:
        # A pipe or a device of that name would be waited for without end.
        content = None
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                content = file.read(_EVENT_LIMIT + 1)
    except (OSError, ValueError):
        content = None
    if content is None or len(content) > _EVENT_LIMIT:
        raise EnvironmentFault("the event file that GITHUB_EVENT_PATH names cannot be read", GIVE_BASE)
    return content


def _summarise(text: str) -> None:
    """Appends to the job's summary page, where GitHub gives a file for it; that it cannot be written fails nothing."""
    import os

    from lrc.cli.boundary import say

    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text + "\n")
    except (OSError, ValueError):
        say("the job summary could not be written")
