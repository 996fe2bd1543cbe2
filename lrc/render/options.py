"""How output is to look, decided once from where it goes."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

_FILE_WIDTH = 100
_NARROWEST, _WIDEST = 40, 160


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """What a format may assume about the place where its text will be shown."""

    width: int = _FILE_WIDTH
    """Columns; long comments are wrapped to it, code is cut."""
    color: bool = False
    unicode: bool = True
    """False when the output cannot show more than ASCII: everything else is then escaped."""


def options_for(stream: TextIO | None, environ: Mapping[str, str] | None = None) -> RenderOptions:
    """The options for a stream; None stands for a file that is read later, by anything.

    Colour needs a real terminal, or FORCE_COLOR; NO_COLOR (any non-empty value, see no-color.org), a dumb terminal and
    the pre-commit framework, which shows captured text, turn it off.
    """
    if stream is None:
        return RenderOptions()
    environ = os.environ if environ is None else environ
    terminal = is_live(stream, environ)
    color = (terminal or bool(environ.get("FORCE_COLOR"))) and not environ.get("NO_COLOR")
    columns = shutil.get_terminal_size((_FILE_WIDTH, 24)).columns
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").replace("_", "")
    return RenderOptions(
        width=max(_NARROWEST, min(_WIDEST, columns)),
        color=color,
        unicode=encoding in ("utf8", "utf16", "utf32", "cp65001"),
    )


def is_live(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """True when somebody watches the stream on a terminal that can redraw itself."""
    try:
        terminal = stream.isatty()
    except (ValueError, AttributeError):  # closed, or not a real stream
        return False
    return terminal and environ.get("TERM") != "dumb" and "PRE_COMMIT" not in environ
