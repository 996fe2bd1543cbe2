"""The staged change as git would record it: HEAD, the parents of a merge in progress, the tree of the index."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lrc.errors import EnvironmentFault
from lrc.repo.discovery import Place, scratch_directory
from lrc.repo.process import PINS, Git

_WRITING = (*PINS, f"core.hooksPath={os.devnull}")
"""Settings for commands that write an index, even a copy: git would run the hook post-index-change."""
_FETCHED_HEAD = "GITHEAD_"
"""`git merge` names each merged commit in an environment variable GITHEAD_<name>."""


def head_of(place: Place) -> str | None:
    """The commit that HEAD names; None on a branch that has no commit yet (unborn).

    Raises `EnvironmentFault` when HEAD names a commit that is not here.
    """
    done = place.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if done.returncode == 0:
        return done.stdout.decode("ascii").strip()
    named = place.git.ask("rev-parse", "--verify", "--quiet", "HEAD")
    if named.returncode == 0:
        raise EnvironmentFault(
            f"HEAD names commit {named.stdout.decode('ascii', 'replace').strip()[:12]}, which cannot be read",
            "run `git fsck`",
        )
    return None


def merged_heads(place: Place, head: str | None) -> tuple[str, ...]:
    """The other parents of the merge that is being committed; empty when there is no merge.

    A conflicted merge has left MERGE_HEAD. The pre-merge-commit hook of a clean one runs before that file exists,
    but inherits `GITHEAD_<name>` (observed with git 2.39).
    """
    try:
        written = (place.git_dir / "MERGE_HEAD").read_text("ascii", "replace").split()
    except OSError:
        written = [name.removeprefix(_FETCHED_HEAD) for name in place.git.environment if name.startswith(_FETCHED_HEAD)]
    names = [name for name in written if name != head and all(char in "0123456789abcdef" for char in name)]
    return tuple(name for name in names if place.git.ask("cat-file", "-e", f"{name}^{{commit}}").returncode == 0)


def unmerged_paths(git: Git) -> list[bytes]:
    """Paths that still have conflict stages in the index, each once, in index order."""
    records = git.read("ls-files", "--unmerged", "-z", "--full-name").split(b"\0")
    return list(dict.fromkeys(record.partition(b"\t")[2] for record in records if record))


@contextmanager
def index_tree(place: Place, git: Git, without: Iterable[bytes] = ()) -> Iterator[tuple[Git, str]]:
    """The tree of the index, and `git` made able to read it, as long as the block runs.

    `git write-tree` would write into the repository and take a lock; here it works on a copy of the index and keeps
    its trees in a directory of its own. `without` names paths to leave out (unmerged ones, which have no tree).
    """
    with scratch_directory() as scratch:
        objects = scratch / "objects"
        objects.mkdir()
        if place.index.exists():
            shutil.copyfile(place.index, scratch / "index")
        environment = git.environment
        own = environment.get("GIT_OBJECT_DIRECTORY") or str(place.common_dir / "objects")
        others = environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        git = git.with_environment(
            GIT_INDEX_FILE=str(scratch / "index"),
            GIT_OBJECT_DIRECTORY=str(objects),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=os.pathsep.join([_quoted(own), *([others] if others else [])]),
        )
        removals = b"".join(b"0 " + b"0" * _name_length(place) + b"\t" + path + b"\0" for path in without)
        if removals:
            git.read("update-index", "-z", "--index-info", feed=removals, pins=_WRITING)
        yield git, git.read("write-tree", "--missing-ok", pins=_WRITING).decode("ascii").strip()


def _name_length(place: Place) -> int:
    """Hex digits of a full object name in this repository."""
    return 64 if place.object_format == "sha256" else 40


def _quoted(path: str) -> str:
    """A directory as an entry of GIT_ALTERNATE_OBJECT_DIRECTORIES, whatever characters it holds (git(1))."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
