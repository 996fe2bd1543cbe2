"""Reader of what `git diff --raw -p -z --full-index` writes. Pure: a byte source in, `FileDiff` values out.

Paths, modes and object names come from the NUL-separated raw records, which git never quotes; hunks come from the
patch that follows. A hunk is read by the line counts of its header, so nothing inside a file can pass for a header,
and only `\\n` ends a line: CR, form feed, NUL and U+2028 are data. (Output format: git-diff-tree(1), "Raw output
format"; observed with git 2.39.)
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from lrc.diff import FileDiff, Hunk, Kind, Line, Status
from lrc.errors import LrcError

FILE_CAP = 8 * 1024 * 1024
"""Bytes of hunk text kept for one file unless the caller says otherwise; above it a file comes out `truncated`."""

GITLINK = "160000"
"""The mode of a submodule entry (gitlink)."""

_CHUNK = 1 << 16
_LEAST_KEPT = 1 << 20
"""Bytes of a line that are kept however small the cap: records and headers are not content."""
_KINDS = {b"+": Kind.ADDED, b"-": Kind.REMOVED, b" ": Kind.CONTEXT, b"": Kind.CONTEXT}
"""Kinds by marker; a line without any is the empty context line of `diff.suppressBlankEmpty`."""
_HUNK = re.compile(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(?: (.*))?", re.DOTALL)


class PatchFault(LrcError):
    """git's output does not have the form that its documentation promises."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the output of git diff could not be understood: {what}",
            "check `git --version` (2.31 or newer) and report the change that did this",
        )


class Feed:
    """Records and lines out of a byte source, in bounded memory."""

    def __init__(self, read: Callable[[int], bytes], keep: int = FILE_CAP) -> None:
        self._read = read
        self._keep = max(keep, _LEAST_KEPT)
        self._buffer = b""
        self._position = 0
        self.cut = False
        """True once a line was longer than the cap and lost its tail; the reader of a file resets it."""

    def starts(self, *heads: bytes) -> bool:
        """True when the data from here on begins with one of `heads`; nothing is consumed."""
        longest = max(map(len, heads))
        while len(self._buffer) - self._position < longest and self._more():
            continue
        return self._buffer.startswith(heads, self._position)

    def ended(self) -> bool:
        """True when there is no more data."""
        return self._position >= len(self._buffer) and not self._more()

    def line(self) -> bytes | None:
        """The next line without its newline; None at the end of the data."""
        return self._until(b"\n")

    def record(self) -> bytes | None:
        """The next NUL-terminated record; None at the end of the data."""
        return self._until(b"\0")

    def _more(self) -> bool:
        """Reads on behind what is not consumed yet; False at the end."""
        chunk = self._read(_CHUNK)
        self._buffer, self._position = self._buffer[self._position :] + chunk, 0
        return bool(chunk)

    def _until(self, end: bytes) -> bytes | None:
        """Everything up to `end`, which is consumed; bytes beyond the cap are thrown away as they come."""
        start = self._position
        at = self._buffer.find(end, start)
        if at >= 0:
            self._position = at + 1
            return self._buffer[start:at]
        parts = [self._buffer[start:]]
        held = len(parts[0])
        while True:
            self._buffer, self._position = self._read(_CHUNK), 0
            if not self._buffer:
                return b"".join(parts) if held else None
            at = self._buffer.find(end)
            piece = self._buffer[: at if at >= 0 else None]
            if len(piece) > self._keep - held:
                piece, self.cut = piece[: self._keep - held], True
            parts.append(piece)
            held += len(piece)
            if at >= 0:
                self._position = at + 1
                return b"".join(parts)


@dataclass(slots=True)
class Body:
    """The patch of one file while it is read: hunks, and what was noticed on the way."""

    cap: int
    hunks: list[Hunk] = field(default_factory=list)
    size: int = 0
    binary: bool = False
    lossy: bool = False
    truncated: bool = False

    def decode(self, data: bytes) -> str:
        """UTF-8 text; undecodable bytes become U+FFFD and mark the file as lossy."""
        try:
            return data.decode()
        except UnicodeDecodeError:
            self.lossy = True
            return data.decode("utf-8", "replace")

    def room(self, data: bytes) -> bool:
        """Counts a line; False (and nothing is kept any more) once the file is over its cap."""
        self.size += len(data) + 1
        if self.size > self.cap and not self.truncated:
            self.truncated = True
            self.hunks.clear()
        return not self.truncated


def path_of(raw: bytes) -> str:
    """A path as `str`; bytes that are not UTF-8 survive as surrogates and `raw_of` gives them back."""
    return raw.decode("utf-8", "surrogateescape")


def raw_of(path: str) -> bytes:
    """The bytes of a path made by `path_of`."""
    return path.encode("utf-8", "surrogateescape")


def read_files(read: Callable[[int], bytes], cap: int = FILE_CAP) -> Iterator[FileDiff]:
    """The files of a two-sided change, one by one as they arrive.

    `read(n)` gives up to n bytes of `git diff --raw -p -z --full-index` (or diff-index, diff-tree) and b"" at the
    end. Raises `PatchFault` when records, headers and line counts do not agree.
    """
    feed = Feed(read, cap)
    for entry in list(read_records(feed)):
        yield _read_entry(feed, entry, cap)
    if not feed.ended():
        raise PatchFault("more patches than records")


def read_patch(read: Callable[[int], bytes], entry: FileDiff, cap: int = FILE_CAP) -> FileDiff:
    """The file with the hunks of a patch of two blobs (`git diff --full-index OLD NEW`); raises `PatchFault`."""
    return _read_entry(Feed(read, cap), entry, cap)


