"""`lrc bench`: how fast and how good the engine and the reviewer are here, measured."""

import typer

from lrc.cli.quality import quality
from lrc.cli.speed import speed

app = typer.Typer(no_args_is_help=True, help="Measure the engine's speed and the reviewer's quality.")

app.command()(speed)
app.command()(quality)
