"""Says in the commit itself that it was reviewed: as a trailer of its message, or as a note beside it."""

from collections.abc import Sequence
from typing import Any


def write_trailer(arguments: Sequence[str], git: Any) -> None:
    """Nothing yet."""


def write_note(book: Any, worktree: str, tree: str, git: Any) -> None:
    """Nothing yet."""
