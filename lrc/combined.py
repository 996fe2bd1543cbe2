"""Reader of combined diffs (`git diff --cc`): what a merge result holds that none of its parents has. Pure.

A combined hunk compares the result with every parent at once, one marker column a parent. `Hunk` has two sides, so
the first parent is taken for the old one: a line that the result shares with any parent is context, a line that it
shares with none is added, a line that the first parent had and the result lost is removed. What only another parent
had and the result lacks leaves no trace: seen from the first parent, nothing happened there.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lrc.diff import FileDiff, Hunk, Kind, Line, Status
from lrc.patch import FILE_CAP, Body, Feed, PatchFault, name_of, path_of, skip_no_newline

_RANGE = re.compile(rb"([-+])(\d{1,18})(?:,(\d{1,18}))?")
_ESCAPES = {
    b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r",
    b"t": b"\t", b"v": b"\v", b'"': b'"', b"\\": b"\\",
}  # fmt: skip
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)


def read_combined(read: Callable[[int], bytes], cap: int = FILE_CAP) -> Iterator[FileDiff]:
    """The files that a merge result changed against all its parents, one by one.

    `read(n)` gives the output of `git diff --cc --raw --no-abbrev -p -z --full-index RESULT PARENT…`. Files whose
    every line comes from some parent have a record and no patch, and are left out. Raises `PatchFault`.
    """
    feed = Feed(read, cap)
    records = {entry.path: entry for entry in _read_records(feed)}
    while (header := feed.line()) is not None:
        word, _, rest = header.partition(b" --cc ")
        if word != b"diff":
            raise PatchFault("a combined patch has no header")
        entry = records.get(path_of(unquote(rest)))
        if entry is None:
            raise PatchFault("a combined patch has no record")
        yield _read_patch(feed, entry, cap)


def unquote(name: bytes) -> bytes:
    """A path as git writes it in a header, freed of its C-style quotes (git-config(1), core.quotePath)."""
    if len(name) < 2 or not name.startswith(b'"') or not name.endswith(b'"'):
        return name

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _ESCAPES.get(code, code)

    return _ESCAPE.sub(plain, name[1:-1])


def _read_records(feed: Feed) -> Iterator[FileDiff]:
    """Raw records of n parents: n + 1 modes, n + 1 object names, n status letters."""
    while (head := feed.record()) is not None:
        if not head:
            return
        parents = len(head) - len(head.lstrip(b":"))
        fields = head[parents:].split(b" ")
        path = feed.record()
        if parents < 1 or len(fields) != 2 * (parents + 1) + 1 or path is None:
            raise PatchFault("a combined raw record is malformed")
        modes, names, letters = fields[: parents + 1], fields[parents + 1 : -1], fields[-1]
        old_blob, new_blob = name_of(names[0]), name_of(names[-1])
        letter = letters[:1].decode("ascii", "replace")
        yield FileDiff(
            path=path_of(path),
            status=Status(letter) if letter in "ADMT" else Status.MODIFIED,
            old_mode=modes[0].decode("ascii", "replace"),
            new_mode=modes[-1].decode("ascii", "replace"),
            old_blob=old_blob,
            new_blob=new_blob,
        )


def _read_patch(feed: Feed, entry: FileDiff, cap: int) -> FileDiff:
    """The rest of one `diff --cc` block, its header line already consumed."""
    body = Body(cap)
    while not feed.ended() and not feed.starts(b"diff --cc ", b"@@@"):
        body.binary = (feed.line() or b"").startswith(b"Binary files ") or body.binary
    feed.cut = False
    while feed.starts(b"@@@"):
        _read_hunk(feed, feed.line() or b"", body)
    hunks = () if entry.is_submodule else tuple(body.hunks)
    return replace(entry, binary=body.binary, lossy=body.lossy, truncated=body.truncated or feed.cut, hunks=hunks)


@dataclass(slots=True)
class _Counter:
    """Where one version of the file stands while a hunk is read."""

    next: int
    left: int

    def step(self) -> int:
        """The number of the line just read; the one after it is next."""
        self.next += 1
        self.left -= 1
        return self.next - 1


def _read_hunk(feed: Feed, header: bytes, body: Body) -> None:
    """One combined hunk, by the counts in its header, as a hunk between the first parent and the result."""
    parents, result, section = _ranges(header)
    old_start, new_start = parents[0].next, result.next
    lines: list[Line] = []
    while any(counter.left > 0 for counter in (*parents, result)):
        data = feed.line()
        if data is None:
            raise PatchFault("a combined hunk ends before its line count")
        line = _line(data, parents, result, body, ends=not skip_no_newline(feed))
        if body.room(data) and line is not None:
            lines.append(line)
    if any(counter.left for counter in (*parents, result)):
        raise PatchFault("a combined hunk is longer than its line count")
    if not body.truncated:
        old_count = sum(line.old is not None for line in lines)
        new_count = sum(line.new is not None for line in lines)
        body.hunks.append(Hunk(old_start, old_count, new_start, new_count, section, tuple(lines)))


def _ranges(header: bytes) -> tuple[list[_Counter], _Counter, str]:
    """The counters of the parents and of the result, and the section text, of an `@@@ … @@@` line."""
    marks = header[: len(header) - len(header.lstrip(b"@"))]
    spans, _, section = header[len(marks) :].partition(marks)
    counters = [
        (match[1], _Counter(int(match[2]), int(match[3] or 1)))
        for match in map(_RANGE.fullmatch, spans.split())
        if match is not None
    ]
    if len(counters) != len(marks) or [sign for sign, _ in counters] != [b"-"] * (len(marks) - 1) + [b"+"]:
        raise PatchFault("a combined hunk header is malformed")
    return [counter for _, counter in counters[:-1]], counters[-1][1], section.strip().decode("utf-8", "replace")


def _line(data: bytes, parents: list[_Counter], result: _Counter, body: Body, *, ends: bool) -> Line | None:
    """The line as the first parent and the result see it; None when only another parent had it."""
    marks, text = data[: len(parents)].ljust(len(parents)), data[len(parents) :]
    if marks.strip(b"+- "):
        raise PatchFault("a combined hunk line has no markers")
    lost = b"-" in marks
    present = b"-" if lost else b" "
    old = None
    for number, (mark, counter) in enumerate(zip(marks, parents, strict=True)):
        if mark == present[0]:
            at = counter.step()
            old = at if number == 0 else old
    if lost:
        return None if old is None else Line(Kind.REMOVED, body.decode(text), old, None, ends)
    new = result.step()
    kind = Kind.CONTEXT if b" " in marks else Kind.ADDED
    return Line(kind, body.decode(text), old, new, ends)
