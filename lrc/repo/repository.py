"""The repository that a review is about."""

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from lrc.errors import EnvironmentFault
from lrc.patch import path_of, raw_of
from lrc.repo.change import Change
from lrc.repo.discovery import Place, locate
from lrc.repo.objects import BLOB_CAP, Objects
from lrc.repo.process import GitFailure
from lrc.repo.revision import EMPTY_TREE, commit_of, parents_of, span_of
from lrc.repo.staging import head_of, merged_heads

ATTRIBUTES = ("linguist-generated", "linguist-vendored", "diff", "binary", "filter")
"""The attributes that say whether a reviewer should look at a file."""


class Repository:
    """A git repository, read through git itself.

    Use it as a context manager, or close it: reading objects keeps processes alive.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.objects = Objects(place.git)

    @classmethod
    def discover(cls, path: Path | None = None) -> "Repository":
        """The repository of the current directory and environment (a hook's index included), or the one of `path`.

        Raises `EnvironmentFault`, with the way out, when there is none, git refuses it, or git is missing.
        """
        return cls(locate(path))

    def __enter__(self) -> "Repository":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes that read objects."""
        self.objects.close()

    @property
    def root(self) -> Path:
        """Top of the work tree; of a bare repository the git directory."""
        return self.place.root

    @property
    def git_dir(self) -> Path:
        """The git directory of this worktree."""
        return self.place.git_dir

    @property
    def common_dir(self) -> Path:
        """The git directory that all linked worktrees share."""
        return self.place.common_dir

    @property
    def is_bare(self) -> bool:
        """True when there is no work tree and so no staged change."""
        return self.place.bare

    def is_empty(self) -> bool:
        """True when HEAD names no commit yet."""
        return head_of(self.place) is None

    def head(self) -> str | None:
        """Object name of the commit that HEAD names; None when there is none yet."""
        return head_of(self.place)

    def hooks_path(self) -> Path:
        """The directory in which git looks for hooks, `core.hooksPath` and linked worktrees considered."""
        answer = os.fsdecode(self.place.git.read("rev-parse", "--git-path", "hooks"))
        return self.root / answer.removesuffix("\n")

    def staged(self) -> Change:
        """What `git commit` would record now: the index that the environment names, against HEAD.

        While a merge is being concluded, only what the merge result has of neither parent. Raises `EnvironmentFault`
        in a bare repository.
        """
        if self.is_bare:
            raise EnvironmentFault("a bare repository has no staged change", "name a revision or a range to review")
        head = head_of(self.place)
        others = merged_heads(self.place, head)
        return Change(self.place, self.objects, "staged change", head or self._empty_tree(), "", others)

    def change(self, revision: str) -> Change:
        """The change that a revision stands for.

        A commit: against its first parent, a first commit against nothing, a merge as what it has of neither parent.
        `A..B`: between the two. `A...B`: from their merge base to B. Raises `WrongUsage` for a revision that is
        unknown, ambiguous or no revision, `EnvironmentFault` when the clone does not hold what is needed.
        """
        span = span_of(self.place.git, revision)
        if span is not None:
            return Change(self.place, self.objects, revision, span.base, span.new)
        commit = commit_of(self.place.git, revision)
        parents = parents_of(self.place.git, commit)
        base = parents[0] if parents else self._empty_tree()
        return Change(self.place, self.objects, revision, base, commit, parents[1:])

    def commit(self, revision: str) -> str:
        """Object name of the commit that a revision names; raises `WrongUsage` when it names none."""
        return commit_of(self.place.git, revision)

    def blob(self, name: str, limit: int = BLOB_CAP) -> bytes:
        """The content of a blob; raises `MissingObject`, or `BlobTooLarge` above `limit` bytes."""
        return self.objects.blob(name, limit)

    def file(self, path: str, at: str = "", limit: int = BLOB_CAP) -> bytes | None:
        """The content of a file in the index, or in the tree or commit named `at`; None when it is not there.

        `at` is an object name. Raises as `blob` does.
        """
        done = self.place.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{at or ':0'}:{path}")
        return self.objects.blob(done.stdout.decode("ascii").strip(), limit) if done.returncode == 0 else None

    def paths(self, under: str = "", at: str = "") -> list[str]:
        """The paths of the index, or of the tree or commit named `at`, below the directory `under`."""
        where = ["--", under] if under else []
        listing = ["ls-tree", "-r", "--full-tree", "--name-only", "-z", at] if at else ["ls-files", "-z"]
        with self.place.apart() as git:
            found = git.with_environment(GIT_LITERAL_PATHSPECS="1").read(*listing, *where)
        return [path_of(raw) for raw in found.split(b"\0") if raw]

    def attributes(
        self, paths: Iterable[str], names: Iterable[str] = ATTRIBUTES, *, cached: bool = True
    ) -> dict[str, dict[str, str]]:
        """The attributes of paths: `set`, `unset` or a value; unspecified ones are left out.

        Taken from the `.gitattributes` of the index, which is what will be recorded, unless `cached` is off.
        """
        feed = b"".join(raw_of(path) + b"\0" for path in paths)
        source = ["--cached"] if cached else []
        done = self.place.git.read("check-attr", *source, "-z", "--stdin", *names, feed=feed).split(b"\0")
        found: dict[str, dict[str, str]] = {}
        for path, name, value in zip(done[0::3], done[1::3], done[2::3], strict=False):
            attributes = found.setdefault(path_of(path), {})
            if value != b"unspecified":
                attributes[name.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        return found

    def config(self, key: str) -> str | None:
        """The value of a git setting as the user has it; None when it is not set. Raises `GitFailure` for a bad key."""
        done = self.place.git.ask("config", "-z", "--get", "--end-of-options", key, pins=())
        if done.returncode == 1 and not done.stderr:
            return None
        if done.returncode:
            raise GitFailure("config", done.stderr, done.returncode)
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\0")

    def _empty_tree(self) -> str:
        """The name of the tree without entries."""
        return EMPTY_TREE.get(self.place.object_format, EMPTY_TREE["sha1"])
