"""The pre-commit framework and prek, the real ones: our hook ids, and our installed hook beside theirs."""

import os
import re
import sys
from pathlib import Path

import pytest

from lrc.cli.log import fates_of
from lrc.install import everywhere, files, repository
from lrc.ledger.fate import State
from lrc.repo import Repository as Reader
from tests.conftest import HOME_OF_USER
from tests.support.hooked import SECRET, Repository, make, run, snapshot

TOP = Path(__file__).resolve().parents[2]
CONFIG = ".pre-commit-config.yaml"
HOOK = """\
    - id: {name}
      name: {name}
      entry: {entry}
      language: system
      pass_filenames: false
      always_run: true
      verbose: true
      stages: [{hook}]
"""
ENTRY = "lrc hook pre-commit"
STAGES = ("pre-commit", "commit-msg", "post-commit", "post-merge")
RECORD = """\
    - id: {name}
      name: {name}
      entry: lrc hook record
      language: system
      always_run: true
      stages: [commit-msg, post-commit, post-merge]
"""
REVIEWED = re.compile(r"^\s*lrc: (?!skipped|left to|nothing staged)", re.MULTILINE)


@pytest.fixture(params=["pre-commit", "prek"])
def tool(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each of the two tools, with its own cache, `lrc` on PATH and detectors as the reviewer."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit-home"))
    monkeypatch.setenv("PREK_HOME", str(tmp_path / "prek-home"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LRC_NO_MODEL", "1")
    return str(request.param)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    return make(tmp_path / "repo")


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """A repository that holds our manifest, as the tools clone it."""
    published = make(tmp_path / "published")
    published.stage(".pre-commit-hooks.yaml", (TOP / ".pre-commit-hooks.yaml").read_text())
    published.commit("-q")
    return published.path


def _configure(repo: Repository, *hooks: str) -> None:
    """Commits a configuration with these hooks, `NAME:STAGE` each, and one more that is not ours."""
    entries = [entry.split(":") for entry in hooks]
    body = "".join(HOOK.format(name=name, hook=hook, entry=f"lrc hook {hook}") for name, hook in entries)
    body += HOOK.format(name="other", hook="pre-commit", entry="git --version")
    repo.stage(CONFIG, f"repos:\n- repo: local\n  hooks:\n{body}")
    repo.commit("-q", "--no-verify")


def _reviews(output: str) -> int:
    """How many reviews spoke: each one's first line carries a verdict."""
    return len(REVIEWED.findall(output))


def test_manifest_is_valid() -> None:
    """The manifest at the top passes the framework's own check."""
    run("pre-commit", "validate-manifest", ".pre-commit-hooks.yaml", cwd=TOP, env=_venv_first())
    run("pre-commit", "validate-config", CONFIG, cwd=TOP, env=_venv_first())


def _venv_first() -> dict[str, str]:
    return {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_try_repo_blocks_a_secret_and_passes_clean_text(tool: str, repo: Repository, manifest: Path) -> None:
    """`try-repo` with the id for an installed lrc: a staged key fails it and is shown, clean text passes."""
    command = (tool, "try-repo", str(manifest), "lrc-system", "--verbose")
    repo.stage("key.pem", SECRET)
    done = run(*command, cwd=repo.path, check=False)
    assert done.returncode == 1
    assert "key.pem" in done.stdout + done.stderr
    assert SECRET.splitlines()[1] not in done.stdout + done.stderr
    repo.git("rm", "-q", "--cached", "key.pem")
    repo.stage("clean.txt", "nothing to see\n")
    run(*command, cwd=repo.path)


def test_commit_that_only_deletes_is_reviewed(tool: str, repo: Repository, manifest: Path) -> None:
    """A deletion alone is no 'no files to check': the hook runs."""
    revision = run("git", "rev-parse", "HEAD", cwd=manifest).stdout.strip()
    repo.stage(CONFIG, f"repos:\n- repo: {manifest}\n  rev: {revision}\n  hooks: [{{id: lrc-system}}]\n")
    repo.commit("-q")
    run(tool, "install", cwd=repo.path)
    repo.git("rm", "-q", "README")
    done = repo.commit()
    assert _reviews(done.stdout + done.stderr) == 1


@pytest.mark.parametrize("skip", ["ours", "lrc"])
def test_skip(skip: str, tool: str, repo: Repository) -> None:
    """SKIP with the id is the framework's own; SKIP=lrc is honoured whatever the id is called."""
    _configure(repo, "ours:pre-commit")
    run(tool, "install", cwd=repo.path)
    repo.stage("key.pem", SECRET)
    assert repo.commit(check=False).returncode == 1
    done = repo.commit(env={"SKIP": skip})
    assert "key.pem" not in done.stderr.replace("create mode 100644 key.pem", "")


def test_range(tool: str, repo: Repository) -> None:
    """--from-ref and --to-ref review that range, not the index."""
    _configure(repo, "ours:pre-commit")
    repo.git("branch", "start")
    repo.stage("key.pem", SECRET)
    repo.commit("-q", "--no-verify")
    done = run(tool, "run", "--from-ref", "start", "--to-ref", "HEAD", cwd=repo.path, check=False)
    assert done.returncode == 1
    assert "key.pem" in done.stdout + done.stderr
    run(tool, "run", "--from-ref", "HEAD", "--to-ref", "HEAD", cwd=repo.path)


def test_all_files_reviews_the_staged_change_only(tool: str, repo: Repository) -> None:
    """--all-files asks about no change: with nothing staged there is nothing to review, and that is said."""
    repo.stage("key.pem", SECRET)
    repo.commit("-q", "--no-verify")
    _configure(repo, "ours:pre-commit")
    done = run(tool, "run", "--all-files", cwd=repo.path)
    assert "nothing staged" in done.stdout + done.stderr


def test_captured_terminal_gets_append_only_text(tool: str, repo: Repository) -> None:
    """Even when the tool gives the hook a pseudo-terminal, no cursor movement and no redrawn line is in the output."""
    _configure(repo, "ours:pre-commit")
    repo.stage("key.pem", SECRET)
    done = run(tool, "run", "--color=always", cwd=repo.path, check=False, env={"TERM": "xterm-256color"})
    output = done.stdout + done.stderr
    assert "key.pem" in output
    assert re.search(r"\x1b\[[0-9;?]*[A-HJKSTfhlsu]", output) is None
    assert re.search(r"\r(?!\n)", output) is None


def test_push(tool: str, repo: Repository, tmp_path: Path) -> None:
    """The pre-push stage reviews what the push brings: to a new branch, and to one that is there."""
    run("git", "init", "-q", "--bare", "remote", cwd=tmp_path)
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    _configure(repo, "ours:pre-push")
    repo.git("push", "-q", "origin", "main")
    run(tool, "install", "--hook-type", "pre-push", cwd=repo.path)
    repo.stage("key.pem", SECRET)
    repo.commit("-q", "--no-verify")
    for branch in ("main", "fresh"):
        done = repo.git("push", "origin", f"HEAD:{branch}", check=False)
        assert done.returncode == 1
        assert "key.pem" in done.stdout + done.stderr
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.stage("clean.txt")
    repo.commit("-q", "--no-verify")
    repo.git("push", "origin", "HEAD:main")


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("order", ["lrc first", "tool first", "tool, lrc, tool"])
def test_both_orders_review_once_and_come_apart(order: str, listed: bool, tool: str, repo: Repository) -> None:
    """Whoever is installed first, and whether or not the configuration lists lrc too, one commit is one review."""
    _configure(repo, *(["lrc:pre-commit"] if listed else []))
    earlier = repo.hook("pre-commit", "echo earlier hook ran >&2")
    then = snapshot(repo.hooks)

    steps = {
        "lrc first": [_install_lrc, _install_tool],
        "tool first": [_install_tool, _install_lrc],
        "tool, lrc, tool": [_install_tool, _install_lrc, _install_tool],
    }[order]
    for step in steps:
        step(repo, tool)
    repo.stage("key.pem", SECRET)
    done = repo.commit(check=False)
    assert done.returncode == 1
    assert _reviews(done.stdout + done.stderr) == 1
    assert (done.stdout + done.stderr).count("earlier hook ran") == (0 if order == "tool, lrc, tool" else 1)
    assert "bug" not in done.stdout + done.stderr
    repository.uninstall(repo.path)
    assert not any(files.is_installed(repo.hooks, name) for name in repository.HOOKS)
    run(tool, "uninstall", cwd=repo.path)
    if order != "tool, lrc, tool":
        assert snapshot(repo.hooks) == then
        assert earlier.exists()


def _install_lrc(repo: Repository, tool: str) -> None:
    repository.install(repo.path)


def _install_tool(repo: Repository, tool: str) -> None:
    run(tool, "install", cwd=repo.path)


def test_beside_the_global_hooks(tool: str, repo: Repository) -> None:
    """With our hooks for all repositories, the framework's hook of one goes on running, and the review is one."""
    _configure(repo, "lrc:pre-commit")
    _install_tool(repo, tool)
    everywhere.install()
    repo.stage("key.pem", SECRET)
    done = repo.commit(check=False)
    assert done.returncode == 1
    assert "git version" in done.stdout + done.stderr
    assert _reviews(done.stdout + done.stderr) == 1


def test_tool_uninstalled_first(tool: str, repo: Repository) -> None:
    """The framework installed after us and taken out before us gives our hook back, which then restores the earlier."""
    _configure(repo)
    repo.hook("pre-commit", "exit 0")
    then = snapshot(repo.hooks)
    repository.install(repo.path)
    run(tool, "install", cwd=repo.path)
    run(tool, "uninstall", cwd=repo.path)
    assert files.is_installed(repo.hooks, "pre-commit")
    repository.uninstall(repo.path)
    assert snapshot(repo.hooks) == then


def test_not_a_repository(tool: str, tmp_path: Path) -> None:
    """Outside a repository the hook command ends with 4 and one clear line, whichever tool started it."""
    (tmp_path / "plain").mkdir()
    done = run("lrc", "hook", "pre-commit", cwd=tmp_path / "plain", check=False, env={"PRE_COMMIT": "1"})
    assert done.returncode == 4
    assert done.stderr.splitlines()[0].startswith("lrc: not a git repository")


@pytest.mark.proof
def test_environment_is_built_from_the_clone(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """The id `lrc` builds its own environment from a clone of this repository and reviews in it."""
    monkeypatch.setenv("HOME", HOME_OF_USER)  # pip's own settings and its cache of built wheels
    repo.stage("key.pem", SECRET)
    done = run(
        "pre-commit",
        "try-repo",
        str(TOP),
        "lrc",
        cwd=repo.path,
        check=False,
        env={**_venv_first(), "LRC_NO_MODEL": "1"},
    )
    assert done.returncode == 1
    assert "lrc: BLOCKED" in done.stdout


def test_framework_keeps_the_ledger(tool: str, repo: Repository) -> None:
    """With our id for what records, commits past the review are known, merges too; alone or beside our own hooks."""
    entry = RECORD.format(name="lrc-record")
    repo.stage(
        CONFIG, f"repos:\n- repo: local\n  hooks:\n{HOOK.format(name='lrc', hook='pre-commit', entry=ENTRY)}{entry}"
    )
    repo.commit("-q", "--no-verify")
    run(tool, "install", *(word for name in STAGES for word in ("--hook-type", name)), cwd=repo.path)
    for own in (False, True):
        if own:
            repository.install(repo.path)
        repo.stage(f"{own}.txt", f"seen {own}\n")
        repo.commit("-q", "-s")
        repo.stage(f"{own}.txt", f"unseen {own}\n")
        repo.commit("-q", "--no-verify")
        repo.git("checkout", "-q", "-b", f"topic{own}")
        repo.stage(f"topic{own}.txt", "seen\n")
        repo.commit("-q")
        repo.git("checkout", "-q", "main")
        repo.git("merge", "-q", "--no-ff", "--no-edit", f"topic{own}")
        with Reader.discover(repo.path) as reader:
            fates = fates_of(reader, ("HEAD", "--first-parent"), 3)
        assert [fate.state for fate in fates] == [State.EMPTY, State.BYPASSED, State.REVIEWED]
        assert fates[1].how == "--no-verify"
