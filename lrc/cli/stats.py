"""`lrc stats`: the reviewed share of commits, findings and overridden blocks, week by week."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrc.cli.log import LogFormat
from lrc.cli.options import Output, checked_format

if TYPE_CHECKING:
    from lrc.ledger.statistics import Week
    from lrc.repo import Repository


def stats(
    weeks: Annotated[
        int, typer.Option("--weeks", envvar="LRC_WEEKS", min=1, max=520, help="How far to look back.")
    ] = 12,
    output_format: LogFormat = "terminal",
    output: Output = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", envvar="LRC_HTML", help="Also write a page with a chart to this file.", dir_okay=False),
    ] = None,
) -> None:
    """Show week by week what share of commits was reviewed, what was found, and which blocks were overridden."""
    import sys

    from lrc.cli.log import show
    from lrc.render import options_for
    from lrc.render.statistics import render, render_json
    from lrc.repo import Repository

    checked_format(output_format)
    with Repository.discover() as repo:
        found = _weeks(repo, weeks)
        name = repo.root.name
    if html is not None:
        from lrc.cli.review import write_aside
        from lrc.render.statisticspage import render as page

        write_aside(html, page(found, name))
    if output_format == "json":
        show(render_json(found), output)
    else:
        show(render(found, options_for(None if output else sys.stdout)), output)


def _weeks(repo: "Repository", most: int) -> "list[Week]":
    """The weeks since the ledger began, at most so many."""
    from datetime import UTC, datetime, timedelta

    from lrc.cli.log import fates_of
    from lrc.errors import WrongUsage
    from lrc.ledger.book import Book
    from lrc.ledger.fate import Past
    from lrc.ledger.statistics import weeks

    past = Past(Book(repo.common_dir).entries())
    if past.began is None:
        raise WrongUsage("there is no ledger here yet", "`lrc install` begins one, and so does any review")
    now = datetime.now(UTC)
    first = max(datetime.fromtimestamp(past.began, UTC), now - timedelta(weeks=most - 1))
    since = () if repo.is_empty() else (repo.commit("HEAD"), f"--since=@{int(first.timestamp())}")
    return weeks(fates_of(repo, since) if since else (), past.reviews, first, now)
