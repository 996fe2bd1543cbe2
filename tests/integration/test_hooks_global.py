"""`lrc install --global`: every hook of every repository goes on working, and the configuration comes back."""

import os
import sys
from pathlib import Path

import pytest

from lrc.errors import EnvironmentFault
from lrc.install import everywhere, repository
from tests.support.hooked import Repository, make, reviews, run, snapshot, stand_in


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in that takes the place of the recorded interpreter."""
    made = stand_in(tmp_path / "python")
    monkeypatch.setattr(sys, "executable", str(made))
    return made


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    return make(tmp_path / "repo")


def _configuration(home: Path) -> Path:
    return home / ".gitconfig"


def test_every_repository_is_reviewed(repo: Repository, python: Path, tmp_path: Path) -> None:
    """Commits in any repository run the review once; one with our own hooks as well is not reviewed twice."""
    repository.install(repo.path)
    everywhere.install()
    other = make(tmp_path / "other")
    for each in (repo, other):
        each.stage()
        each.commit()
    assert reviews(python) == ["hook pre-commit"] * 2
    assert "nothing to do" in repository.install(repo.path)[0]


@pytest.mark.parametrize("configuration", [None, "", "[user]\n\tname = x\n", "[core]\n\teditor = true\n# a comment\n"])
def test_uninstall_restores_the_configuration(configuration: str | None, isolated_home: Path, python: Path) -> None:
    """The user's configuration file is what it was, to the byte; where there was none there is none."""
    if configuration is not None:
        _configuration(isolated_home).write_text(configuration)
    everywhere.install()
    everywhere.install()
    everywhere.uninstall()
    assert not everywhere.hooks_directory().exists()
    if configuration is None:
        assert not _configuration(isolated_home).exists()
    else:
        assert _configuration(isolated_home).read_text() == configuration


@pytest.mark.parametrize("value", ["{}/my hooks", "~/hooks", ".githooks"])
def test_earlier_global_directory_goes_on(
    value: str, repo: Repository, python: Path, isolated_home: Path, tmp_path: Path
) -> None:
    """A hooks directory that was set before is what runs first, not the repository's; and its setting comes back."""
    raw = value.format(tmp_path)
    places = {
        "{}/my hooks": tmp_path / "my hooks",
        "~/hooks": isolated_home / "hooks",
        ".githooks": repo.path / ".githooks",
    }
    places[value].mkdir()
    hook = places[value] / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/earlier'\n")
    hook.chmod(0o755)
    repo.hook("pre-commit", "exit 1")
    repo.git("config", "--global", "core.hooksPath", raw)
    then = _configuration(isolated_home).read_bytes()
    everywhere.install()
    repo.stage()
    repo.commit()
    assert (tmp_path / "earlier").exists()
    assert reviews(python) == ["hook pre-commit"]
    everywhere.install()
    everywhere.uninstall()
    assert _configuration(isolated_home).read_bytes() == then


def test_setting_changed_since_stays(repo: Repository, python: Path, isolated_home: Path) -> None:
    """Uninstall does not touch a `core.hooksPath` that somebody set after us."""
    everywhere.install()
    repo.git("config", "--global", "core.hooksPath", "/elsewhere")
    assert any("stays" in line for line in everywhere.uninstall())
    assert repo.git("config", "--global", "core.hooksPath").stdout == "/elsewhere\n"
    assert not everywhere.hooks_directory().exists()


def test_uninstall_in_a_repository_leaves_the_global_hooks(repo: Repository, python: Path) -> None:
    """Taking the hooks out of one repository does not take them out of all."""
    everywhere.install()
    then = snapshot(everywhere.hooks_directory())
    repository.uninstall(repo.path)
    assert snapshot(everywhere.hooks_directory()) == then


def test_all_hooks_of_a_commit_run(repo: Repository, python: Path, tmp_path: Path) -> None:
    """Every hook of the repository that a commit, amend, checkout and merge run still runs, with its arguments."""
    names = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-merge"]
    names += ["post-rewrite", "pre-merge-commit", "reference-transaction", "post-index-change"]
    for name in names:
        repo.hook(name, f"echo \"$#\" >>'{tmp_path}/{name}'")
    everywhere.install()
    repo.stage()
    repo.commit()
    repo.commit("--amend")
    repo.git("checkout", "-q", "-b", "topic", "HEAD~1")
    repo.stage("topic.txt")
    repo.commit()
    repo.git("merge", "-q", "--no-edit", "main")
    assert [name for name in names if not (tmp_path / name).exists()] == []
    assert (tmp_path / "post-checkout").read_text() == "3\n"
    assert set((tmp_path / "commit-msg").read_text().split()) == {"1"}


def test_failing_hook_of_the_repository_still_stops(repo: Repository, python: Path) -> None:
    """A commit-msg hook that refuses a message refuses it in global mode too."""
    repo.hook("commit-msg", "echo no >&2; exit 1")
    everywhere.install()
    repo.stage()
    assert repo.commit(check=False).returncode == 1
    assert repo.commits() == 1


