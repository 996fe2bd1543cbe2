"""Objects by name, through two lasting `git cat-file` processes that start when first asked."""

import re
import subprocess
from threading import Lock
from types import TracebackType

from lrc.errors import EnvironmentFault, LrcError
from lrc.repo.process import Git, stop

BLOB_CAP = 64 * 1024 * 1024
"""Bytes of one blob that are read into memory unless the caller says otherwise."""

_NAME = re.compile(r"[0-9a-f]{4,64}")


class MissingObject(EnvironmentFault):
    """The repository does not hold the object: a partial or shallow clone, or damage. Nothing is fetched."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"object {name[:12]} is not in this clone",
            "a review never fetches: bring it with `git fetch --refetch`, in a shallow clone `git fetch --unshallow`",
        )


class BlobTooLarge(LrcError):
    """The blob is larger than the caller wants to hold in memory."""

    def __init__(self, name: str, size: int, limit: int) -> None:
        super().__init__(f"object {name[:12]} has {size} bytes, more than the limit of {limit}")
        self.size = size


class Objects:
    """Reader of objects; close it, or use it as a context manager, to end its processes."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._lock = Lock()
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Objects":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes; a later read starts them again."""
        with self._lock:
            while self._children:
                stop(self._children.popitem()[1])

    def blob(self, name: str, limit: int = BLOB_CAP) -> bytes:
        """The content of a blob.

        Raises `MissingObject`, or `BlobTooLarge` when it has more than `limit` bytes.
        """
        size = self.size(name)
        if size is None:
            raise MissingObject(name)
        if size > limit:
            raise BlobTooLarge(name, size, limit)
        with self._lock:
            child, size = self._ask("--batch", name)
            if size < 0:
                raise MissingObject(name)
            return _exactly(child, size + 1)[:-1]

    def size(self, name: str) -> int | None:
        """How many bytes the object has; None when this clone does not hold it."""
        with self._lock:
            size = self._ask("--batch-check", name)[1]
        return size if size >= 0 else None

    def _ask(self, mode: str, name: str) -> tuple["subprocess.Popen[bytes]", int]:
        """Sends a name and reads the answer's head: the child, and the object's size or -1."""
        if not _NAME.fullmatch(name):
            raise ValueError("not an object name")  # a newline or an expression would put the two sides out of step
        child = self._children.get(mode)
        if child is None or child.poll() is not None:
            if child is not None:
                stop(child)
            child = self._children[mode] = self._git.start("cat-file", mode)
        assert child.stdin is not None and child.stdout is not None  # noqa: S101 - both are pipes
        try:
            child.stdin.write(name.encode() + b"\n")
            child.stdin.flush()
            head = child.stdout.readline().split()
        except OSError:
            head = []
        if not head:  # git died: an unreadable or, in a partial clone, an unfetchable object
            stop(self._children.pop(mode))
            return child, -1
        return child, int(head[2]) if len(head) == 3 else -1


def _exactly(child: "subprocess.Popen[bytes]", count: int) -> bytes:
    """That many bytes of the child's output."""
    assert child.stdout is not None  # noqa: S101 - a pipe
    data = child.stdout.read(count)
    if len(data) != count:
        raise EnvironmentFault("git cat-file ended in the middle of an object", "run `git fsck`")
    return data
