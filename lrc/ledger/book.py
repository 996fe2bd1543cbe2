"""The ledger's file: one JSON object a line, appended, never changed. Imports nothing that a quick hook cannot afford.

`<common git directory>/lrc/ledger.jsonl`. A line that was torn by a crash is ignored, and so is one of a version that
this program does not know; both stay where they are.
"""

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

TYPE_CHECKING = False  # importing `typing` for this costs a hook with nothing to review too much
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
"""Raised when a line can no longer be read by an older program."""
DIRECTORY = "lrc"
FILE = "ledger.jsonl"
MOST_BYTES = 8_000_000
"""Above this the older half goes: some thousand reviews, or many years of small commits."""
LOCK_SECONDS = 1.0
"""How long to wait for another writer; then the line is written without the lock, for no commit may hang on it."""

_TEXTS = ("worktree", "head", "id", "tree", "index", "before", "parents", "action", "how", "fault", "model", "verdict")
_SHAPES: "dict[str, type | tuple[type, ...]]" = {
    **dict.fromkeys((*_TEXTS, "blocking", "renamed"), str),
    "lines": dict,
    "keys": dict,
    "findings": list,
    "pairs": list,
    "blocked": list,
    "seconds": (int, float),
}


class Book:
    """The ledger of the repository whose common git directory is `common`."""

    def __init__(self, common: Path) -> None:
        self.path = common / DIRECTORY / FILE

    def exists(self) -> bool:
        """Whether anything was ever recorded here."""
        return self.path.is_file()

    def append(self, event: str, **values: object) -> None:
        """Records an event with the time of now; raises OSError when it cannot be written."""
        entry = {"v": VERSION, "event": event, "at": int(time.time()), **values}
        line = json.dumps(entry, separators=(",", ":"), ensure_ascii=True).encode("ascii") + b"\n"
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._locked() as descriptor:
            size = os.fstat(descriptor).st_size
            # What a crash tore must not swallow the next line as well.
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            line = b"\n" + line if torn else line
            if os.write(descriptor, line) < len(line):  # the next line will end what this one began
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if size + len(line) > MOST_BYTES:
                self._shorten(descriptor)

    def entries(self) -> "list[dict[str, Any]]":
        """Every event that this program can read, oldest first; none when there is no ledger or it cannot be read."""
        return list(_parsed(self._lines()))

    def newest_first(self) -> "Iterator[dict[str, Any]]":
        """The same from the end, read as far as somebody asks: a hook wants only the last few."""
        return _parsed(reversed(self._lines()))

    def _lines(self) -> list[bytes]:
        try:
            return self.path.read_bytes().split(b"\n")
        except OSError:
            return []

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        """The file opened for appending, for us alone where the system can do that."""
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            try:
                held = _lock(descriptor, deadline)
                # Whoever shortened the ledger while we waited put another file in its place.
                if held and not _same(descriptor, self.path) and time.monotonic() < deadline:
                    continue
                yield descriptor
                return
            finally:
                os.close(descriptor)

    def _shorten(self, descriptor: int) -> None:
        """Leaves the newer half, in a file written aside; a reader or a crash meets the old one or the new one."""
        size = os.fstat(descriptor).st_size
        kept = os.pread(descriptor, size // 2, size - size // 2).partition(b"\n")[2]
        mark = json.dumps({"v": VERSION, "event": "cut", "at": int(time.time())}, separators=(",", ":")).encode()
        aside = self.path.with_name(f".{FILE}.{os.getpid()}")
        try:
            aside.write_bytes(mark + b"\n" + kept)
            aside.chmod(0o600)
            aside.replace(self.path)
        except OSError:
            aside.unlink(missing_ok=True)  # too long is better than lost: the next writer tries again


def _parsed(lines: Iterable[bytes]) -> "Iterator[dict[str, Any]]":
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and entry.get("v") == VERSION and _sound(entry):
            yield entry


def _sound(entry: "dict[str, Any]") -> bool:
    """Whether everything in an event has the shape that readers count on: anybody may have edited the file."""
    if not isinstance(entry.get("event"), str) or not isinstance(entry.get("at"), int):
        return False
    if not all(isinstance(entry[name], kind) for name, kind in _SHAPES.items() if name in entry):
        return False
    lists = (*entry.get("pairs", ()), *entry.get("findings", ()))
    return (
        all(isinstance(part, list) and len(part) >= 2 and all(isinstance(word, str) for word in part) for part in lists)
        and all(isinstance(count, int) for count in entry.get("lines", {}).values())
        and all(isinstance(keys, str) for keys in entry.get("keys", {}).values())
        and all(isinstance(fingerprint, str) for fingerprint in entry.get("blocked", ()))
    )


def _lock(descriptor: int, deadline: float) -> bool:
    """Whether the file is ours until it is closed."""
    try:
        import fcntl
    except ImportError:
        return False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        except OSError:
            return False  # a file system without locks: an append is one write, which is whole on all of them


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
