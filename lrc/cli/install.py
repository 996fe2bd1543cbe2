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
Everywhere = Annotated[bool, typer.Option("--global", help="For every repository of this user.")]
Configured = Annotated[
    bool, typer.Option("--config-hooks", help="Name the hooks in git's configuration, with no hook file (git 2.54).")
]


def install(on_error: OnError = None, everywhere: Everywhere = False, configured: Configured = False) -> None:
    """Review every commit of this repository: write the git hooks, keeping the ones that are there."""
    from lrc.cli.boundary import emit, say
    from lrc.config import ON_ERROR
    from lrc.errors import WrongUsage
    from lrc.install import configured as in_configuration
    from lrc.install import everywhere as in_all
    from lrc.install import repository

    if on_error is not None and on_error not in ON_ERROR:
        raise WrongUsage(f"--on-error cannot be {on_error!r}", f"choose from {', '.join(ON_ERROR)}")
    if everywhere and configured:
        raise WrongUsage("--global and --config-hooks exclude each other", "give one of them")
    choice = on_error or ""
    try:
        if everywhere:
            lines = in_all.install(on_error=choice)
        elif configured:
            lines = in_configuration.install(on_error=choice)
            # One way in at a time, or every commit would be reviewed twice.
            lines += repository.take_out_files()
        else:
            lines = repository.install(on_error=choice)
            lines += in_configuration.uninstall()
        emit("\n".join(lines))
    except repository.InstallElsewhere as error:
        say(error.message, error.hint)
        emit(error.advice.snippet)
        raise typer.Exit(error.exit_code) from None


def uninstall(everywhere: Everywhere = False) -> None:
    """Take the git hooks out of this repository and put back what was there before."""
    from lrc.cli.boundary import emit
    from lrc.install import configured as in_configuration
    from lrc.install import everywhere as in_all
    from lrc.install import repository

    lines = in_all.uninstall() if everywhere else in_configuration.uninstall() + repository.uninstall()
    emit("\n".join(lines or ["nothing of lrc is installed here"]))
