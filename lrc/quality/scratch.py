"""Texts that never were in a repository, compared with those that are: a throw-away object store beside it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from lrc.diff import FileDiff, Status
from lrc.repo.comparison import Comparison
from lrc.repo.discovery import scratch_directory
from lrc.repo.objects import Objects
from lrc.repo.process import Git, own_environment
from lrc.repo.repository import Repository


class Scratch:
    """Makes changes between any two texts, by git's own diff. Nothing is written to the repository."""

    def __init__(self, git: Git, objects: Objects) -> None:
        self._git = git
        self._comparison = Comparison(git, objects, "HEAD")

    def change(self, path: str, old: str, new: str) -> FileDiff:
        """The change of one file from an old text to a new one; an empty old text is a file that was not there."""
        status = Status.MODIFIED if old else Status.ADDED
        old_blob = self._written(old) if old else ""
        mode = "100644"
        file = FileDiff(
            path, status, old_mode=mode if old else "", new_mode=mode, old_blob=old_blob, new_blob=self._written(new)
        )
        return self._comparison.file(file)

    def _written(self, text: str) -> str:
        feed = text.encode("utf-8", "replace")
        return self._git.read("hash-object", "-w", "--stdin", feed=feed).decode("ascii").strip()


@contextmanager
def scratch_beside(repository: Repository) -> Iterator[Scratch]:
    """A scratch store with the repository's kind of object names; gone when the block ends."""
    with (
        scratch_directory() as directory,
        _made(repository.place.git.at(directory), repository.place.object_format) as it,
    ):
        yield it


@contextmanager
def scratch_alone() -> Iterator[Scratch]:
    """A scratch store for texts that are in no repository."""
    with scratch_directory() as directory:
        git = Git.find(directory, own_environment(os.environ, foreign=True))
        with _made(git, "sha1") as scratch:
            yield scratch


@contextmanager
def _made(git: Git, object_format: str) -> Iterator[Scratch]:
    git.read("init", "--quiet", "--bare", f"--object-format={object_format}", str(git.directory))
    git = git.with_environment(GIT_DIR=str(git.directory))
    with Objects(git) as objects:
        yield Scratch(git, objects)
