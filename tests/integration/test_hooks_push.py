"""`lrc install --pre-push` in real pushes."""

from pathlib import Path

import pytest

from lrc.install import files, repository
from tests.support.hooked import SECRET, Repository, make, run, snapshot

DETECTORS = {"LRC_NO_MODEL": "1"}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with a remote that has its first commit, and our pre-push hook beside a foreign one."""
    made = make(tmp_path / "repo")
    run("git", "init", "-q", "--bare", "remote", cwd=tmp_path)
    made.git("remote", "add", "origin", str(tmp_path / "remote"))
    made.git("push", "-q", "-u", "origin", "main")
    made.hook("pre-push", f"{{ cat; echo \"$1\"; }} >'{tmp_path}/seen'")
    return made


def test_pushed_range_is_reviewed_after_the_earlier_hook(repo: Repository, tmp_path: Path) -> None:
    """Both hooks read what git says; a key in an unreviewed commit stops the push, without it the push goes through."""
    then = snapshot(repo.hooks)
    repository.install(repo.path, push=True)
    repo.stage("key.pem", SECRET)
    repo.commit("-q", "--no-verify")
    head = repo.git("rev-parse", "HEAD").stdout.strip()
    done = repo.git("push", check=False, env=DETECTORS)
    assert done.returncode == 1
    assert "lrc: BLOCKED" in done.stderr
    assert (tmp_path / "seen").read_text().startswith(f"refs/heads/main {head} refs/heads/main ")
    assert (tmp_path / "seen").read_text().endswith("\norigin\n")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.stage("clean.txt")
    repo.commit("-q", "--no-verify")
    repo.git("push", env=DETECTORS)
    repository.uninstall(repo.path)
    assert snapshot(repo.hooks) == then


def test_skip_and_nothing_new(repo: Repository) -> None:
    """A skipped review is said; a deletion and an up-to-date push say nothing of us."""
    repository.install(repo.path, push=True)
    repo.stage("key.pem", SECRET)
    repo.commit("-q", "--no-verify")
    assert "lrc: skipped" in repo.git("push", env={"LRC_SKIP": "1"}).stderr
    repo.git("push", "-q", "origin", "main:topic")
    for arguments in (("origin", ":topic"), ("origin", "main")):
        assert "lrc:" not in repo.git("push", *arguments, env=DETECTORS).stderr


def test_first_push_says_that_it_was_not_reviewed(tmp_path: Path) -> None:
    """With an empty remote the push goes through, and the line names what was not looked at."""
    fresh = make(tmp_path / "fresh")
    run("git", "init", "-q", "--bare", "empty", cwd=tmp_path)
    repository.install(fresh.path, push=True)
    done = fresh.git("push", str(tmp_path / "empty"), "main", env=DETECTORS)
    assert "lrc: NOT REVIEWED" in done.stderr
    assert "refs/heads/main" in done.stderr


def test_once_asked_for_it_is_kept_up_to_date(repo: Repository) -> None:
    """A later plain install keeps the pre-push hook; without having asked, there is none."""
    repository.install(repo.path)
    assert not files.is_installed(repo.hooks, "pre-push")
    repository.install(repo.path, push=True)
    lines = repository.install(repo.path)
    assert [line.endswith("is up to date") for line in lines] == [True] * 3
