"""Applying a parsed change to the old text: the proof that nothing of it was lost."""

from lrc.diff import FileDiff, Kind


def applied(old: bytes, file: FileDiff) -> bytes:
    """The new content that the hunks of `file` make of the old one; fails when the old one does not fit."""
    rows = old.split(b"\n")
    ended = rows.pop() == b""  # nothing after the last newline
    if not ended:
        rows.append(old.rpartition(b"\n")[2])
    made: list[bytes] = []
    position = 0
    for hunk in file.hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        made += rows[position:start]
        position = start
        for line in hunk.lines:
            text = line.text.encode()
            if line.kind is not Kind.ADDED:
                assert line.old == position + 1, "old numbers count the old lines"
                assert rows[position] == text, "context and removed lines are those of the old file"
                position += 1
            if line.kind is not Kind.REMOVED:
                made.append(text)
                assert line.new == len(made), "new numbers count the new lines"
                ended = line.ends
    if position < len(rows):
        ended = old.endswith(b"\n")
    made += rows[position:]
    return b"\n".join(made) + (b"\n" if ended and made else b"")


def added(file: FileDiff) -> list[str]:
    """The text of all added lines, in order."""
    return [line.text for hunk in file.hunks for line in hunk.added]


def removed(file: FileDiff) -> list[str]:
    """The text of all removed lines, in order."""
    return [line.text for hunk in file.hunks for line in hunk.removed]
