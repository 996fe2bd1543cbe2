"""What a push brings."""

import subprocess
from pathlib import Path

import pytest

from lrc.cli.pushed import ranges
from tests.support.hooked import Repository, make, run

ZERO = "0" * 40


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository whose first commit is on the remote, and two more that are not."""
    made = make(tmp_path / "repo")
    run("git", "init", "-q", "--bare", "remote", cwd=tmp_path)
    made.git("remote", "add", "origin", str(tmp_path / "remote"))
    made.git("push", "-q", "origin", "main")
    for name in ("second", "third"):
        made.stage(name)
        made.commit("-q")
    return made


def _oid(repo: Repository, revision: str) -> str:
    return repo.git("rev-parse", revision).stdout.strip()


def _ranges(repo: Repository, *lines: str) -> tuple[list[str], list[str]]:
    def git(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(("git", *arguments), cwd=repo.path, capture_output=True, check=False)

    return ranges("".join(f"{line}\n" for line in lines), git)


def test_branch_that_is_there(repo: Repository) -> None:
    """A branch that the remote has is compared with what it has there."""
    old, new = _oid(repo, "HEAD~2"), _oid(repo, "HEAD")
    assert _ranges(repo, f"refs/heads/main {new} refs/heads/main {old}") == ([f"{old}...{new}"], [])


def test_new_branch(repo: Repository) -> None:
    """A branch that is new on the remote is compared with the newest commit that the remote has."""
    old, new = _oid(repo, "HEAD~2"), _oid(repo, "HEAD")
    found, without = _ranges(repo, f"refs/heads/topic {new} refs/heads/topic {ZERO}")
    assert without == []
    assert [_oid(repo, side) for side in found[0].split("..")] == [old, new]


def test_branch_without_anything_new(repo: Repository) -> None:
    """A new name for commits that the remote has brings nothing."""
    assert _ranges(repo, f"refs/heads/topic {_oid(repo, 'HEAD~2')} refs/heads/topic {ZERO}") == ([], [])


def test_deletion_and_nonsense_bring_nothing(repo: Repository) -> None:
    """A deleted ref, an empty input and a line of another form are nothing to review."""
    assert _ranges(repo, f"(delete) {ZERO} refs/heads/main {_oid(repo, 'HEAD~2')}", "", "a b c") == ([], [])


def test_remote_commit_that_is_not_here(repo: Repository) -> None:
    """When the remote moved on without us, what it was last known to have is the base."""
    old, new = _oid(repo, "HEAD~2"), _oid(repo, "HEAD")
    found, _ = _ranges(repo, f"refs/heads/main {new} refs/heads/main {'1' * 40}")
    assert [_oid(repo, side) for side in found[0].split("..")] == [old, new]


def test_same_range_once(repo: Repository) -> None:
    """Two names for one range are one review."""
    old, new = _oid(repo, "HEAD~2"), _oid(repo, "HEAD")
    assert _ranges(repo, *(f"refs/heads/{name} {new} refs/heads/{name} {old}" for name in "ab"))[0] == [
        f"{old}...{new}"
    ]


def test_first_push_of_all(tmp_path: Path) -> None:
    """With nothing on any remote there is nothing to compare with, and the ref is named."""
    fresh = make(tmp_path / "fresh")
    line = f"refs/heads/main {_oid(fresh, 'HEAD')} refs/heads/main {ZERO}"
    assert _ranges(fresh, line) == ([], ["refs/heads/main"])
