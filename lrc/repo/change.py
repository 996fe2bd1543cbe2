"""One change of a repository: its two sides and its files, read from git as they are asked for."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from lrc.diff import FileDiff, Status
from lrc.patch import FILE_CAP, path_of
from lrc.repo.comparison import Comparison
from lrc.repo.discovery import Place
from lrc.repo.objects import Objects
from lrc.repo.process import Git
from lrc.repo.staging import index_tree, unmerged_paths
from lrc.resolution import resolved

_PATHS_AT_ONCE = 100
"""Files of a merge that one git command is asked for: argument lists have a limit, 4,096 bytes a path at most."""


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
        """The files of the change, one at a time and in git's order; memory does not grow with their content.

        A file that cannot be shown says why in `fault`, `binary` or `truncated`. Raises `GitFailure` when git cannot
        read the change at all, `PatchFault` when its output is not a diff.
        """
        with self.place.apart() as git:
            unmerged = unmerged_paths(git) if self.is_staged else []
            for path in unmerged:
                yield FileDiff(path_of(path), Status.UNMERGED, fault="it has unresolved merge conflicts in the index")
            if self.others:
                yield from self._resolution(git, unmerged)
            else:
                yield from Comparison(git, self.objects, self.base, self.tip, self.cap).files()

    def _resolution(self, git: Git, unmerged: Sequence[bytes]) -> Iterator[FileDiff]:
        """Files whose merged content comes from no parent: what somebody made while merging."""
        source: AbstractContextManager[tuple[Git, str]] = (
            index_tree(self.place, git, unmerged) if self.is_staged else nullcontext((git, self.tip))
        )
        with source as (reader, result):
            ours, *theirs = (
                Comparison(reader, self.objects, parent, result, self.cap) for parent in (self.base, *self.others)
            )
            candidates = _changed_against_all((ours, *theirs), {path_of(path) for path in unmerged})
            for file, others in _shown(ours, theirs, candidates):
                made = resolved(file, others)
                if made is not None:
                    yield made


def _changed_against_all(sides: Sequence[Comparison], left_out: set[str]) -> list[list[FileDiff]]:
    """The files that a merge result has otherwise than every parent: a record a side, in git's order."""
    first, *others = ({record.path: record for record in side.records()} for side in sides)
    common = set(first).intersection(*others) - left_out
    return [[side[path] for side in (first, *others)] for path in first if path in common]


def _shown(
    ours: Comparison, theirs: Sequence[Comparison], candidates: Sequence[list[FileDiff]]
) -> Iterator[tuple[FileDiff, list[FileDiff]]]:
    """The candidates with their hunks: as a change of the first parent, and as one of each other parent."""
    moved = [records for records in candidates if any(record.old_path for record in records)]
    for records in moved:  # limited to some paths git cannot see where a file came from, so its blobs are compared
        yield ours.file(records[0]), [side.file(record) for side, record in zip(theirs, records[1:], strict=True)]
    paths = [records[0].path for records in candidates if records not in moved]
    for start in range(0, len(paths), _PATHS_AT_ONCE):
        batch = paths[start : start + _PATHS_AT_ONCE]
        sides = [{file.path: file for file in side.files(batch)} for side in theirs]
        for file in ours.files(batch):
            if file.path in batch:  # a path stands for all below it where one side has a directory of that name
                yield file, [side[file.path] for side in sides]
