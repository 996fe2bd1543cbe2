"""A change written as text: the fewest words that make a `FileDiff`."""

from collections.abc import Iterable

from lrc.diff import FileDiff, Hunk, Kind, Line, Status

MARKS = {"+": Kind.ADDED, "-": Kind.REMOVED, " ": Kind.CONTEXT, "!": Kind.ADDED, "~": Kind.REMOVED}


def hunk(lines: Iterable[str], start: int = 1) -> Hunk:
    """One hunk; each line begins with its mark (`+`, `-`, blank; `!` and `~` are `+` and `-` that a test points at)."""
    old = new = start
    made = []
    for text in lines:
        kind = MARKS[text[:1] or " "]
        made.append(Line(kind, text[1:], None if kind is Kind.ADDED else old, None if kind is Kind.REMOVED else new))
        old += kind is not Kind.ADDED
        new += kind is not Kind.REMOVED
    return Hunk(start, old - start, start, new - start, "", tuple(made))


def change(path: str, *bodies: str, status: Status = Status.MODIFIED) -> FileDiff:
    """A changed file with one hunk a body; the hunks lie 100 lines apart."""
    hunks = tuple(hunk(body.split("\n"), 1 + 100 * index) for index, body in enumerate(bodies))
    return FileDiff(path, status, old_mode="100644", new_mode="100644", hunks=hunks)


def new_text(file: FileDiff) -> str:
    """The new version that the hunks show, blank lines between them."""
    lines: list[str] = []
    for part in file.hunks:
        lines += [""] * (part.new_start - 1 - len(lines))
        lines += [line.text for line in part.lines if line.new is not None]
    return "\n".join(lines) + "\n"
