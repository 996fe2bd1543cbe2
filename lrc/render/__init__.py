"""Report and verdict to text, one format a file. A format is added to the table below."""

from collections.abc import Callable

from lrc.gate import Verdict
from lrc.render import annotations, jsonout, plain, sarif, terminal
from lrc.render.options import RenderOptions, options_for
from lrc.review import Report

__all__ = ["FORMATS", "Format", "RenderOptions", "options_for"]

Format = Callable[[Report, Verdict, RenderOptions], str]
"""Gives the whole text, without a line end after the last line."""

FORMATS: dict[str, Format] = {
    "terminal": terminal.render,
    "json": jsonout.render,
    "sarif": sarif.render,
    "annotations": annotations.render,
    "hook": plain.render,
}
"""Every format by the name that `--format` takes; `hook` is what the git hook prints."""
