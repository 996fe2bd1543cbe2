"""The installed hook in real commits, with a stand-in for the interpreter where the review is not the point."""

import os
import sys
from pathlib import Path

import pytest

from lrc.install import files, repository
from lrc.install.script import Script
from tests.support import hooked
from tests.support.hooked import Repository, calls, make, run, snapshot, stand_in


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with one commit, in a directory with an awkward name."""
    return make(tmp_path / "a 'quoted' \"dir\" é $HOME")


def _install(repo: Repository, python: Path | str, on_error: str = "") -> None:
    for name in repository.HOOKS:
        files.put_in(repo.hooks, Script(name, str(python), on_error=on_error))


def test_every_commit_reaches_the_recorded_interpreter(repo: Repository, tmp_path: Path) -> None:
    """A commit runs `lrc hook pre-commit` through the interpreter recorded at installation."""
    python = stand_in(tmp_path / "py thon")
    _install(repo, python)
    repo.stage()
    repo.commit()
    assert calls(python) == ["hook pre-commit"]


def test_block_stops_the_commit(repo: Repository, tmp_path: Path) -> None:
    """Exit code 1 of the reviewer stops the commit, and its first line is the first on standard error."""
    _install(repo, stand_in(tmp_path / "python", 1, "lrc: BLOCKED: 1 critical"))
    repo.stage()
    done = repo.commit(check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "lrc: BLOCKED: 1 critical"
    assert repo.commits() == 1


@pytest.mark.parametrize("status", [1, 2, 3, 4, 130])
def test_every_code_of_ours_stops_the_commit(status: int, repo: Repository, tmp_path: Path) -> None:
    """What the review decided (findings, usage, block on error, interrupted) is not softened by the hook file."""
    _install(repo, stand_in(tmp_path / "python", status))
    repo.stage()
    assert repo.commit(check=False).returncode != 0
    assert repo.commits() == 1


@pytest.mark.parametrize("status", [132, 137, 139])
def test_crash_of_the_reviewer_lets_the_commit_go(status: int, repo: Repository, tmp_path: Path) -> None:
    """An illegal instruction, an out-of-memory kill or a segmentation fault is no finding: said, and let go."""
    _install(repo, stand_in(tmp_path / "python", status))
    repo.stage()
    done = repo.commit()
    assert f"lrc: NOT REVIEWED: the reviewer ended with status {status}" in done.stderr
    assert repo.commits() == 2


@pytest.mark.parametrize(("recorded", "environment"), [("block", {}), ("", {"LRC_ON_ERROR": "block"})])
def test_crash_stops_the_commit_when_asked_to(
    recorded: str, environment: dict[str, str], repo: Repository, tmp_path: Path
) -> None:
    """With `on_error = "block"`, recorded or in the environment, no review means no commit."""
    _install(repo, stand_in(tmp_path / "python", 139), recorded)
    repo.stage()
    assert repo.commit(check=False, env=environment).returncode == 1
    assert repo.commits() == 1


def test_moved_interpreter_is_said_in_one_line(repo: Repository, tmp_path: Path) -> None:
    """Interpreter gone, nothing on PATH: one line that names the way out, and the commit goes on."""
    _install(repo, tmp_path / "gone" / "python")
    repo.stage()
    done = repo.commit(env={"PATH": "/usr/bin:/bin"})
    lines = [line for line in done.stderr.splitlines() if "lrc" in line]
    assert len(lines) == 1
    assert lines[0].startswith("lrc: NOT REVIEWED: ")
    assert "lrc install" in lines[0]
    assert repo.commits() == 2


def test_moved_interpreter_falls_back_to_path(repo: Repository, tmp_path: Path) -> None:
    """Interpreter gone, but `lrc` is on PATH: that one reviews."""
    _install(repo, tmp_path / "gone" / "python")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "lrc"
    program.write_text(
        f'#!/bin/sh\n[ "$2" = --probe ] && echo lrc hook 1 && exit 0\necho "$@" >\'{tmp_path}/seen\'\nexit 1\n'
    )
    program.chmod(0o755)
    repo.stage()
    done = repo.commit(check=False, env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    assert done.returncode == 1
    assert (tmp_path / "seen").read_text() == "hook pre-commit\n"


def test_another_program_named_lrc_is_not_trusted(repo: Repository, tmp_path: Path) -> None:
    """A different program with the same name on PATH neither reviews nor blocks."""
    _install(repo, tmp_path / "gone" / "python")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "lrc"
    program.write_text("#!/bin/sh\necho unknown command >&2\nexit 1\n")
    program.chmod(0o755)
    repo.stage()
    done = repo.commit(env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    assert "NOT REVIEWED" in done.stderr
    assert "unknown command" not in done.stderr


def test_uninstalled_package_is_said_in_one_line(repo: Repository, tmp_path: Path) -> None:
    """The interpreter is there, the package no longer: one line, no traceback, and the commit goes on."""
    run(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare"), cwd=tmp_path)
    _install(repo, tmp_path / "bare" / "bin" / "python")
    repo.stage()
    done = repo.commit(env={"PATH": "/usr/bin:/bin"})
    assert done.stderr.count("lrc:") == 1
    assert "Traceback" not in done.stderr
    assert repo.commits() == 2


def test_interpreter_that_cannot_start_is_no_finding(repo: Repository, tmp_path: Path) -> None:
    """An interpreter that fails with 1 before it runs anything (a broken environment) does not block."""
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho Fatal Python error >&2\nexit 1\n")
    broken.chmod(0o755)
    _install(repo, broken)
    repo.stage()
    done = repo.commit(env={"PATH": "/usr/bin:/bin"})
    assert "NOT REVIEWED" in done.stderr


def test_reviewed_code_never_becomes_the_reviewer(repo: Repository) -> None:
    """Modules of the work tree, even with PYTHONPATH=., are not imported by the hook."""
    for name in ("typing.py", "subprocess.py", "lrc/__init__.py", "lrc/__main__.py"):
        repo.stage(name, "raise SystemExit('hijacked')\n")
    _install(repo, sys.executable)
    done = repo.commit(check=False, env={"PYTHONPATH": ".", "LRC_SKIP": "1"})
    assert "hijacked" not in done.stderr + done.stdout
    assert "skipped" in done.stderr


def test_earlier_hook_runs_first_with_arguments_environment_and_status(repo: Repository, tmp_path: Path) -> None:
    """The hook that was there runs first; when it fails, its status ends the commit and no review runs."""
    python = stand_in(tmp_path / "python")
    repo.hook("pre-commit", f"echo \"index $GIT_INDEX_FILE, $#\" >'{tmp_path}/seen'; exit ${{STATUS:-0}}")
    _install(repo, python)
    repo.stage()
    repo.commit()
    assert (tmp_path / "seen").read_text() == "index .git/index, 0\n"
    assert calls(python) == ["hook pre-commit"]
    repo.stage("other.txt")
    assert repo.commit(check=False, env={"STATUS": "7"}).returncode == 1
    assert run(str(repo.hooks / "pre-commit"), cwd=repo.path, check=False, env={"STATUS": "7"}).returncode == 7
    assert calls(python) == ["hook pre-commit"]


def test_earlier_hook_gets_standard_input_and_arguments(repo: Repository, tmp_path: Path) -> None:
    """Standard input and odd arguments reach the chained hook untouched."""
    repo.hook("pre-commit", f"{{ cat; printf '<%s>' \"$@\"; }} >'{tmp_path}/seen'")
    _install(repo, stand_in(tmp_path / "python"))
    run(str(repo.hooks / "pre-commit"), "a b", "*", "", cwd=repo.path, text="line\n")
    assert (tmp_path / "seen").read_text() == "line\n<a b><*><>"


def test_earlier_hook_that_is_not_executable_stays_silent(repo: Repository, tmp_path: Path) -> None:
    """As git itself does, a hook without the executable bit is not run."""
    repo.hook("pre-commit", "exit 1", mode=0o644)
    python = stand_in(tmp_path / "python")
    _install(repo, python)
    repo.stage()
    repo.commit()
    assert calls(python) == ["hook pre-commit"]


def test_what_the_earlier_hook_stages_is_there_for_the_review(repo: Repository, tmp_path: Path) -> None:
    """A formatter that stages its changes runs before the review, which sees its result."""
    repo.hook("pre-commit", "echo formatted >file.txt; git add file.txt")
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ngit show :file.txt >'{tmp_path}/seen'\n")
    python.chmod(0o755)
    _install(repo, python)
    repo.stage()
    repo.commit()
    assert (tmp_path / "seen").read_text() == "formatted\n"


def test_hook_that_calls_itself_ends(repo: Repository, tmp_path: Path) -> None:
    """A chained hook that runs the installed hook again does not loop; it runs once, and so does the review."""
    repo.hook("pre-commit", f"echo ran >>'{tmp_path}/seen'; exec .git/hooks/pre-commit")
    python = stand_in(tmp_path / "python")
    _install(repo, python)
    repo.stage()
    repo.commit()
    assert calls(python) == ["hook pre-commit"]
    assert (tmp_path / "seen").read_text() == "ran\n"


def test_commit_in_another_repository_from_a_hook_is_reviewed(repo: Repository, tmp_path: Path) -> None:
    """The guard is for this repository: a hook that commits elsewhere has that commit reviewed too."""
    python = stand_in(tmp_path / "python")
    other = make(tmp_path / "other")
    _install(other, python)
    repo.hook("pre-commit", f"unset GIT_INDEX_FILE; git -C '{other.path}' commit -q --allow-empty -m nested")
    _install(repo, python)
    repo.stage()
    repo.commit()
    assert calls(python) == ["hook pre-commit", "hook pre-commit"]


def test_clean_merge_is_reviewed_once(repo: Repository, tmp_path: Path) -> None:
    """A merge without conflicts runs pre-merge-commit, also when that hook calls pre-commit as git's sample does."""
    python = stand_in(tmp_path / "python")
    repo.hook("pre-merge-commit", 'exec "$(git rev-parse --git-path hooks)/pre-commit"')
    _install(repo, python)
    repo.git("checkout", "-q", "-b", "topic")
    repo.stage("topic.txt")
    repo.commit("-q", "--no-verify")
    repo.git("checkout", "-q", "main")
    repo.stage("main.txt")
    repo.commit("-q", "--no-verify")
    repo.git("merge", "-q", "--no-edit", "topic")
    assert calls(python) == ["hook pre-merge-commit"]


