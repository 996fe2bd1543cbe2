"""`lrc install` for one repository: where the hooks go, and where they cannot go."""

import os
import sys
from pathlib import Path

import pytest

from lrc.errors import EnvironmentFault
from lrc.install import files, repository
from lrc.install.repository import HOOKS, RECORDERS, InstallElsewhere
from lrc.install.script import Script
from lrc.ledger.book import Book
from tests.support.hooked import Repository, make, run, snapshot


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    return make(tmp_path / "repo")


def test_installs_and_restores(repo: Repository) -> None:
    """All hooks are written, executable; uninstall leaves the git directory as it was, a begun ledger included."""
    then = snapshot(repo.path / ".git")
    lines = repository.install(repo.path)
    assert len(lines) == 3
    assert lines[2] == f"installed what records commits: {', '.join(RECORDERS)}"
    for name in (*HOOKS, *RECORDERS):
        assert os.access(repo.hooks / name, os.X_OK)
    assert len(repository.uninstall(repo.path)) == 3
    assert snapshot(repo.path / ".git") == then
    assert repository.uninstall(repo.path) == []


def test_upgrade_adds_what_records(repo: Repository) -> None:
    """Where only the hooks that review are ours, from an earlier version, a new install adds the others."""
    repo.hook("post-commit", "echo foreign")
    for name in HOOKS:
        files.put_in(repo.hooks, Script(name, sys.executable))
    then = snapshot(repo.hooks)
    lines = repository.install(repo.path)
    assert [line.endswith("is up to date") for line in lines[:2]] == [True, True]
    assert any("post-commit.lrc-chained" in line for line in lines)
    assert repository.install(repo.path) == lines[:2]
    repository.uninstall(repo.path)
    assert snapshot(repo.hooks) == {"post-commit": ("file", 0o755, b"#!/bin/sh\necho foreign\n")}
    assert set(then) > set(snapshot(repo.hooks))


def test_tracked_recorder_is_named_and_the_others_installed(repo: Repository) -> None:
    """A post-commit hook that git tracks is left alone: the line to add is said, everything else is installed."""
    repo.stage(".githooks/post-commit", "#!/bin/sh\n:\n")
    repo.git("config", "core.hooksPath", ".githooks")
    lines = repository.install(repo.path)
    assert any('add `lrc hook post-commit "$@"`' in line for line in lines)
    assert (repo.path / ".githooks" / "post-commit").read_text() == "#!/bin/sh\n:\n"
    assert files.is_installed(repo.path / ".githooks", "post-rewrite")


def test_ledger_that_holds_something_stays(repo: Repository) -> None:
    """Uninstall says where the ledger is and keeps it; a new install goes on with it."""
    repository.install(repo.path)
    book = Book(repo.path / ".git")
    book.append("commit", id="x")
    then = book.path.read_bytes()
    assert any(str(book.path) in line for line in repository.uninstall(repo.path))
    repository.install(repo.path)
    assert book.path.read_bytes() == then


def test_hooks_directory_is_made_and_removed(repo: Repository) -> None:
    """Where there was no hooks directory, there is none after uninstall, also when installed twice."""
    repo.hooks.rmdir()
    repository.install(repo.path)
    repository.install(repo.path)
    repository.uninstall(repo.path)
    assert not repo.hooks.exists()


def test_made_directory_with_something_new_in_it_stays(repo: Repository) -> None:
    """A directory that we made is not removed when somebody else put a hook into it."""
    repo.hooks.rmdir()
    repository.install(repo.path)
    repo.hook("pre-push", "exit 0")
    repository.uninstall(repo.path)
    assert [path.name for path in repo.hooks.iterdir()] == ["pre-push"]


def test_on_error_is_recorded(repo: Repository) -> None:
    """What was chosen at installation stands in the hook; choosing again changes it."""
    repository.install(repo.path, on_error="block")
    assert b"lrc_on_error='block'" in (repo.hooks / "pre-commit").read_bytes()
    repository.install(repo.path)
    assert b"lrc_on_error=''" in (repo.hooks / "pre-commit").read_bytes()


