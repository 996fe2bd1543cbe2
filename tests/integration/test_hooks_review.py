"""The installed hook with the real reviewer: detectors alone, and a model that is not there."""

from pathlib import Path

import pytest

from lrc.install import repository
from tests.support.hooked import SECRET, Repository, make, run

DETECTORS = {"LRC_NO_MODEL": "1"}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with our hooks and no model on the machine."""
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "no models"))
    made = make(tmp_path / "repo")
    repository.install(made.path)
    return made


def test_secret_is_blocked_on_the_first_line(repo: Repository) -> None:
    """A staged private key stops the commit; the first line says so, and the key is nowhere in the output."""
    repo.stage("key.pem", SECRET)
    done = repo.commit(check=False, env=DETECTORS)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[0].startswith("lrc: BLOCKED")
    assert "key.pem" in done.stderr.splitlines()[0]
    assert SECRET.splitlines()[1] not in done.stderr
    assert repo.commits() == 1
    assert repo.git("diff", "--cached", "--name-only").stdout == "key.pem\n"


def test_clean_change_passes_and_says_so(repo: Repository) -> None:
    """A clean change is committed, with one line that says what looked at it."""
    repo.stage()
    done = repo.commit(env=DETECTORS)
    assert len([line for line in done.stderr.splitlines() if line.startswith("lrc:")]) == 1
    assert repo.commits() == 2


def test_work_tree_is_not_the_change(repo: Repository) -> None:
    """Only what is committed counts: a key in the work tree does not block, a staged one does though deleted since."""
    repo.stage("file.txt", "clean\n")
    (repo.path / "file.txt").write_text(SECRET)
    (repo.path / "untracked.pem").write_text(SECRET)
    repo.commit(env=DETECTORS)
    repo.git("checkout", "-q", "--", "file.txt")
    repo.stage("other.pem", SECRET)
    (repo.path / "other.pem").unlink()
    assert repo.commit(check=False, env=DETECTORS).returncode == 1


@pytest.mark.parametrize("arguments", [("-a",), ("file.txt",), ("-i", "file.txt")])
def test_temporary_index_is_what_is_reviewed(arguments: tuple[str, ...], repo: Repository) -> None:
    """With -a and with named files git commits another index than the usual one: that one is reviewed."""
    repo.stage()
    repo.commit("-q", env=DETECTORS)
    (repo.path / "file.txt").write_text(SECRET)
    assert repo.commit(*arguments, check=False, env=DETECTORS).returncode == 1
    assert repo.commits() == 2


def test_named_file_leaves_other_staged_files_out(repo: Repository) -> None:
    """`git commit FILE` does not commit what else is staged, so that does not block."""
    repo.stage()
    repo.commit("-q", env=DETECTORS)
    repo.stage("key.pem", SECRET)
    (repo.path / "file.txt").write_text("changed\n")
    repo.commit("file.txt", env=DETECTORS)
    assert repo.commits() == 3


def test_no_model_lets_the_commit_go_and_says_so(repo: Repository) -> None:
    """Without a model the detectors have looked, the first line says NOT REVIEWED and why, and the commit goes on."""
    repo.stage("code.py", "def area(w, h):\n    return w * h\n")
    done = repo.commit()
    assert done.stderr.splitlines()[0].startswith("lrc: NOT REVIEWED")
    assert "lrc model pull" in done.stderr
    assert repo.commits() == 2


def test_no_model_blocks_when_asked_to(repo: Repository) -> None:
    """With `on_error = "block"` no model means no commit."""
    repo.stage("code.py", "def area(w, h):\n    return w * h\n")
    done = repo.commit(check=False, env={"LRC_ON_ERROR": "block"})
    assert done.returncode == 1
    assert repo.commits() == 1


def test_choice_recorded_at_installation_holds(repo: Repository) -> None:
    """`lrc install --on-error block` is what the review follows, until the environment says otherwise."""
    repository.install(repo.path, on_error="block")
    repo.stage("code.py", "def area(w, h):\n    return w * h\n")
    assert repo.commit(check=False).returncode == 1
    assert repo.commit(env={"LRC_ON_ERROR": "warn"}).returncode == 0


def test_no_model_does_not_hide_a_secret(repo: Repository) -> None:
    """Detectors block without any model."""
    repo.stage("key.pem", SECRET)
    assert repo.commit(check=False).returncode == 1
    assert repo.commits() == 1


def test_clean_merge_has_a_verdict(repo: Repository) -> None:
    """A merge without conflicts goes through the review as well and says so."""
    repo.git("checkout", "-q", "-b", "topic")
    repo.stage("topic.txt")
    repo.commit("-q", "--no-verify")
    repo.git("checkout", "-q", "main")
    repo.stage()
    repo.commit("-q", "--no-verify")
    done = repo.git("merge", "--no-edit", "topic", env=DETECTORS)
    assert [line for line in done.stderr.splitlines() if line.startswith("lrc: ")] != []


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full", ">&- 2>&-", "0<&- 2>&-"])
def test_nobody_listens(stream: str, repo: Repository) -> None:
    """A client that closed its end hears nothing, but the verdict holds: clean goes through, a key does not."""
    repo.stage()
    run("sh", "-c", f"git commit -q -m clean {stream}", cwd=repo.path, env=DETECTORS)
    repo.stage("key.pem", SECRET)
    assert run("sh", "-c", f"git commit -q -m key {stream}", cwd=repo.path, check=False, env=DETECTORS).returncode == 1
    assert repo.commits() == 2
