"""`lrc hook`: what git runs, from nothing staged to a reviewer that fails."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import lrc.cli.review
from lrc.cli import hook
from lrc.errors import EnvironmentFault, WrongUsage
from tests.support.hooked import Repository, make

HEAVY = ("typer", "click", "rich", "git", "numpy", "llama_cpp", "huggingface_hub", "ast_grep_py", "pathspec", "tomllib")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository that is the current directory, as for a hook."""
    made = make(tmp_path / "repo")
    monkeypatch.chdir(made.path)
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, object]]:
    """Takes the review's place with one that passes, and lists what it was asked."""
    seen: list[Mapping[str, object]] = []

    def run_review(where: Path | None, **options: object) -> int:
        seen.append({"where": where, **options})
        return 0

    monkeypatch.setattr(lrc.cli.review, "run_review", run_review)
    return seen


def _failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run_review(where: Path | None, **options: object) -> int:
        raise error

    monkeypatch.setattr(lrc.cli.review, "run_review", run_review)


def test_nothing_staged_is_silent(
    repo: Repository, asked: list[Mapping[str, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    """With nothing staged there is no review and not a word."""
    assert hook.run(["pre-commit"]) == 0
    assert asked == []
    assert capsys.readouterr() == ("", "")


def test_nothing_staged_loads_nothing_heavy(repo: Repository) -> None:
    """Deciding that there is nothing to review imports none of the slow packages."""
    program = (
        "import sys, json; sys.argv = ['lrc', 'hook', 'pre-commit']\n"
        "from lrc.__main__ import main\n"
        "try: main()\n"
        "except SystemExit as end: print(json.dumps([end.code, sorted(sys.modules)]))"
    )
    done = subprocess.run((sys.executable, "-c", program), cwd=repo.path, capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stdout)
    assert code == 0
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.parametrize("stage", ["added", "changed", "deleted", "unborn"])
def test_staged_change_is_reviewed(
    stage: str, repo: Repository, asked: list[Mapping[str, object]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Any staged change is: a new, a changed, a deleted file, and the first commit of all."""
    if stage == "added":
        repo.stage()
    elif stage == "changed":
        repo.stage("README", "second\n")
    elif stage == "deleted":
        repo.git("rm", "-q", "README")
    else:
        repo.git("checkout", "-q", "--orphan", "fresh")
    assert hook.run(["pre-commit"]) == 0
    assert asked == [{"where": None, "hook": True, "revision": None}]


@pytest.mark.parametrize(
    ("name", "value"),
    [("LRC_SKIP", "1"), ("LRC_SKIP", "yes"), ("SKIP", "lrc"), ("SKIP", "ruff,lrc"), ("SKIP", " lrc , mypy")],
)
def test_skip_is_said_in_one_line(
    name: str,
    value: str,
    repo: Repository,
    asked: list[Mapping[str, object]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Both ways to skip are honoured, and said."""
    repo.stage()
    monkeypatch.setenv(name, value)
    assert hook.run(["pre-commit"]) == 0
    assert asked == []
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("lrc: skipped, not reviewed")


@pytest.mark.parametrize(("name", "value"), [("LRC_SKIP", "0"), ("LRC_SKIP", ""), ("SKIP", "lrc-other,notlrc")])
def test_not_every_value_skips(
    name: str, value: str, repo: Repository, asked: list[Mapping[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zero, an empty value or other names do not skip."""
    repo.stage()
    monkeypatch.setenv(name, value)
    hook.run(["pre-commit"])
    assert len(asked) == 1


@pytest.mark.parametrize("error", [EnvironmentFault("no model", "pull one"), ValueError("odd"), MemoryError()])
def test_impossible_review_lets_the_commit_go(
    error: Exception, repo: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By default a review that cannot be done is said on the first line, and the commit goes on."""
    repo.stage()
    _failing(monkeypatch, error)
    assert hook.run(["pre-commit"]) == 0
    assert capsys.readouterr().err.splitlines()[0].startswith("lrc: NOT REVIEWED: ")


@pytest.mark.parametrize(("error", "code"), [(EnvironmentFault("no model"), 4), (ValueError("odd"), 3)])
def test_impossible_review_blocks_when_asked_to(
    error: Exception, code: int, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `on_error = "block"`, in a file or the environment, the exit code says what was wrong."""
    repo.stage()
    _failing(monkeypatch, error)
    (repo.path / "lrc.toml").write_text('on_error = "block"\n')
    assert hook.run(["pre-commit"]) == code
    monkeypatch.setenv("LRC_ON_ERROR", "warn")
    assert hook.run(["pre-commit"]) == 0


def test_broken_configuration_is_not_a_failed_review(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong usage stays wrong usage, whatever `on_error` says."""
    repo.stage()
    _failing(monkeypatch, WrongUsage("unknown key"))
    with pytest.raises(WrongUsage):
        hook.run(["pre-commit"])


def test_interrupt_is_passed_on(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is not a fault of the reviewer; the boundary makes it 130."""
    repo.stage()
    _failing(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        hook.run(["pre-commit"])


def test_first_push_of_the_framework_is_no_fault(
    repo: Repository,
    asked: list[Mapping[str, object]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where the framework names no range (the first push of all), the push goes on and it is said."""
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert hook.run(["pre-push"]) == 0
    assert asked == []
    assert "NOT REVIEWED" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pre-commit", "pre-push"])
def test_range_of_the_framework_is_reviewed(
    name: str, repo: Repository, asked: list[Mapping[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--from-ref` and `--to-ref` of the pre-commit framework, and its pre-push stage, name the range."""
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "main")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert hook.run([name]) == 0
    assert asked == [{"where": None, "hook": True, "revision": "main...HEAD"}]


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside a repository there is one clear line, also under the framework."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRE_COMMIT", "1")
    with pytest.raises(EnvironmentFault, match="not a git repository"):
        hook.run(["pre-commit"])


@pytest.mark.parametrize("arguments", [[], ["post-checkout"], ["--help-me"], [""]])
def test_unknown_hook(arguments: list[str]) -> None:
    """Anything but the hooks that review or record is wrong usage."""
    with pytest.raises(WrongUsage):
        hook.run(arguments)


def test_unreadable_index(repo: Repository) -> None:
    """An index that git cannot read: one line with git's reason."""
    (repo.path / ".git" / "index").write_bytes(b"not an index")
    with pytest.raises(EnvironmentFault, match="cannot read the staged change"):
        hook.run(["pre-commit"])


def test_framework_run_by_our_hook_leaves_the_review_to_it(
    repo: Repository,
    asked: list[Mapping[str, object]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run by the framework that our own hook file runs, we leave the review to that file: it comes once."""
    repo.stage()
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("LRC_HOOK_ACTIVE", f"\nrepository:{repo.hooks}/pre-commit")
    assert hook.run(["pre-commit"]) == 0
    assert asked == []
    assert "left to the installed hook" in capsys.readouterr().err
    monkeypatch.setenv("LRC_HOOK_ACTIVE", "\nrepository:/elsewhere/.git/hooks/pre-commit")
    hook.run(["pre-commit"])
    assert len(asked) == 1


@pytest.mark.parametrize("variable", ["PRE_COMMIT_RUNNING_LEGACY", "PREK_RUNNING_LEGACY"])
@pytest.mark.parametrize(
    ("config", "left"),
    [
        ("repos:\n- repo: x\n  hooks:\n  - id: lrc\n", True),
        ("repos:\n- repo: x\n  hooks:\n  - name: n\n    id: 'lrc-system' # ours\n", True),
        ("repos: [{repo: x, hooks: [{id: lrc, name: n}]}]\n", True),
        ("repos:\n- repo: x\n  hooks:\n  - id: lrc-push\n", False),
        ("# id: lrc\nrepos: []\n", False),
        (None, False),
    ],
)
def test_migration_mode_leaves_the_review_to_the_framework(
    config: str | None,
    left: bool,
    variable: str,
    repo: Repository,
    asked: list[Mapping[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Run as the framework's legacy hook, we leave the review to it when, and only when, it lists us."""
    repo.stage()
    if config is not None:
        (repo.path / ".pre-commit-config.yaml").write_text(config)
    monkeypatch.setenv(variable, "1")
    assert hook.run(["pre-commit"]) == 0
    assert (asked == []) is left


def test_git_is_read_without_locks_and_without_network(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever git command the review runs takes no optional lock and fetches nothing."""
    seen: dict[str, str] = {}

    def run_review(where: Path | None, **options: object) -> int:
        seen.update({name: os.environ[name] for name in ("GIT_OPTIONAL_LOCKS", "GIT_NO_LAZY_FETCH")})
        return 0

    monkeypatch.setattr(lrc.cli.review, "run_review", run_review)
    monkeypatch.setenv("GIT_OPTIONAL_LOCKS", "1")
    monkeypatch.setenv("GIT_NO_LAZY_FETCH", "0")
    repo.stage()
    hook.run(["pre-commit"])
    assert seen == {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
