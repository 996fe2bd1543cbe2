"""One change of a repository: its two sides and its files, read from git as they are asked for."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from lrc.combined import read_combined
from lrc.diff import FileDiff, Status
from lrc.errors import EnvironmentFault
from lrc.patch import FILE_CAP, GITLINK, Feed, path_of, read_files, read_patch, read_records, whole_file
from lrc.repo.discovery import Place
from lrc.repo.objects import BlobTooLarge, Objects
from lrc.repo.process import Git, GitFailure
from lrc.repo.staging import index_tree, unmerged_paths

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
    "--ignore-submodules=none",
    "--submodule=short",
    "-O/dev/null",
    "--no-relative",
)
_RENAMES = ("-M", "-C", "-l1000")


@dataclass(frozen=True, slots=True)
class Change:
    """A change between two sides of the repository. Made by `Repository`; valid while that is open."""

    place: Place
    objects: Objects
    label: str
    """What it is, in words: `staged change`, or the revision as it was typed."""
    base: str
    """Object name of the old side: a commit, or the empty tree for a first commit."""
    tip: str
    """Object name of the commit on the new side; empty for the staged change, which has none yet."""
    others: tuple[str, ...] = ()
    """The further parents of a merge; then only what the merge result has of none of them is in `files`."""
    cap: int = FILE_CAP
    """Bytes of patch held for one file; above it the file comes out `truncated`. Larger blobs are never diffed."""

    @property
    def is_staged(self) -> bool:
        """True for the change that `git commit` would record now."""
        return not self.tip

    @property
    def is_merge(self) -> bool:
        """True when the new side has several parents."""
        return bool(self.others)

    @property
    def new(self) -> str:
        """Object name of the new side: a commit, or for the staged change the tree that would be recorded.

        The tree is computed without writing to the repository. Empty while the index has unmerged paths, for then
        git records nothing.
        """
        if self.tip:
            return self.tip
        with self.place.apart() as git:
            if unmerged_paths(git):
                return ""
            with index_tree(self.place, git) as (_, tree):
                return tree

    def files(self) -> Iterator[FileDiff]:
        """The files of the change, one at a time and in git's order; memory does not grow with their number.

        A file that cannot be shown says why in `fault`, `binary` or `truncated`. Raises `GitFailure` when git cannot
        read the change at all, `PatchFault` when its output is not a diff.
        """
        with self.place.apart() as git:
            unmerged = unmerged_paths(git) if self.is_staged else []
            for path in unmerged:
                yield FileDiff(path_of(path), Status.UNMERGED, fault="it has unresolved merge conflicts in the index")
            if self.others:
                yield from self._merged(git, unmerged)
            else:
                yield from self._compared(git)

    def _compared(self, git: Git) -> Iterator[FileDiff]:
        """Files of the difference between two sides; one by one when git cannot show them all in one go."""
        seen: set[str] = set()
        try:
            with self._sides(git, "-p", *_FORM, *_RENAMES) as stream:
                for file in read_files(stream, self.cap):
                    seen.update((file.path, file.old_path or file.path))
                    yield self._settled(git, file)
                return
        except GitFailure:
            # A blob that is not in this clone, or one that git's diff refuses, ends the whole listing.
            pass
        with self._sides(git, "-M100%") as stream:  # exact renames need no content
            records = list(read_records(Feed(stream)))
        for record in records:
            if record.path not in seen:
                yield self._from_blobs(git, record)

    def _sides(self, git: Git, *form: str) -> AbstractContextManager[Callable[[int], bytes]]:
        """git's comparison of the two sides in the given form, as a `read(n)` function."""
        listing = (*_LISTING, "--diff-filter=u", *form)
        if self.is_staged:
            side = ("diff-index", "--cached", "--ita-invisible-in-index", *listing, self.base, "--")
        else:
            side = ("diff-tree", "-r", *listing, self.base, self.tip, "--")
        # Larger blobs then count as binary and git does not load them.
        return git.stream(*side, pins=(f"core.bigFileThreshold={self.cap}",))

    def _merged(self, git: Git, unmerged: list[bytes]) -> Iterator[FileDiff]:
        """Files whose merged content comes from no parent: what the resolution made."""
        source: AbstractContextManager[tuple[Git, str]] = (
            index_tree(self.place, git, unmerged) if self.is_staged else nullcontext((git, self.tip))
        )
        left_out = {path_of(path) for path in unmerged}
        with source as (reader, result):
            arguments = ("diff", "--cc", *_LISTING, "-p", *_FORM, result, self.base, *self.others, "--")
            with reader.stream(*arguments) as stream:
                for file in read_combined(stream, self.cap):
                    if file.path not in left_out:
                        yield self._settled(git, file)

    def _settled(self, git: Git, file: FileDiff) -> FileDiff:
        """The file, with git's "binary" looked into: too large, really binary, or text that an attribute hides."""
        if not file.binary or file.is_submodule:
            return file
        return self._from_blobs(git, replace(file, binary=False, hunks=()))

    def _from_blobs(self, git: Git, file: FileDiff) -> FileDiff:
        """The file with its hunks made from its two blobs, whatever attributes say; or with the reason why not."""
        try:
            contents = [self._content(file.old_blob, file.old_mode), self._content(file.new_blob, file.new_mode)]
            if any(b"\0" in (content or b"")[:_SNIFFED] for content in contents):
                return replace(file, binary=True)
            if None in contents or file.status is Status.TYPE_CHANGED:
                return whole_file(file, removed=contents[0], added=contents[1], cap=self.cap)
            return self._two_blobs(git, file)
        except BlobTooLarge:
            return replace(file, truncated=True)
        except EnvironmentFault as fault:
            return replace(file, fault=fault.message)

    def _content(self, name: str, mode: str) -> bytes | None:
        """The blob of one side; None when that side has none."""
        return self.objects.blob(name, self.cap) if name and mode != GITLINK else None

    def _two_blobs(self, git: Git, file: FileDiff) -> FileDiff:
        """The hunks between two blobs of this clone."""
        if file.old_blob == file.new_blob:
            return file
        with git.stream("diff", "--text", *_FORM, file.old_blob, file.new_blob) as stream:
            return read_patch(stream, file, self.cap)
