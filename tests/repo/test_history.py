"""Walking the history."""

import os
from collections.abc import Callable
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from lrc.errors import EnvironmentFault, WrongUsage
from lrc.repo import Repository
from lrc.repo.history import Commit, commits, trailers_of
from tests.support.repository import SampleRepository


def walked(path: Path | None = None, revision: str = "HEAD", limit: int | None = None) -> list[Commit]:
    """The commits of a repository."""
    with Repository.discover(path) as repository:
        return list(commits(repository, revision, limit=limit))


def test_commits_of_a_range(sample: SampleRepository) -> None:
    """Newest first, with names, parents, people, dates and subjects."""
    one = sample.commit("one", {"f": "1\n"})
    sample.write("f", "2\n")
    author = {"GIT_AUTHOR_NAME": "Zoë", "GIT_AUTHOR_EMAIL": "z@example.org", "GIT_AUTHOR_DATE": "1700000000 +0530"}
    sample.git("commit", "-a", "-m", "two\n\nbody", env=author)
    found, first = walked()
    assert (found.name, found.parents, found.subject) == (sample.head, (one,), "two")
    assert (found.author, found.email) == ("Zoë", "z@example.org")
    assert found.date.timestamp() == 1_700_000_000
    assert found.date.utcoffset() == timedelta(hours=5, minutes=30)
    assert found.committed.tzinfo is not None and found.committed.astimezone(UTC)
    assert found.tree == sample.git("rev-parse", "HEAD^{tree}")
    assert found.message == "two\n\nbody\n"
    assert (first.name, first.parents) == (one, ())
    assert [commit.subject for commit in walked(revision="HEAD~1..HEAD")] == ["two"]
    assert [commit.subject for commit in walked(limit=1)] == ["two"]


def test_trailers(sample: SampleRepository) -> None:
    """The pairs of the last paragraph, in order."""
    sample.commit(
        "subject\n\nbody: not one\n\nReviewed-by: R\nLrc-Review: pass; model=x\n  folded\nSigned-off-by: S <s@x>"
    )
    (found,) = walked()
    expected = (("Reviewed-by", "R"), ("Lrc-Review", "pass; model=x folded"), ("Signed-off-by", "S <s@x>"))
    assert found.trailers == expected


@pytest.mark.parametrize(
    "message",
    [
        "subject",
        "subject: alone",
        "s\n\nbody",
        "s\n\nKey: value",
        "s\n\nKey: value\n\n",
        "s\n\nKey : spaced\nOther:tight",
        "s\n\ntext\nKey: value",
        "s\n\ntext\nSigned-off-by: x",
        "s\n\nt\nt\nt\nSigned-off-by: x",
        "s\n\nt\nt\nt\nt\nSigned-off-by: x",
        "s\n\nKey: a\n b\n\tc",
        "s\n\n(cherry picked from commit 1234)\nKey: v\ntext",
        "s\n\nA: 1\n\nB: 2",
        "s\n\nnot a key: value",
    ],
)
def test_trailers_are_those_that_git_sees(sample: SampleRepository, message: str) -> None:
    """For any message, the same pairs as `git interpret-trailers --parse`."""
    said = sample.git("interpret-trailers", "--parse", "--unfold", feed=(message + "\n").encode())
    expected = [tuple(part.strip() for part in line.split(":", 1)) for line in said.splitlines() if ":" in line]
    assert list(trailers_of(message)) == expected


def test_messages_that_are_not_utf8(sample: SampleRepository) -> None:
    """Bytes that the encoding does not allow do not stop the walk."""
    tree = sample.git("write-tree")
    raw = (
        f"tree {tree}\nauthor caf".encode()
        + b"\xe9 <a@b> 1700000000 +0000\ncommitter c <c@d> 1700000000 +0000\n\ncaf\xe9\n"
    )
    name = sample.git("hash-object", "-t", "commit", "-w", "--stdin", feed=raw)
    sample.git("update-ref", "refs/heads/main", name)
    (found,) = walked()
    assert found.name == name and found.subject.startswith("caf")


def test_in_a_linked_worktree(sample: SampleRepository, tmp_path: Path) -> None:
    """HEAD is that of the worktree."""
    sample.commit("one", {"f": "1\n"})
    linked = SampleRepository(tmp_path / "linked", init=False)
    sample.git("worktree", "add", "--quiet", str(linked.path), "-b", "other")
    linked.commit("two", {"f": "2\n"})
    assert [commit.subject for commit in walked(linked.path)] == ["two", "one"]
    assert [commit.subject for commit in walked()] == ["one"]


@pytest.mark.parametrize("revision", ["-x", "nosuch", "HEAD..nosuch", "--output=pwned"])
def test_what_is_no_revision(sample: SampleRepository, revision: str) -> None:
    """The same wrong usage as for changes; GitPython never sees it."""
    sample.commit("one", {"f": "1\n"})
    with pytest.raises(WrongUsage):
        walked(revision=revision)
    assert not (sample.path / "pwned").exists()


def test_long_object_names(make_repo: Callable[..., SampleRepository]) -> None:
    """GitPython reads no sha256 repository; that is said."""
    sample = make_repo("long", arguments=("--object-format=sha256",))
    sample.commit("one", {"f": "1\n"})
    with pytest.raises(EnvironmentFault, match="sha256"):
        walked(sample.path)


def test_no_child_is_left(sample: SampleRepository) -> None:
    """Walked to the end or not, GitPython's processes end."""
    for number in range(5):
        sample.commit(str(number))
    walked()
    with Repository.discover() as repository:
        walk = commits(repository)
        next(walk)
        walk.close()  # type: ignore[attr-defined]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