def test_no_verify_runs_nothing(repo: Repository, tmp_path: Path) -> None:
    """`--no-verify` is git's own way past the hook and stays one."""
    python = stand_in(tmp_path / "python", 1)
    _install(repo, python)
    repo.stage()
    repo.commit("--no-verify")
    assert calls(python) == []


@pytest.mark.parametrize("arguments", [("-a",), ("file.txt",), ("-i", "file.txt"), ("--amend",), ("--allow-empty",)])
def test_every_form_of_commit_runs_the_hook(arguments: tuple[str, ...], repo: Repository, tmp_path: Path) -> None:
    """The hook runs for -a, for named files, for an amended and for an empty commit."""
    python = stand_in(tmp_path / "python")
    repo.stage()
    repo.commit("-q")
    _install(repo, python)
    (repo.path / "file.txt").write_text("changed\n")
    repo.commit(*arguments)
    assert calls(python) == ["hook pre-commit"]


def test_linked_work_tree_and_subdirectory(repo: Repository, tmp_path: Path) -> None:
    """Installed from a linked work tree's subdirectory, the hook is in the shared directory and runs in both."""
    run("git", "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked", cwd=repo.path)
    (tmp_path / "linked" / "sub").mkdir()
    lines = repository.install(tmp_path / "linked" / "sub")
    assert str(repo.hooks / "pre-commit") in lines[0]
    python = stand_in(tmp_path / "python")
    _install(repo, python)
    linked = Repository(tmp_path / "linked")
    linked.stage()
    linked.commit()
    repo.stage()
    repo.commit()
    assert calls(python) == ["hook pre-commit", "hook pre-commit"]
    repository.uninstall(tmp_path / "linked")
    assert list(repo.hooks.iterdir()) == []


