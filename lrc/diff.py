"""A git change as values: files, hunks and numbered lines. Pure: bytes in, values out."""

from dataclasses import dataclass, field
from enum import Enum


class Side(str, Enum):
    """Which version of a file a line number counts in."""

    NEW = "new"
    OLD = "old"


class Kind(str, Enum):
    """What a diff line does; the value is git's marker."""

    ADDED = "+"
    REMOVED = "-"
    CONTEXT = " "


class Status(str, Enum):
    """What happened to a file; the value is the letter of `git diff --raw`."""

    ADDED = "A"
    COPIED = "C"
    DELETED = "D"
    MODIFIED = "M"
    RENAMED = "R"
    TYPE_CHANGED = "T"
    UNMERGED = "U"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk, without its marker and line end."""

    kind: Kind
    text: str
    old: int | None
    """1-based number in the old file; None for an added line, and for a context line that came from another parent."""
    new: int | None
    """1-based number in the new file; None for a removed line."""
    ends: bool = True
    """False when the file ends here without a newline."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One contiguous change with the context lines that git printed around it."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    """What git printed after the second `@@`: usually the enclosing function's first line."""
    lines: tuple[Line, ...]

    @property
    def added(self) -> tuple[Line, ...]:
        """The added lines, in order."""
        return tuple(line for line in self.lines if line.kind is Kind.ADDED)

    @property
    def removed(self) -> tuple[Line, ...]:
        """The removed lines, in order."""
        return tuple(line for line in self.lines if line.kind is Kind.REMOVED)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a change does to one file."""

    path: str
    """Repository-relative, `/`-separated; bytes that are not UTF-8 are kept by surrogateescape."""
    status: Status
    old_path: str | None = None
    """The source of a rename or copy, else None."""
    old_mode: str = "000000"
    new_mode: str = "000000"
    old_blob: str = ""
    """Full object name of the old content; empty when there is none."""
    new_blob: str = ""
    """Full object name of the new content; empty when there is none."""
    binary: bool = False
    lossy: bool = False
    """True when the content is not valid UTF-8: undecodable bytes are shown as U+FFFD."""
    truncated: bool = False
    """True when the file's diff was larger than the reader's cap and its hunks are not held."""
    hunks: tuple[Hunk, ...] = field(default=())
    fault: str = ""
    """Why the content could not be read, in words; empty when it was. Then there are no hunks."""

    @property
    def is_submodule(self) -> bool:
        """True for a gitlink: the change is a commit id, there is no blob to read."""
        return "160000" in (self.old_mode, self.new_mode)

    @property
    def is_symlink(self) -> bool:
        """True when the new content is a link's target, not text."""
        return self.new_mode == "120000"
