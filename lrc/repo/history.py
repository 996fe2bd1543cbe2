"""Commits and their messages, walked by GitPython, which is imported when first needed.

GitPython is used for history only. Its index class always opens `<git dir>/index`, while git names another index in
a hook of `commit -a` or `commit FILE`; and its diff and path handling decode what has no encoding.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from lrc.errors import EnvironmentFault
from lrc.repo.process import FORCED
from lrc.repo.repository import Repository
from lrc.repo.revision import commit_of, span_of

if TYPE_CHECKING:
    from git import Commit as GitCommit

_TRAILER = re.compile(r"([A-Za-z0-9-]+)[ \t]*:(.*)")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the history."""

    name: str
    """Full object name."""
    parents: tuple[str, ...]
    """Object names of the parents, first one first."""
    tree: str
    """Object name of its tree."""
    author: str
    email: str
    date: datetime
    """When it was authored, with its time zone."""
    committed: datetime
    """When it was committed, with its time zone."""
    message: str
    """The whole message; bytes that its encoding does not allow are U+FFFD."""

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0].strip()

    @property
    def trailers(self) -> tuple[tuple[str, str], ...]:
        """The `Token: value` pairs of the last paragraph, in order (git-interpret-trailers(1))."""
        return trailers_of(self.message)


def commits(repository: Repository, revision: str = "HEAD", *, limit: int | None = None) -> Iterator[Commit]:
    """The commits of a range `A..B` or of the history of one revision, newest first, at most `limit`.

    Raises `WrongUsage` for an unknown revision, `EnvironmentFault` where GitPython cannot read the repository.
    """
    place = repository.place
    if place.object_format != "sha1":
        raise EnvironmentFault(
            f"history of a repository with {place.object_format} object names cannot be read",
            "review a commit or a range instead",
        )
    span = span_of(place.git, revision)
    walked = f"{span.base}..{span.new}" if span else commit_of(place.git, revision)

    from git import Repo
    from git.exc import GitError

    try:
        # Opened by the directory that linked worktrees share: all commits are there.
        with Repo(place.common_dir, expand_vars=False) as opened:
            opened.git.update_environment(**FORCED, GIT_DIR=str(place.common_dir))
            for found in opened.iter_commits(walked, max_count=-1 if limit is None else limit):
                yield _commit(found)
    except (GitError, OSError, ValueError) as error:
        raise EnvironmentFault(
            f"the history of {revision!r} cannot be read: {type(error).__name__}", "run `git log` to see what is wrong"
        ) from error


def trailers_of(message: str) -> tuple[tuple[str, str], ...]:
    """The trailers of a commit message, by git's own rule (git-interpret-trailers(1)).

    They are the last paragraph, if it is not the only one and holds nothing but trailers, or at least one that git
    itself writes and no more than three other lines for each trailer.
    """
    paragraphs = re.split(r"\n\s*\n", message.strip("\n"))
    if len(paragraphs) < 2:
        return ()
    found: list[tuple[str, str]] = []
    others, by_git = 0, False
    for line in paragraphs[-1].rstrip().split("\n"):
        match = _TRAILER.fullmatch(line)
        if line[:1].isspace() and found:
            token, value = found[-1]
            found[-1] = (token, f"{value} {line.strip()}")
        elif match:
            found.append((match[1], match[2].strip()))
            by_git = by_git or match[1].lower() == "signed-off-by"
        elif line.startswith("(cherry picked from commit "):
            by_git = True
        else:
            others += 1
    return tuple(found) if not others or (by_git and others <= 3 * len(found)) else ()


def _commit(found: "GitCommit") -> Commit:
    """GitPython's commit as our own value."""
    message = found.message
    return Commit(
        name=found.hexsha,
        parents=tuple(parent.hexsha for parent in found.parents),
        tree=found.tree.hexsha,
        author=found.author.name or "",
        email=found.author.email or "",
        date=found.authored_datetime,
        committed=found.committed_datetime,
        message=message if isinstance(message, str) else message.decode("utf-8", "replace"),
    )
