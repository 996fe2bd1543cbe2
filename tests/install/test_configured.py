"""Hooks in git's configuration."""

from pathlib import Path

import pytest

from lrc.errors import EnvironmentFault
from lrc.install import configured, script
from lrc.install.configured import settings, supported
from lrc.install.script import HOOKS, RECORDERS
from tests.support.hooked import Repository, calls, make, reviews, run, snapshot, stand_in

GIT = configured.git_version()


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    return make(tmp_path / "a 'repo'")


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in that takes the place of the recorded interpreter."""
    made = stand_in(tmp_path / "python")
    monkeypatch.setattr(script.sys, "executable", str(made))
    return made


@pytest.mark.parametrize(
    ("version", "able"),
    [((2, 39), False), ((2, 53), False), ((2, 54), True), ((2, 60), True), ((3, 0), True), ((0, 0), False)],
)
def test_only_a_new_git_is_able(version: tuple[int, int], able: bool) -> None:
    """Hooks in the configuration came with git 2.54."""
    assert supported(version) is able


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("git version 2.39.5", (2, 39)),
        ("git version 2.54.0.windows.1", (2, 54)),
        ("git version 2.55.0-rc1", (2, 55)),
        ("git version 2.50.1 (Apple Git-155)", (2, 50)),
        ("gix 1.0", (0, 0)),
    ],
)
def test_version_is_read_from_every_build(
    text: str, version: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vendors add to the version; an unknown form counts as old."""
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\necho '{text}'\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert configured.git_version() == version


def test_old_git_is_refused_before_anything_is_written(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older git would ignore the setting: refused, with the way out."""
    monkeypatch.setattr(configured, "git_version", lambda: (2, 39))
    then = snapshot(repo.path)
    with pytest.raises(EnvironmentFault, match=r"2\.39"):
        configured.install(repo.path)
    assert snapshot(repo.path) == then


def test_settings_name_each_hook_once_under_another_name(python: Path) -> None:
    """Git refuses a friendly name that is an event's; each of ours has one event and one command."""
    for name in (*HOOKS, *RECORDERS):
        keys = dict(settings(name))
        assert keys[f"hook.lrc-{name}.event"] == name
        assert set(keys) == {f"hook.lrc-{name}.event", f"hook.lrc-{name}.command"}


def test_command_runs_the_script_wherever_the_repository_is(
    repo: Repository, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run as git runs it, the command finds the script also after a move, and is content when it is gone."""
    monkeypatch.setattr(configured, "git_version", lambda: (2, 54))
    configured.install(repo.path)
    repo.path.rename(tmp_path / "moved")
    moved = Repository(tmp_path / "moved")
    command = moved.git("config", "hook.lrc-pre-commit.command").stdout.rstrip("\n")
    run("sh", "-c", f'{command} "$@"', command, cwd=moved.path)
    assert calls(python) == ["hook pre-commit"]
    (moved.path / ".git" / "lrc" / "pre-commit").unlink()
    run("sh", "-c", f'{command} "$@"', command, cwd=moved.path)
    assert calls(python) == ["hook pre-commit"]


def test_uninstall_restores_the_configuration(repo: Repository, python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed twice and taken out: the git directory is what it was, other hooks in the configuration stay."""
    monkeypatch.setattr(configured, "git_version", lambda: (2, 54))
    repo.git("config", "hook.other.event", "pre-commit")
    repo.git("config", "hook.other.command", "true")
    then = snapshot(repo.path / ".git")
    configured.install(repo.path)
    configured.install(repo.path)
    assert len(configured.uninstall(repo.path)) == len((*HOOKS, *RECORDERS))
    assert snapshot(repo.path / ".git") == then
    assert configured.uninstall(repo.path) == []


@pytest.mark.skipif(not supported(GIT), reason=f"git {GIT[0]}.{GIT[1]} has no hooks in its configuration")
def test_new_git_reviews_beside_a_hook_file(repo: Repository, python: Path, tmp_path: Path) -> None:
    """With a git that can, a commit is reviewed once, whatever core.hooksPath says, and foreign hooks run as before."""
    (tmp_path / "hooks").mkdir()
    hook = tmp_path / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/seen'\n")
    hook.chmod(0o755)
    repo.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    configured.install(repo.path)
    repo.stage()
    repo.commit()
    assert (tmp_path / "seen").exists()
    assert reviews(python) == ["hook pre-commit"]
    stand_in(python, status=1)
    repo.stage("other.txt")
    assert repo.commit(check=False).returncode != 0
    configured.uninstall(repo.path)
    repo.commit()