def test_submodule(repo: Repository, tmp_path: Path) -> None:
    """Inside a submodule the hook goes to the submodule's own git directory and runs there."""
    inner = make(tmp_path / "inner")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    module = Repository(repo.path / "sub")
    repository.install(module.path)
    hooks = repo.path / ".git" / "modules" / "sub" / "hooks"
    assert files.is_installed(hooks, "pre-commit")
    python = stand_in(tmp_path / "python")
    files.put_in(hooks, Script("pre-commit", str(python)))
    module.stage()
    module.commit()
    assert calls(python) == ["hook pre-commit"]


def test_without_any_environment(repo: Repository, tmp_path: Path) -> None:
    """A graphical client's bare environment (no HOME, minimal PATH, no terminal) is enough."""
    python = stand_in(tmp_path / "python")
    repo.hook("pre-commit", "exit 0")
    _install(repo, python)
    repo.stage()
    identity = [f"GIT_{who}_{what}=x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    run("env", "-i", "PATH=/usr/bin:/bin", *identity, "git", "commit", "-m", "message", cwd=repo.path)
    assert calls(python) == ["hook pre-commit"]


def test_moved_repository_keeps_its_chain(repo: Repository, tmp_path: Path) -> None:
    """The hook names nothing of the repository by its path: after a move both hooks still run."""
    python = stand_in(tmp_path / "python")
    repo.hook("pre-commit", f"touch '{tmp_path}/seen'")
    _install(repo, python)
    repo.path.rename(tmp_path / "moved")
    moved = Repository(tmp_path / "moved")
    moved.stage()
    moved.commit()
    assert (tmp_path / "seen").exists()
    assert calls(python) == ["hook pre-commit"]


def test_real_interpreter_end_to_end(repo: Repository) -> None:
    """Installed for real: an empty commit is silent, a skipped one says so in one line, uninstall leaves no trace."""
    then = snapshot(repo.path / ".git" / "hooks")
    repository.install(repo.path)
    assert repo.commit("--allow-empty").stderr == ""
    repo.stage()
    for environment in ({"LRC_SKIP": "1"}, {"SKIP": "other, lrc"}):
        done = repo.commit("--allow-empty", env=environment)
        assert [
            line for line in done.stderr.splitlines() if line.startswith("lrc: skipped")
        ] == done.stderr.splitlines()
        assert len(done.stderr.splitlines()) == 1
    repository.uninstall(repo.path)
    assert snapshot(repo.path / ".git" / "hooks") == then


def test_hooks_are_found_where_the_environment_says(repo: Repository, tmp_path: Path) -> None:
    """With GIT_DIR and GIT_WORK_TREE (a dotfiles setup) the hooks go to that git directory."""
    run("git", "init", "-q", "--bare", "--template=", str(tmp_path / "dotfiles"), cwd=tmp_path)
    (tmp_path / "home").mkdir()
    environment = {"GIT_DIR": str(tmp_path / "dotfiles"), "GIT_WORK_TREE": str(tmp_path / "home")}
    program = "from lrc.install.repository import install; print(install())"
    run(sys.executable, "-c", program, cwd=tmp_path / "home", env=environment)
    assert files.is_installed(tmp_path / "dotfiles" / "hooks", "pre-commit")
    assert os.access(tmp_path / "dotfiles" / "hooks" / "pre-commit", os.X_OK)
    assert hooked.snapshot(tmp_path / "home") == {}
