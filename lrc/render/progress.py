"""What a user sees while waiting: the stage, the hunks done, the tokens a second. On a real terminal only."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lrc.findings import Finding
from lrc.render.options import is_live
from lrc.review import Listener, Silent

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextmanager
def progress_for(*, hook: bool = False) -> Iterator[Listener]:
    """A listener that draws on standard error and leaves nothing behind; the silent one where nobody watches.

    A hook draws too when git runs it in a terminal, and never under the pre-commit framework, which keeps hook output
    until the end. `hook` says so for the reader of a call; the streams decide.
    """
    if not is_live(sys.stderr, os.environ):
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr, legacy_windows=False)
    ascii_only = not (sys.stderr.encoding or "ascii").lower().startswith("utf")
    columns = (
        SpinnerColumn("line" if ascii_only else "dots"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as live:
        yield LiveListener(live)


class LiveListener:
    """Passes what it is told on to a rich progress display."""

    def __init__(self, live: "Progress") -> None:
        self._live = live
        self._task: TaskID | None = None
        self._tokens = 0
        self._seconds = 0.0
        self._findings = 0

    def stage(self, name: str, total: int) -> None:
        """Shows a new stage in place of the one before."""
        if self._task is not None:
            self._live.remove_task(self._task)
        self._task = self._live.add_task(name, total=total or None, detail=self._detail())

    def advance(self, steps: int = 1) -> None:
        """Moves the bar."""
        if self._task is not None:
            self._live.update(self._task, advance=steps, detail=self._detail())

    def tokens(self, count: int, seconds: float) -> None:
        """Shows the mean rate so far."""
        self._tokens += count
        self._seconds += seconds
        if self._task is not None:
            self._live.update(self._task, detail=self._detail())

    def finding(self, finding: Finding) -> None:
        """Shows how many findings there are."""
        self._findings += 1
        if self._task is not None:
            self._live.update(self._task, detail=self._detail())

    def _detail(self) -> str:
        parts = []
        if self._findings:
            parts.append(f"{self._findings} finding{'' if self._findings == 1 else 's'}")
        if self._tokens and self._seconds > 0:
            parts.append(f"{self._tokens / self._seconds:.0f} tok/s")
        return ", ".join(parts)
