"""The one error boundary: what was raised becomes one line and an exit code."""

import contextlib
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path

from lrc.errors import ExitCode, LrcError


def guarded(command: Callable[[], int]) -> int:
    """Runs `command` and gives its exit code; whatever it raises is said in one line on standard error.

    A fault of our own (exit 3) also leaves a log with the traceback, whose path is named; it holds code lines only,
    never the reviewed text.
    """
    _tolerate_any_encoding()
    try:
        return command()
    except LrcError as error:
        say(error.message, error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return ExitCode.INTERRUPTED
    except MemoryError:
        say("not enough memory for this review", "close other programs, or choose a smaller model with `lrc model use`")
        return ExitCode.ENVIRONMENT
    except Exception as error:  # the boundary: everything that is not foreseen ends here
        log = write_log(error)
        where = f"; details in {log}" if log else ""
        say(f"unexpected {type(error).__name__}{where}", "this is a fault of lrc; the commit itself is untouched")
        return ExitCode.UNEXPECTED


def emit(text: str) -> None:
    """Writes a result to standard output; a reader that went away (`lrc review | head`) is not an error."""
    try:
        sys.stdout.write(text if not text or text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output once more at exit, which must not fail again.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(message: str, hint: str = "") -> None:
    """One line for the user on standard error, and the way out on a second one."""
    # Control characters in a file name or revision must not move the cursor of the reader's terminal.
    lines = [f"lrc: {message}", *([f"     {hint}"] if hint else [])]
    for line in lines:
        print("".join(c if c.isprintable() else repr(c)[1:-1] for c in line), file=sys.stderr)


def _tolerate_any_encoding() -> None:
    """A name or comment that the terminal cannot show must never end in an exception (cp1252 consoles, `LANG=C`)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_log(error: Exception) -> str:
    """Keeps the traceback where a bug report can take it from; empty when even that fails."""
    import platform
    import tempfile
    import traceback

    from lrc import __version__

    # The exception's own text is left out: it may quote the reviewed file.
    frames = "".join(traceback.format_tb(error.__traceback__))
    about = f"lrc {__version__}, Python {platform.python_version()}, {platform.system()}"
    text = f"{about}\n{frames}{type(error).__name__}\n"
    with contextlib.suppress(OSError):
        with tempfile.NamedTemporaryFile("w", prefix="lrc-", suffix=".log", delete=False, encoding="utf-8") as file:
            file.write(text)
        return str(Path(file.name))
    return ""
