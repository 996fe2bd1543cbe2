"""Lines of a change as keyed hashes, by which one is known again after a rebase, in another hunk, lower in the file.

A key stands for a line *in the state it was seen*: its path, whether it was added or removed, its text, and the line
above it that is not blank, so that a lone bracket is not known for having been seen elsewhere. An unchanged line below
a change gets another key by it; both are kept, so that it stays known when it was known before (an amended commit).

Nobody who has the ledger alone can try a guess on it: the hashes are keyed with 32 random bytes that lie beside it,
where git keeps the staged text itself.
"""

import base64
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from lrc.diff import FileDiff, Hunk, Kind
from lrc.ledger.book import DIRECTORY

KEY_FILE = "ledger.key"
WIDTH = 9
"""Bytes of a key: 72 bits, which twelve characters of base64 hold without a rest."""
_TEXT = 12
MOST = 50_000
"""Changed lines of one review that are recorded; the rest of a larger change counts as not seen."""


class Hasher:
    """Keys of lines under one repository's own secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def changed(self, file: FileDiff, hunk: Hunk) -> list[str]:
        """One key for each added and removed line of the hunk."""
        return [new for kind, _, new in self._keys(file, hunk) if kind is not Kind.CONTEXT]

    def renamed(self, file: FileDiff, hunk: Hunk) -> list[str]:
        """Old and new key, in turn, of the unchanged lines that the change gave another line above them."""
        found = [(old, new) for kind, old, new in self._keys(file, hunk) if kind is Kind.CONTEXT and old != new]
        return [key for both in found for key in both]

    def at(self, file: FileDiff, kind: Kind, first: int, last: int) -> list[str]:
        """Keys of the changed lines `first` to `last` of one side of the file."""
        found = []
        for hunk in file.hunks:
            lines = [line for line in hunk.lines if line.kind is not Kind.CONTEXT]
            for line, key in zip(lines, self.changed(file, hunk), strict=True):
                number = line.new if kind is Kind.ADDED else line.old
                if line.kind is kind and number is not None and first <= number <= last:
                    found.append(key)
        return found

    def _keys(self, file: FileDiff, hunk: Hunk) -> Iterator[tuple[Kind, str, str]]:
        """Each line's kind and its keys before and after the change; they differ for unchanged lines alone."""
        above = {Kind.ADDED: "", Kind.REMOVED: ""}
        place = file.path.encode("utf-8", "surrogateescape")
        for line in hunk.lines:
            if line.kind is Kind.CONTEXT:
                old, new = (self._key(place, Kind.ADDED, line.text, above[side]) for side in (Kind.REMOVED, Kind.ADDED))
            else:
                old = new = self._key(place, line.kind, line.text, above[line.kind])
            yield line.kind, old, new
            if text := line.text.strip():
                for side in (line.kind,) if line.kind is not Kind.CONTEXT else (Kind.ADDED, Kind.REMOVED):
                    above[side] = text

    def _key(self, place: bytes, kind: Kind, text: str, above: str) -> str:
        parts = (place, kind.value.encode(), text.encode("utf-8", "surrogatepass"), above.encode("utf-8", "replace"))
        digest = hashlib.blake2b(b"\0".join(parts), digest_size=WIDTH, key=self._secret).digest()
        return base64.b64encode(digest).decode("ascii")


def packed(keys: Iterable[str]) -> str:
    """Keys as one string."""
    return "".join(keys)


def unpacked(text: str) -> list[str]:
    """The keys in a string made by `packed`."""
    return [text[start : start + _TEXT] for start in range(0, len(text) - _TEXT + 1, _TEXT)]


def hasher(common: Path) -> Hasher:
    """The hasher of the repository whose common git directory is `common`; its secret is made when there is none.

    Raises OSError when it can be neither read nor made.
    """
    path = common / DIRECTORY / KEY_FILE
    try:
        secret = path.read_bytes()
    except FileNotFoundError:
        secret = _made(path)
    if len(secret) != 32:
        raise OSError(0, "it is damaged", str(path))
    return Hasher(secret)


def _made(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = path.with_name(f".{KEY_FILE}.{os.getpid()}")
    try:
        aside.touch(mode=0o600)
        aside.write_bytes(secrets.token_bytes(32))
        try:
            os.link(aside, path)  # whole, and only when nobody else was first
        except FileExistsError:
            pass
        except OSError:
            aside.replace(path)  # a file system without hard links
    finally:
        aside.unlink(missing_ok=True)
    return path.read_bytes()
