"""How the work on models is watched: bars on a real terminal, else a line at each milestone. All on standard error."""

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import TaskID

_MILESTONES = 4
"""Lines a task may tell between its begin and its end when nobody watches a bar."""
_SECONDS_APART = 5.0
"""Time between two such lines at least: a task of a second needs none."""


class Watcher(Protocol):
    """A listener of `lrc.models` that is opened and closed around the work."""

    def __enter__(self) -> "Watcher":
        """Begin to watch."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""

    def begin(self, task: str, total: int) -> None:
        """See `lrc.models.progress.Listener`."""

    def at(self, done: int) -> None:
        """See `lrc.models.progress.Listener`."""

    def end(self) -> None:
        """See `lrc.models.progress.Listener`."""

    def note(self, line: str) -> None:
        """See `lrc.models.progress.Listener`."""


def watcher(quiet: bool = False) -> Watcher:
    """The watcher that fits standard error; `quiet` shows neither bars nor milestones, notes only."""
    if quiet:
        return Lines(milestones=0)
    live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and "PRE_COMMIT" not in os.environ
    return Bars() if live else Lines()


class Bars:
    """A bar with bytes, rate and time left for the task under way."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.progress import TransferSpeedColumn as SpeedColumn

        text = TextColumn("{task.description}", markup=False)
        columns = (text, BarColumn(), DownloadColumn(), SpeedColumn(), TimeRemainingColumn())
        self._progress: Progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task: TaskID | None = None

    def __enter__(self) -> "Bars":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, task: str, total: int) -> None:
        """A new bar takes the place of the one before."""
        self.end()
        self._task = self._progress.add_task(printable(task), total=total)

    def at(self, done: int) -> None:
        """Move the bar."""
        if self._task is not None:
            self._progress.update(self._task, completed=done)

    def end(self) -> None:
        """Take the bar away; what came of it is told by a note."""
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None

    def note(self, line: str) -> None:
        """One line above the bar."""
        self._progress.console.print(printable(line), markup=False, highlight=False, soft_wrap=True)


class Lines:
    """Plain lines, for logs and pipes."""

    def __init__(self, milestones: int = _MILESTONES) -> None:
        self._milestones = milestones
        self._task, self._total, self._told, self._last = "", 0, 0, 0.0

    def __enter__(self) -> "Lines":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def begin(self, task: str, total: int) -> None:
        """Name the task and its size."""
        self._task, self._total, self._told = task, total, 0
        if self._milestones:
            self.note(f"{task}: {size(total)}")

    def at(self, done: int) -> None:
        """A line at a quarter that was passed, unless one was told just now."""
        passed = self._milestones * done // self._total if self._total else 0
        if self._told < passed < self._milestones and time.monotonic() > self._last + _SECONDS_APART:
            self._told = passed
            self.note(f"{self._task}: {100 * passed // self._milestones} %")

    def end(self) -> None:
        """Nothing to say: a note tells what came of it."""

    def note(self, line: str) -> None:
        """The line itself."""
        self._last = time.monotonic()
        print(printable(line), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """`text` without characters that would move a terminal's cursor: names inside a model file are not ours."""
    return "".join(character if character.isprintable() else " " for character in text)


def size(count: float) -> str:
    """`count` bytes in the unit that people read, powers of ten as disks and registries count."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.2f} GB"