def whole_file(entry: FileDiff, removed: bytes | None, added: bytes | None, cap: int = FILE_CAP) -> FileDiff:
    """The file with hunks that remove all of the old content and add all of the new; None stands for no content."""
    body = Body(cap)
    for kind, content in ((Kind.REMOVED, removed), (Kind.ADDED, added)):
        rows = (content or b"").split(b"\n")
        ended = rows.pop() == b""
        if content and not ended:
            rows.append(content.rpartition(b"\n")[2])
        lines = []
        for number, row in enumerate(rows, 1):
            ends = ended or number < len(rows)
            if body.room(b"+" + row):
                old, new = (number, None) if kind is Kind.REMOVED else (None, number)
                lines.append(Line(kind, body.decode(row), old, new, ends))
        if lines and not body.truncated:
            old_count, new_count = (len(lines), 0) if kind is Kind.REMOVED else (0, len(lines))
            body.hunks.append(Hunk(min(old_count, 1), old_count, min(new_count, 1), new_count, "", tuple(lines)))
    return replace(entry, lossy=body.lossy, truncated=body.truncated, hunks=tuple(body.hunks))


def read_records(feed: Feed) -> Iterator[FileDiff]:
    """The raw records at the head of the output, as files without hunks."""
    while (head := feed.record()) is not None:
        if not head:
            return  # an empty record separates the records from the patches
        fields = head.split(b" ")
        if len(fields) != 5 or not head.startswith(b":") or not fields[4]:
            raise PatchFault("a raw record is malformed")
        try:
            status = Status(fields[4][:1].decode("ascii", "replace"))
        except ValueError:
            raise PatchFault("a raw record has an unknown status") from None
        first = feed.record()
        second = feed.record() if status in (Status.RENAMED, Status.COPIED) else first
        if first is None or second is None:
            raise PatchFault("a raw record has no path")
        yield FileDiff(
            path=path_of(second),
            status=status,
            old_path=path_of(first) if second is not first else None,
            old_mode=fields[0][1:].decode("ascii", "replace"),
            new_mode=fields[1].decode("ascii", "replace"),
            old_blob=name_of(fields[2]),
            new_blob=name_of(fields[3]),
        )


def name_of(raw: bytes) -> str:
    """A full object name; empty for the all-zero name, which stands for no object."""
    return "" if not raw.strip(b"0") else raw.decode("ascii", "replace")


def _read_entry(feed: Feed, entry: FileDiff, cap: int) -> FileDiff:
    """One file with its hunks; a change of type comes as two patches, a deletion and a creation."""
    body = Body(cap)
    two = entry.status is Status.TYPE_CHANGED
    for modes in ((entry.old_mode,), (entry.new_mode,)) if two else ((entry.old_mode, entry.new_mode),):
        before = len(body.hunks)
        _read_patch(feed, entry, body)
        if GITLINK in modes:
            del body.hunks[before:]  # "Subproject commit NAME" is nobody's text, and both names are in the record
    return replace(
        entry, binary=body.binary, lossy=body.lossy, truncated=body.truncated or feed.cut, hunks=tuple(body.hunks)
    )


def _read_patch(feed: Feed, entry: FileDiff, body: Body) -> None:
    """One `diff --git` block; its object names must be those of the record it is taken for."""
    feed.cut = False
    header = feed.line()
    if header is None or not header.startswith(b"diff --git "):
        raise PatchFault("a record has no patch")
    while not feed.ended() and not feed.starts(b"diff --git ", b"@@ "):
        line = feed.line() or b""
        if line.startswith(b"index "):
            _check_names(line, entry)
        elif line.startswith((b"Binary files ", b"GIT binary patch")):
            body.binary = True
    feed.cut = False  # a long name in a header is no loss
    while feed.starts(b"@@ "):
        _read_hunk(feed, feed.line() or b"", body)


def _check_names(line: bytes, entry: FileDiff) -> None:
    """Raises `PatchFault` when an `index OLD..NEW` line is about other objects than the record."""
    old, dots, new = line[len(b"index ") :].split(b" ")[0].partition(b"..")
    expected = {entry.old_blob, entry.new_blob, ""}
    if not dots or not {name_of(old), name_of(new)} <= expected:
        raise PatchFault("records and patches are not in the same order")


def _read_hunk(feed: Feed, header: bytes, body: Body) -> None:
    """One hunk, by the counts in its header."""
    match = _HUNK.fullmatch(header)
    if match is None:
        raise PatchFault("a hunk header is malformed")
    old_start, new_start = int(match[1]), int(match[3])
    old_count, new_count = int(match[2] or 1), int(match[4] or 1)
    old, new, old_end, new_end = old_start, new_start, old_start + old_count, new_start + new_count
    lines: list[Line] = []
    while old < old_end or new < new_end:
        data = feed.line()
        if data is None:
            raise PatchFault("a hunk ends before its line count")
        kind = _KINDS.get(data[:1])
        if kind is None:
            raise PatchFault("a hunk line has no marker")
        ends = not skip_no_newline(feed)
        if body.room(data):
            old_number = old if kind is not Kind.ADDED else None
            lines.append(Line(kind, body.decode(data[1:]), old_number, new if kind is not Kind.REMOVED else None, ends))
        old += kind is not Kind.ADDED
        new += kind is not Kind.REMOVED
    if old != old_end or new != new_end:
        raise PatchFault("a hunk is longer than its line count")
    if not body.truncated:
        section = (match[5] or b"").decode("utf-8", "replace")
        body.hunks.append(Hunk(old_start, old_count, new_start, new_count, section, tuple(lines)))


def skip_no_newline(feed: Feed) -> bool:
    """Consumes a `\\ No newline at end of file` line, whatever its language; True when there was one."""
    if not feed.starts(b"\\"):
        return False
    feed.line()
    return True
