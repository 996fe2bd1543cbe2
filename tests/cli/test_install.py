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
    """One line a hook, and the hooks are there, then gone."""
    done = _lrc("install")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["installed", "installed"]
    assert files.is_installed(repo.hooks, "pre-commit")
    done = _lrc("uninstall")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["removed", "removed"]
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
