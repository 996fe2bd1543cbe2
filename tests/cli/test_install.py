"""`lrc install` and `lrc uninstall` on the command line."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from lrc.cli.install import install, uninstall
from lrc.errors import EnvironmentFault, WrongUsage
from lrc.install import files
from tests.support.hooked import Repository, make

app = typer.Typer()
app.command()(install)
app.command()(uninstall)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository that is the current directory."""
    made = make(tmp_path / "repo")
    monkeypatch.chdir(made.path)
    return made


def _lrc(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_install_and_uninstall_say_what_they_did(repo: Repository) -> None:
    """One line a hook that reviews, one for all that record; the hooks are there, then gone."""
    done = _lrc("install")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["installed"] * 3
    assert files.is_installed(repo.hooks, "pre-commit")
    done = _lrc("uninstall")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["removed"] * 3
    assert list(repo.hooks.iterdir()) == []


def test_on_error_is_checked(repo: Repository) -> None:
    """An unknown choice is wrong usage and writes nothing; a known one stands in the hook."""
    assert isinstance(_lrc("install", "--on-error", "maybe").exception, WrongUsage)
    assert list(repo.hooks.iterdir()) == []
    assert _lrc("install", "--on-error", "block").exit_code == 0
    assert b"lrc_on_error='block'" in (repo.hooks / "pre-commit").read_bytes()


def test_snippet_alone_is_on_standard_output(repo: Repository) -> None:
    """When another tool owns the hooks, standard output is what to paste, standard error says where; exit code 4."""
    (repo.path / "lefthook.yml").write_text("{}\n")
    done = _lrc("install")
    assert done.exit_code == 4
    assert done.stdout.startswith("pre-commit:\n")
    assert "lefthook.yml" in done.stderr


def test_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No repository is a fault of the surroundings, for both commands."""
    monkeypatch.chdir(tmp_path)
    for command in ("install", "uninstall"):
        assert isinstance(_lrc(command).exception, EnvironmentFault)


def test_agent_files_come_and_go(repo: Repository) -> None:
    """`--agent` writes the agent's files alone and says when commits are not reviewed yet; uninstall takes them out."""
    done = _lrc("install", "--agent", "claude", "--agent", "codex")
    assert done.exit_code == 0
    assert "not reviewed yet" in done.stdout
    assert list(repo.hooks.iterdir()) == []
    assert _lrc("install").exit_code == 0
    assert "not reviewed yet" not in _lrc("install", "--agent", "cursor").stdout
    assert _lrc("uninstall", "--agent", "cursor").exit_code == 0
    assert (repo.path / "AGENTS.md").exists()
    assert files.is_installed(repo.hooks, "pre-commit")
    assert _lrc("uninstall").exit_code == 0
    assert sorted(path.name for path in repo.path.iterdir()) == [".git", "README"]


@pytest.mark.parametrize(
    "arguments",
    [("install", "--agent", "hal"), ("uninstall", "--agent", "hal"), ("install", "--global", "--config-hooks")],
)
def test_impossible_choices(arguments: tuple[str, ...], repo: Repository) -> None:
    """An unknown agent and two ways at once are wrong usage."""
    assert isinstance(_lrc(*arguments).exception, WrongUsage)
    assert list(repo.hooks.iterdir()) == []


def test_global_comes_and_goes(repo: Repository) -> None:
    """`--global` installs for all repositories, and only `uninstall --global` takes that out."""
    assert _lrc("install", "--global").exit_code == 0
    assert "nothing of lrc" in _lrc("uninstall").stdout
    assert "nothing to do" in _lrc("install").stdout
    assert "core.hooksPath is again not set" in _lrc("uninstall", "--global").stdout
