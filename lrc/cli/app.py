"""The command tree. Each command's body is imported only when that command runs."""

from collections.abc import Sequence
from typing import Annotated

import typer

from lrc import __version__
from lrc.cli import bench, calibrate, ci, config, dismiss, doctor, install, log, model, review, stats, tune
from lrc.errors import ExitCode

app = typer.Typer(
    name="lrc",
    help="Local review on commit: reviews the staged change on this machine, before it lands.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: rich would cost start-up time
    pretty_exceptions_enable=False,  # errors end in lrc.cli.boundary
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lrc {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Local review on commit: reviews the staged change on this machine, before it lands."""


app.command()(review.review)
app.command()(ci.ci)
app.command()(log.log)
app.command()(stats.stats)
app.command()(dismiss.dismiss)
app.command()(dismiss.baseline)
app.command()(install.install)
app.command()(install.uninstall)
app.add_typer(model.app, name="model")
app.command()(tune.tune)
app.command()(calibrate.calibrate)
app.add_typer(bench.app, name="bench")
app.command()(doctor.doctor)
app.add_typer(config.app, name="config")


@app.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}
)
def hook(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The hook that git runs: pre-commit, post-commit and others.")],
) -> None:
    """What git runs. `lrc install` writes the hook that calls it."""
    from lrc.cli.hook import run

    raise typer.Exit(run([name, *context.args]))


def run_app(arguments: Sequence[str]) -> int:
    """Runs the command line given in `arguments` and returns its exit code.

    Raises what the commands raise, for the boundary. Faults in the arguments themselves are shown by the framework,
    which alone knows the usage line, and give exit code 2.
    """
    try:
        app(args=list(arguments), prog_name="lrc")
    except SystemExit as end:
        if end.code == ExitCode.INTERRUPTED:
            raise KeyboardInterrupt from None
        return end.code if isinstance(end.code, int) else ExitCode.PASS
    return ExitCode.PASS
