"""`lrc install` and `lrc uninstall`."""

from typing import Annotated

import typer

OnError = Annotated[
    str | None,
    typer.Option(
        "--on-error",
        envvar="LRC_ON_ERROR",
        help="When no review is possible: warn (let the commit go) or block. Default: what the configuration says.",
    ),
]


def install(on_error: OnError = None) -> None:
    """Review every commit of this repository: write the git hooks, keeping the ones that are there."""
    from lrc.cli.boundary import emit, say
    from lrc.config import ON_ERROR
    from lrc.errors import WrongUsage
    from lrc.install import repository

    if on_error is not None and on_error not in ON_ERROR:
        raise WrongUsage(f"--on-error cannot be {on_error!r}", f"choose from {', '.join(ON_ERROR)}")
    try:
        emit("\n".join(repository.install(on_error=on_error or "")))
    except repository.InstallElsewhere as error:
        say(error.message, error.hint)
        emit(error.advice.snippet)
        raise typer.Exit(error.exit_code) from None


def uninstall() -> None:
    """Take the git hooks out of this repository and put back what was there before."""
    from lrc.cli.boundary import emit
    from lrc.install import repository

    emit("\n".join(repository.uninstall()))
