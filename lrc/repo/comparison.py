"""Two sides compared by git: the files between them, with everything pinned that a user may have set otherwise."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from lrc.diff import FileDiff, Status
from lrc.errors import EnvironmentFault
from lrc.patch import FILE_CAP, GITLINK, Feed, read_files, read_patch, read_records, whole_file
from lrc.repo.objects import BlobTooLarge, Objects
from lrc.repo.process import Git, GitFailure

CONTEXT_LINES = 3
"""Unchanged lines around a change, as git's default."""

_SNIFFED = 8000
"""Bytes in which git looks for a NUL to call a file binary (git's xdiff-interface, FIRST_FEW_BYTES)."""
_FORM = (
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--no-color-moved",
    "--ws-error-highlight=none",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    f"-U{CONTEXT_LINES}",
)
_LISTING = (
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-relative",
    "--ignore-submodules=none",
    "--submodule=short",
    f"-O{os.devnull}",
    "--diff-filter=u",  # unmerged paths have no two sides; they are listed from the index
)
_EXACT = "-M100%"
"""Renames without any change: found by object names, so no content is needed."""
_RENAMES = ("-M", "-C", "-l1000")


@dataclass(frozen=True, slots=True)
class Comparison:
    """An old and a new side. `git` runs out of reach of the work tree (`Place.apart`)."""

    git: Git
    objects: Objects
    old: str
    """Object name of a commit or tree."""
    new: str = ""
    """Object name of a commit or tree; empty for the index."""
    cap: int = FILE_CAP
    """Bytes of patch held for one file; above it the file comes out `truncated`. Larger blobs are never diffed."""

    def files(self, paths: Sequence[str] = ()) -> Iterator[FileDiff]:
        """The files that differ, one at a time in git's order; without rename detection when `paths` are named.

        Files are read one by one when git cannot show all in one go, and say themselves what is wrong. Raises
        `GitFailure` when not even the list of files can be read, `PatchFault` when the output is not a diff.
        """
        renames = ("--no-renames",) if paths else _RENAMES
        seen: set[str] = set()
        try:
            with self._stream("-p", *_FORM, *renames, paths=paths) as read:
                for file in read_files(read, self.cap):
                    seen.add(file.path)
                    if file.status is Status.RENAMED and file.old_path:
                        seen.add(file.old_path)  # listed without renames it would be a deletion of its own
                    yield self._settled(file)
                return
        except GitFailure:
            # A blob that is not in this clone, or one that git's diff refuses, ends the whole listing.
            pass
        for record in self._listed(paths, "--no-renames" if paths else _EXACT):
            if record.path not in seen:
                yield self.file(record)

    def records(self) -> list[FileDiff]:
        """The files that differ, without their content; only exact renames are known where a blob is missing."""
        try:
            return self._listed((), "-M", "-l1000")
        except GitFailure:
            return self._listed((), _EXACT)

    def _listed(self, paths: Sequence[str], *renames: str) -> list[FileDiff]:
        """The raw records of the comparison."""
        with self._stream(*renames, paths=paths) as read:
            return list(read_records(Feed(read)))

    def _stream(self, *form: str, paths: Sequence[str]) -> AbstractContextManager[Callable[[int], bytes]]:
        """git's comparison in the given form, as a `read(n)` function."""
        side: tuple[str, ...]
        if self.new:
            side = ("diff-tree", "-r", *_LISTING, *form, self.old, self.new)
        else:
            side = ("diff-index", "--cached", "--ita-invisible-in-index", *_LISTING, *form, self.old)
        git = self.git.with_environment(GIT_LITERAL_PATHSPECS="1")
        # Blobs above the cap then count as binary and git does not load them.
        return git.stream(*side, "--", *paths, pins=(f"core.bigFileThreshold={self.cap}",))

    def _settled(self, file: FileDiff) -> FileDiff:
        """The file, with git's "binary" looked into: too large, really binary, or text that an attribute hides."""
        if not file.binary or file.is_submodule:
            return file
        return self.file(replace(file, binary=False, hunks=()))

    def file(self, file: FileDiff) -> FileDiff:
        """The file with its hunks made from its two blobs, whatever attributes say; or with the reason why not."""
        try:
            contents = [self._content(file.old_blob, file.old_mode), self._content(file.new_blob, file.new_mode)]
            if any(b"\0" in (content or b"")[:_SNIFFED] for content in contents):
                return replace(file, binary=True)
            if None in contents or file.status is Status.TYPE_CHANGED:
                return whole_file(file, removed=contents[0], added=contents[1], cap=self.cap)
            return self._two_blobs(file)
        except BlobTooLarge:
            return replace(file, truncated=True)
        except EnvironmentFault as fault:
            return replace(file, fault=fault.message)

    def _content(self, name: str, mode: str) -> bytes | None:
        """The blob of one side; None when that side has none."""
        return self.objects.blob(name, self.cap) if name and mode != GITLINK else None

    def _two_blobs(self, file: FileDiff) -> FileDiff:
        """The hunks between two blobs of this clone."""
        if file.old_blob == file.new_blob:
            return file
        with self.git.stream("diff", "--text", *_FORM, file.old_blob, file.new_blob) as read:
            return read_patch(read, file, self.cap)
