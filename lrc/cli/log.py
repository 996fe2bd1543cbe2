"""`lrc log`: which commits a review saw, and what went past it."""

from typing import TYPE_CHECKING, Annotated

import typer

from lrc.cli.options import Output, checked_format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lrc.ledger.fate import Fate
    from lrc.repo import Repository

LogFormat = Annotated[str, typer.Option("--format", envvar="LRC_FORMAT", help="terminal or json.")]
"""How what is known of commits is written."""


def log(
    revision: Annotated[
        str | None,
        typer.Argument(help="A commit and its history, or A..B. Without one: HEAD.", envvar="LRC_REVISION"),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option("-n", "--count", envvar="LRC_COUNT", min=1, help="At most this many commits; 20 without a range."),
    ] = None,
    output_format: LogFormat = "terminal",
    output: Output = None,
) -> None:
    """Say of each commit whether a review saw it, and if not, what went past it."""
    from lrc.repo import Repository

    checked_format(output_format)
    with Repository.discover() as repo:
        revisions = spelled(repo, revision)
        limit = count or (None if revision and ".." in revision else 20)
        fates = fates_of(repo, revisions, limit)
    show(_text(fates, output_format, output is None), output)


def fates_of(repo: "Repository", revisions: "Sequence[str]", limit: int | None = None) -> "list[Fate]":
    """What became of the commits that `revisions` names to git, newest first."""
    from lrc.ledger import walk
    from lrc.ledger.book import Book
    from lrc.ledger.fate import Past
    from lrc.ledger.keys import Hasher, hasher

    book = Book(repo.common_dir)
    # Without a ledger there is nothing to compare keys with; reading a history must not begin one.
    secret = hasher(repo.common_dir) if book.exists() else Hasher(b"")
    past = Past(book.entries(), walk.actions(repo))
    return [
        past.fate(commit, lambda wanted: walk.lines_of(repo, wanted, secret))
        for commit in walk.commits(repo, revisions, limit)
    ]


def spelled(repo: "Repository", revision: str | None) -> "tuple[str, ...]":
    """A revision or range as object names, which nothing can take for an option; WrongUsage when it names none."""
    from lrc.repo.revision import span_of

    if revision is None:
        return (repo.commit("HEAD"),)
    span = span_of(repo.place.git, revision)
    return (f"{span.base}..{span.new}",) if span else (repo.commit(revision),)


def show(text: str, output: Output) -> None:
    """Writes a result to standard output, or whole into a file."""
    from lrc.cli.boundary import emit
    from lrc.cli.review import write_aside

    if output is not None:
        write_aside(output, text)
    else:
        emit(text)


def _text(fates: "Sequence[Fate]", output_format: str, to_terminal: bool) -> str:
    import sys

    from lrc.render import options_for
    from lrc.render.log import render, render_json

    if output_format == "json":
        return render_json(fates)
    return render(fates, options_for(sys.stdout if to_terminal else None))
