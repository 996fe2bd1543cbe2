"""Live progress, and where there is none."""

import io
import sys

import pytest

from lrc.render.options import is_live, options_for
from lrc.render.progress import progress_for
from lrc.review import Silent


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Always."""
        return True


def drive(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, **environ: str) -> bool:
    """Runs every event through a listener on `stream`; True when it was a live one.

    Standard error is replaced here and not in a fixture: pytest puts its own in place again between the two.
    """
    monkeypatch.setattr(sys, "stderr", stream)
    for name, value in ({"TERM": "xterm", "COLUMNS": "100"} | environ).items():
        monkeypatch.setenv(name, value)
    with progress_for() as listener:
        listener.advance()
        listener.tokens(1, 0.0)
        listener.stage("loading the model", 0)
        listener.stage("reviewing [bold]", 3)
        listener.tokens(40, 2.0)
        listener.advance()
        return not isinstance(listener, Silent)


def test_terminal_sees_stage_hunks_and_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the stage, the hunks done and the tokens a second are shown, markup taken as text."""
    terminal = Terminal()
    assert drive(terminal, monkeypatch)
    shown = terminal.getvalue()
    assert "reviewing [bold]" in shown
    assert "1/3" in shown
    assert "20 tok/s" in shown


@pytest.mark.parametrize(("name", "value"), [("PRE_COMMIT", "1"), ("TERM", "dumb")])
def test_nothing_is_drawn_where_nobody_can_see_it(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Under pre-commit and on a dumb terminal there is no display at all."""
    terminal = Terminal()
    assert not drive(terminal, monkeypatch, **{name: value})
    assert terminal.getvalue() == ""


def test_captured_output_has_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal nothing is drawn."""
    stream = io.StringIO()
    assert not drive(stream, monkeypatch)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("environ", "color"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "PRE_COMMIT": "1"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_follows_terminal_and_environment(environ: dict[str, str], color: bool) -> None:
    """NO_COLOR wins, then FORCE_COLOR, then whether somebody watches a real terminal."""
    assert options_for(Terminal(), environ).color is color


def test_options_follow_the_stream() -> None:
    """A stream of another encoding gets ASCII, a file no colour; a closed stream is no terminal."""
    latin = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    assert not options_for(latin, {}).unicode
    assert not options_for(None).color and options_for(None).unicode
    closed = io.StringIO()
    closed.close()
    assert not is_live(closed, {})