def test_no_repository(tmp_path: Path) -> None:
    """Outside a repository: one clear line."""
    with pytest.raises(EnvironmentFault, match="not a git repository"):
        repository.install(tmp_path)


def test_no_git(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git: one clear line."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EnvironmentFault, match="git cannot be run"):
        repository.install(repo.path)


def test_bare_repository(tmp_path: Path) -> None:
    """A bare repository makes no commits: refused, nothing written."""
    run("git", "init", "-q", "--bare", "bare", cwd=tmp_path)
    then = snapshot(tmp_path)
    with pytest.raises(EnvironmentFault, match="bare"):
        repository.install(tmp_path / "bare")
    assert snapshot(tmp_path) == then


def test_own_hooks_path(repo: Repository, tmp_path: Path) -> None:
    """A hooks directory set for this repository is used, and the setting is left alone."""
    repo.git("config", "core.hooksPath", str(tmp_path / "my hooks"))
    lines = repository.install(repo.path)
    assert files.is_installed(tmp_path / "my hooks", "pre-commit")
    assert len(lines) == 3
    repository.uninstall(repo.path)
    assert not (tmp_path / "my hooks").exists()
    assert repo.git("config", "core.hooksPath").stdout == f"{tmp_path}/my hooks\n"


def test_relative_hooks_path_counts_from_the_top(repo: Repository) -> None:
    """A relative `core.hooksPath` counts from the top, as for git; a warning says what not to commit."""
    repo.git("config", "core.hooksPath", ".githooks")
    (repo.path / "sub").mkdir()
    lines = repository.install(repo.path / "sub")
    assert files.is_installed(repo.path / ".githooks", "pre-commit")
    assert "do not commit" in lines[-1]


def test_ignored_hooks_path_needs_no_warning(repo: Repository) -> None:
    """A hooks directory in the work tree that git ignores cannot be committed by accident."""
    repo.stage(".gitignore", ".githooks\n")
    repo.git("config", "core.hooksPath", ".githooks")
    assert len(repository.install(repo.path)) == 3


def test_tracked_hook_is_not_touched(repo: Repository) -> None:
    """A hook that is part of the repository is left alone; the line to add is given, and noticed when it is there."""
    repo.stage(".githooks/pre-commit", "#!/bin/sh\nmake lint\n")
    repo.git("config", "core.hooksPath", ".githooks")
    then = snapshot(repo.path)
    with pytest.raises(InstallElsewhere, match="tracked") as caught:
        repository.install(repo.path)
    assert snapshot(repo.path) == then
    assert caught.value.advice.snippet == 'lrc hook pre-commit "$@" || exit $?'
    repo.stage(".githooks/pre-commit", f"#!/bin/sh\n{caught.value.advice.snippet}\n")
    assert "nothing to do" in repository.install(repo.path)[0]


def test_global_hooks_path_asks_for_global(repo: Repository, tmp_path: Path) -> None:
    """With a hooks directory for all repositories, hooks of this one would never run: `--global` is named."""
    repo.git("config", "--global", "core.hooksPath", str(tmp_path / "everywhere"))
    with pytest.raises(EnvironmentFault, match="every repository") as caught:
        repository.install(repo.path)
    assert "--global" in caught.value.hint
    assert not (tmp_path / "everywhere").exists()
    assert list(repo.hooks.iterdir()) == []


def test_local_hooks_path_wins_over_global(repo: Repository, tmp_path: Path) -> None:
    """The repository's own setting decides, as it does for git."""
    repo.git("config", "--global", "core.hooksPath", str(tmp_path / "everywhere"))
    repo.git("config", "core.hooksPath", str(repo.hooks))
    repository.install(repo.path)
    assert files.is_installed(repo.hooks, "pre-commit")


def test_hooks_switched_off(repo: Repository) -> None:
    """`core.hooksPath=/dev/null` means no hooks: said so."""
    repo.git("config", "core.hooksPath", "/dev/null")
    with pytest.raises(EnvironmentFault, match="switched off"):
        repository.install(repo.path)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a directory that not even root can write to")
def test_unwritable_hooks_directory(repo: Repository) -> None:
    """A directory that cannot be made or written: one clear line that names it."""
    for path in ("/proc/hooks", "/proc"):
        repo.git("config", "core.hooksPath", path)
        with pytest.raises(EnvironmentFault, match=r"cannot (make|change) /proc"):
            repository.install(repo.path)


def test_directory_named_like_a_hook_stops_all(repo: Repository) -> None:
    """When one of the hooks cannot be written, none is."""
    (repo.hooks / "pre-merge-commit").mkdir()
    with pytest.raises(EnvironmentFault, match="is a directory"):
        repository.install(repo.path)
    assert [path.name for path in repo.hooks.iterdir()] == ["pre-merge-commit"]


def test_linked_hooks_directory(repo: Repository, tmp_path: Path) -> None:
    """A hooks directory that is a symbolic link stays one."""
    repo.hooks.rmdir()
    (tmp_path / "shared").mkdir()
    repo.hooks.symlink_to(tmp_path / "shared")
    repository.install(repo.path)
    assert files.is_installed(tmp_path / "shared", "pre-commit")
    repository.uninstall(repo.path)
    assert repo.hooks.is_symlink()
    assert list((tmp_path / "shared").iterdir()) == []


def test_husky_gets_the_one_line(repo: Repository) -> None:
    """husky's generated directory is left alone; the line for `.husky/pre-commit` is given, and noticed when there."""
    generated = repo.path / ".husky" / "_"
    generated.mkdir(parents=True)
    (generated / "h").write_text("# generated\n")
    (generated / "pre-commit").write_text('#!/bin/sh\n. "$(dirname "$0")/h"\n')
    repo.git("config", "core.hooksPath", ".husky/_")
    then = snapshot(repo.path)
    with pytest.raises(InstallElsewhere, match="husky") as caught:
        repository.install(repo.path)
    assert snapshot(repo.path) == then
    assert caught.value.advice.file == repo.path / ".husky" / "pre-commit"
    (repo.path / ".husky" / "pre-commit").write_text(caught.value.advice.snippet + "\n")
    assert "nothing to do" in repository.install(repo.path)[0]
    assert "take that line out" in repository.uninstall(repo.path)[-1]


def test_lefthook_gets_a_snippet(repo: Repository) -> None:
    """lefthook moves foreign hooks aside without running them: the snippet for its file is given, and noticed there."""
    config = repo.path / "lefthook.yml"
    config.write_text("pre-push:\n  commands: {}\n")
    with pytest.raises(InstallElsewhere, match="lefthook") as caught:
        repository.install(repo.path)
    assert list(repo.hooks.iterdir()) == []
    assert "run: lrc hook pre-commit" in caught.value.advice.snippet
    config.write_text(caught.value.advice.snippet)
    assert "nothing to do" in repository.install(repo.path)[0]


def test_moved_aside_by_lefthook_is_still_taken_out(repo: Repository) -> None:
    """lefthook installed after us keeps our hook as `.old`: uninstall leaves the earlier hook there."""
    repo.hook("pre-commit", "echo earlier")
    earlier = (repo.hooks / "pre-commit").read_bytes()
    repository.install(repo.path)
    (repo.hooks / "pre-commit").rename(repo.hooks / "pre-commit.old")
    repo.hook("pre-commit", "call_lefthook run pre-commit")
    repository.uninstall(repo.path)
    assert (repo.hooks / "pre-commit.old").read_bytes() == earlier
    assert sorted(path.name for path in repo.hooks.iterdir()) == ["pre-commit", "pre-commit.old"]


def test_hooks_path_changed_after_installation(repo: Repository, tmp_path: Path) -> None:
    """Uninstall also finds the hooks in the default directory when `core.hooksPath` was set later."""
    repository.install(repo.path)
    repo.git("config", "core.hooksPath", str(tmp_path / "later"))
    repository.uninstall(repo.path)
    assert list(repo.hooks.iterdir()) == []


def test_package_found_through_pythonpath_only_is_refused(
    repo: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A hook ignores PYTHONPATH; an installation that needs it could never review, and is refused."""
    run(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare"), cwd=tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(EnvironmentFault, match="PYTHONPATH"):
        repository.install(repo.path)
    assert list(repo.hooks.iterdir()) == []
