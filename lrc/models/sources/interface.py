"""What a source of model files has to do."""

from pathlib import Path
from typing import Protocol

from lrc.models.catalogue import Entry
from lrc.models.progress import Listener


class Source(Protocol):
    """Brings the bytes of one catalogue entry. Whether they are the right ones is checked by the caller."""

    name: str
    """What a user calls it, as in "the package index"."""

    def fetch(self, entry: Entry, workdir: Path, listener: Listener) -> Path:
        """Bring `entry` into `workdir` (exists, on the disk of the final place) and return the whole file's path.

        What was brought before an interruption is kept in `workdir` and used the next time. Reports absolute bytes
        to `listener.at`. Raises `SourceFailed` with one line that says why, without the source's name.
        """

    def discard(self, entry: Entry, workdir: Path) -> None:
        """Forget everything brought for `entry`: its bytes turned out to be wrong, or it has its final name."""