def test_push_hooks_get_standard_input(repo: Repository, python: Path, tmp_path: Path) -> None:
    """pre-push on this side and pre-receive, update, post-receive on the other read what git sends them."""
    run("git", "init", "-q", "--bare", "--template=", "remote", cwd=tmp_path)
    receiving = Repository(tmp_path / "remote")
    (receiving.path / "hooks").mkdir()
    for name in ("pre-receive", "update", "post-receive", "post-update"):
        hook = receiving.path / "hooks" / name
        hook.write_text(f"#!/bin/sh\n{{ cat; echo \"$#\"; }} >'{tmp_path}/{name}'\n")
        hook.chmod(0o755)
    repo.hook("pre-push", f"{{ cat; echo \"$1\"; }} >'{tmp_path}/pre-push'")
    everywhere.install()
    repo.git("push", "-q", str(receiving.path), "main")
    head = repo.git("rev-parse", "HEAD").stdout.strip()
    assert (
        tmp_path / "pre-push"
    ).read_text() == f"refs/heads/main {head} refs/heads/main {'0' * 40}\n{receiving.path}\n"
    for name in ("pre-receive", "post-receive"):
        assert (tmp_path / name).read_text() == f"{'0' * 40} {head} refs/heads/main\n0\n"
    assert (tmp_path / "update").read_text() == "3\n"


def test_push_to_checkout_keeps_its_default(repo: Repository, python: Path, tmp_path: Path) -> None:
    """`receive.denyCurrentBranch=updateInstead` goes on updating a clean work tree and refusing a changed one."""
    run("git", "clone", "-q", "--template=", str(repo.path), "clone", cwd=tmp_path)
    clone = Repository(tmp_path / "clone")
    repo.git("config", "receive.denyCurrentBranch", "updateInstead")
    everywhere.install()
    clone.stage("new.txt", "pushed\n")
    clone.commit()
    clone.git("push", "-q")
    assert (repo.path / "new.txt").read_text() == "pushed\n"
    assert repo.git("status", "--porcelain").stdout == ""
    clone.stage("new.txt", "again\n")
    clone.commit()
    (repo.path / "README").write_text("edited\n")
    assert clone.git("push", check=False).returncode != 0
    assert (repo.path / "new.txt").read_text() == "pushed\n"


def test_linked_work_tree_and_submodule(repo: Repository, python: Path, tmp_path: Path) -> None:
    """Where the git directory is elsewhere, the shared hooks of the right repository run."""
    everywhere.install()
    repo.hook("commit-msg", f"echo main >>'{tmp_path}/seen'")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    linked = Repository(tmp_path / "linked")
    linked.stage()
    linked.commit()
    inner = make(tmp_path / "inner")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    hooks = repo.path / ".git" / "modules" / "sub" / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "commit-msg").write_text(f"#!/bin/sh\necho sub >>'{tmp_path}/seen'\n")
    (hooks / "commit-msg").chmod(0o755)
    module = Repository(repo.path / "sub")
    module.stage()
    module.commit()
    assert (tmp_path / "seen").read_text() == "main\nsub\n"


def test_repository_hook_that_calls_the_global_one_ends(repo: Repository, python: Path) -> None:
    """A repository's hook that runs the global directory's hook again does not loop."""
    everywhere.install()
    repo.hook("pre-commit", f"exec '{everywhere.hooks_directory()}/pre-commit'")
    repo.stage()
    repo.commit()
    assert reviews(python) == ["hook pre-commit"]


def test_push_from_a_push_hook(repo: Repository, python: Path, tmp_path: Path) -> None:
    """A pre-push hook that pushes to a mirror has that push seen by the repository's hook too, as without us."""
    for name in ("remote", "mirror"):
        run("git", "init", "-q", "--bare", "--template=", name, cwd=tmp_path)
    mirror = tmp_path / "mirror"
    repo.hook("pre-push", f"echo \"$1\" >>'{tmp_path}/seen'\n[ \"$1\" = '{mirror}' ] || git push -q '{mirror}' main")
    everywhere.install()
    repo.git("push", "-q", str(tmp_path / "remote"), "main")
    assert (tmp_path / "seen").read_text() == f"{tmp_path}/remote\n{mirror}\n"


def test_linked_to_itself_ends(repo: Repository, python: Path) -> None:
    """A repository whose hooks directory is a link to ours does not loop."""
    everywhere.install()
    repo.hooks.rmdir()
    repo.hooks.symlink_to(everywhere.hooks_directory())
    repo.stage()
    repo.commit()
    assert reviews(python) == ["hook pre-commit"]


def test_nothing_installed(python: Path) -> None:
    """Taking out what is not there says so."""
    assert everywhere.uninstall() == ["nothing of lrc is installed for all repositories"]


def test_data_directory_that_cannot_be_made(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated_home: Path
) -> None:
    """Without a place for the hooks: one clear line, and the configuration is untouched."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "file"))
    with pytest.raises(EnvironmentFault, match="cannot make"):
        everywhere.install()
    assert not _configuration(isolated_home).exists()


def test_every_known_hook_name_is_there(python: Path) -> None:
    """The directory has an executable file for each hook that git looks for."""
    everywhere.install()
    directory = everywhere.hooks_directory()
    assert [name for name in everywhere.EVERY_HOOK if not os.access(directory / name, os.X_OK)] == []
    assert len(set(everywhere.EVERY_HOOK)) == len(everywhere.EVERY_HOOK)
