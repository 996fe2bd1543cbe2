"""Several commits at the same time: in linked work trees of one repository, and in several repositories."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from lrc.install import repository
from tests.support.hooked import SECRET, Repository, make, run

SLIP = "def first(items):\n    if len(items) >= 0:\n        return items[0]\n    return None\n"


def _trees(path: Path, count: int) -> list[Repository]:
    """A repository with our hooks, and linked work trees of it, each on a branch of its own."""
    main = make(path / "main")
    repository.install(main.path)
    trees = [main]
    for number in range(1, count):
        run("git", "worktree", "add", "-q", str(path / f"tree{number}"), "-b", f"branch{number}", cwd=main.path)
        trees.append(Repository(path / f"tree{number}"))
    return trees


def _commit_at_once(trees: Sequence[Repository], env: Mapping[str, str]) -> list[tuple[int, str]]:
    """Starts a commit in each at once; exit codes and standard errors, in order."""
    running = [
        subprocess.Popen(
            ("git", "commit", "-m", "message"),
            cwd=tree.path,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for tree in trees
    ]
    errors = [process.communicate(timeout=500)[1] for process in running]
    return [(process.returncode, error) for process, error in zip(running, errors, strict=True)]


def test_each_commit_gets_its_own_verdict(tmp_path: Path) -> None:
    """Four work trees and two repositories commit at once: each is judged by what it stages, nothing is mixed up."""
    trees = [*_trees(tmp_path / "one", 4), *_trees(tmp_path / "two", 1), *_trees(tmp_path / "three", 1)]
    for number, tree in enumerate(trees):
        tree.stage(f"file{number}.txt", SECRET if number % 2 else "clean\n")
    done = _commit_at_once(trees, {"LRC_NO_MODEL": "1"})
    assert [code for code, _ in done] == [number % 2 for number in range(len(trees))]
    for number, (_, error) in enumerate(done):
        assert ("lrc: BLOCKED" in error) is (number % 2 == 1)
        assert f"file{number}.txt" in error or number % 2 == 0
    for tree in trees:
        run("git", "fsck", "--strict", "--no-dangling", cwd=tree.path)
        assert not list((tree.path / ".git").parent.glob("**/*.lock"))


@pytest.mark.model
def test_one_engine_at_a_time(tmp_path: Path, pair_data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two work trees commit at once with the model: one loads it, the other says that it waits; both are reviewed."""
    monkeypatch.setenv("LRC_CACHE_DIR", str(tmp_path / "cache"))
    trees = _trees(tmp_path / "repo", 2)
    for number, tree in enumerate(trees):
        tree.stage("code.py", SLIP.replace("first", f"first{number}"))
    done = _commit_at_once(trees, {"LRC_HOOK_BUDGET": "400"})
    errors = [error for _, error in done]
    assert [
        sum(line.startswith("lrc: ") and "waiting" not in line for line in error.splitlines()) for error in errors
    ] == [1, 1]
    assert not any("NOT REVIEWED" in error for error in errors)
    assert sum("waiting for another review" in error for error in errors) == 1
