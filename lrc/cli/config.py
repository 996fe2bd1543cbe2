"""`lrc config`: what is set, where from, and whether it is sound."""

from pathlib import Path
from typing import Annotated

import typer

from lrc.errors import ExitCode

app = typer.Typer(help="Show, check or start the configuration.", no_args_is_help=True, rich_markup_mode=None)


def root_here() -> Path | None:
    """The repository's root, or None outside one: configuration can be read anywhere."""
    from lrc.errors import EnvironmentFault
    from lrc.repo import Repository

    try:
        with Repository.discover() as repo:
            return repo.root
    except EnvironmentFault:
        return None


@app.command()
def show(
    output_format: Annotated[str, typer.Option("--format", envvar="LRC_FORMAT", help="terminal or json.")] = "terminal",
) -> None:
    """Show every key, its value and where the value comes from."""
    from lrc import config
    from lrc.cli.boundary import emit
    from lrc.cli.options import checked_format

    loaded = config.load(root_here())
    rows = [(key, config.shown(getattr(loaded.settings, key)), loaded.origins[key]) for key in config.KEYS]
    if checked_format(output_format) == "json":
        import json

        emit(json.dumps({key: {"value": value, "origin": origin} for key, value, origin in rows}, indent=2))
        return
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    emit("\n".join(f"{key:<{widths[0]}}  {value:<{widths[1]}}  {origin}" for key, value, origin in rows))


@app.command()
def check() -> None:
    """Check every configuration file and variable; exit 2 when one is faulty."""
    from lrc import config
    from lrc.cli.boundary import emit

    problems = config.problems(root_here())
    emit("\n".join(problems) if problems else "configuration is sound")
    raise typer.Exit(ExitCode.USAGE if problems else ExitCode.PASS)


@app.command()
def init(
    user: Annotated[
        bool, typer.Option("--user", envvar="LRC_USER", help="Your own file, not the repository's.")
    ] = False,
) -> None:
    """Write a commented lrc.toml at the repository's root. An existing file is left alone."""
    from lrc import config
    from lrc.cli.boundary import emit
    from lrc.errors import EnvironmentFault, WrongUsage

    root = root_here()
    if root is None and not user:
        raise EnvironmentFault("not inside a git repository", "run it in one, or give --user for your own file")
    path = config.user_file() if user or root is None else root / "lrc.toml"
    if path.exists():
        raise WrongUsage(f"{path} exists already", "`lrc config show` tells what it sets")
    config.write_template(path, user=user)
    emit(f"wrote {path}")
