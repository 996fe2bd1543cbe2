"""`lrc doctor`: whether a review can run here, line by line, each with its way out."""

from typing import TYPE_CHECKING, Annotated

import typer

from lrc.errors import ExitCode

if TYPE_CHECKING:
    from lrc.cli.checkup import Check


def doctor(
    output_format: Annotated[str, typer.Option("--format", envvar="LRC_FORMAT", help="terminal or json.")] = "terminal",
) -> None:
    """Check git, hook, models, memory and processor, and decode one token. Exit 4 when no review can run."""
    from lrc.cli.checkup import checks
    from lrc.cli.options import checked_format
    from lrc.cli.watch import watcher

    wanted = checked_format(output_format)
    found: list[Check] = []
    with watcher(quiet=True) as watch:
        for check in checks(watch):
            found.append(check)
            if wanted == "terminal":
                _show(check)
    failed = [check.name for check in found if check.status == "fail"]
    if wanted == "json":
        _emit_json(found, not failed)
    else:
        _conclude(failed)
    if failed:
        raise typer.Exit(ExitCode.ENVIRONMENT)


def _show(check: "Check") -> None:
    """One line, and the way out under it."""
    from rich.console import Console
    from rich.text import Text

    from lrc.cli.watch import printable

    colour = {"ok": "green", "warn": "yellow", "fail": "bold red"}[check.status]
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text.assemble((f"{check.status:<5}", colour), f"{check.name:<14}", printable(check.detail)))
    if check.way_out:
        console.print(Text(f"{'':<19}{printable(check.way_out)}"))


def _conclude(failed: list[str]) -> None:
    from lrc.cli.boundary import emit

    emit(f"\nno review can run: {', '.join(failed)}" if failed else "\na review can run here")


def _emit_json(found: list["Check"], ready: bool) -> None:
    import json
    from dataclasses import asdict

    from lrc.cli.boundary import emit

    emit(json.dumps({"version": 1, "ready": ready, "checks": [asdict(check) for check in found]}, indent=2))
