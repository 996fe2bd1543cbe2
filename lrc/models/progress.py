"""How long work on a model tells its progress, without knowing who watches."""

from typing import Protocol


class Listener(Protocol):
    """Watches bytes arrive or be hashed. Calls come from one thread at a time."""

    def begin(self, task: str, total: int) -> None:
        """A task named `task` of `total` bytes starts; the one before it has ended."""

    def at(self, done: int) -> None:
        """`done` bytes of the current task are behind us (absolute; may step back after a failed part)."""

    def end(self) -> None:
        """The current task is over, well or not."""

    def note(self, line: str) -> None:
        """One line worth telling: a source that failed, a file that is ready."""


class Silent:
    """The listener that does nothing; the default, so that nobody asks whether somebody watches."""

    def begin(self, task: str, total: int) -> None:
        """Nothing to do."""

    def at(self, done: int) -> None:
        """Nothing to do."""

    def end(self) -> None:
        """Nothing to do."""

    def note(self, line: str) -> None:
        """Nothing to do."""


SILENT = Silent()
"""The null object, shared."""
