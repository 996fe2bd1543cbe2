"""`lrc ci` from the outside, in the environments that CI services give."""

import json
import os
from pathlib import Path

import pytest

from lrc.errors import ExitCode
from tests.cli.test_review import KEY, lrc, one_line
from tests.support.repository import SampleRepository

ZERO = "0" * 40


@pytest.fixture(autouse=True)
def no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service that these tests may run in themselves is out of sight; no model is asked."""
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "GITLAB_", "CI_", "RUNNER_")) or name == "CI":
            monkeypatch.delenv(name)
    monkeypatch.setenv("LRC_NO_MODEL", "1")


@pytest.fixture
def repo(tmp_path: Path) -> SampleRepository:
    """Main with one commit; topic, checked out and detached, has a key in its first commit and a plain second one."""
    made = SampleRepository(tmp_path / "repo")
    made.commit("first", {"app.py": "def f(x):\n    return x + 1\n"})
    made.git("checkout", "-q", "-b", "topic")
    made.commit("second", {"key.py": KEY})
    made.commit("third", {"plain.py": "x = 1\n"})
    made.git("checkout", "-q", "--detach")
    return made


def github(repo: SampleRepository, name: str, event: object) -> dict[str, str]:
    """The variables of a job of GitHub Actions, its event file written beside the repository."""
    file = repo.path.parent / "event.json"
    file.write_text(event if isinstance(event, str) else json.dumps(event))
    return {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_STEP_SUMMARY": str(repo.path.parent / "summary.md"),
    }


def push(repo: SampleRepository, before: str) -> dict[str, str]:
    """The variables of a push to topic."""
    event = {"before": before, "after": repo.head, "ref": "refs/heads/topic", "repository": {"default_branch": "main"}}
    return github(repo, "push", event)


def test_pull_request_on_github(repo: SampleRepository) -> None:
    """Remarks go to the log, the range to standard error, a table to the summary page; the key blocks."""
    base, new = repo.git("rev-parse", "main"), repo.head
    event = {"pull_request": {"base": {"sha": base}, "head": {"sha": new}}}
    done = lrc("ci", cwd=repo.path, env=github(repo, "pull_request", event))
    assert done.returncode == ExitCode.BLOCKED
    assert done.stdout.startswith("::error file=key.py,line=1")
    assert done.stderr == f"lrc: reviewing {base[:12]}..{new[:12]} (GitHub pull request)\n"
    page = (repo.path.parent / "summary.md").read_text()
    assert page.startswith("## lrc\n\n**lrc&#58; BLOCKED")
    assert "| critical | secrets | key&#46;py&#58;1 |" in page
    assert "MIIE" not in page


def test_push_to_github(repo: SampleRepository) -> None:
    """Only what the push brings is reviewed; the page of the job is added to."""
    environment = push(repo, repo.git("rev-parse", "HEAD~1"))
    summary = Path(environment["GITHUB_STEP_SUMMARY"])
    summary.write_text("before\n")
    done = lrc("ci", cwd=repo.path, env=environment)
    assert (done.returncode, "(GitHub push)" in done.stderr) == (ExitCode.PASS, True)
    assert summary.read_text().startswith("before\n## lrc\n\n**lrc&#58; pass")


def test_new_branch_on_github(repo: SampleRepository) -> None:
    """A branch that was not there before is compared with the default branch."""
    done = lrc("ci", cwd=repo.path, env=push(repo, ZERO))
    assert done.returncode == ExitCode.BLOCKED
    assert done.stderr.endswith("(GitHub push: what main lacks)\n")


def test_merge_request_on_gitlab(repo: SampleRepository) -> None:
    """GitLab's log gets plain text, and no summary page is written even where a variable names one."""
    page = repo.path.parent / "page"
    environment = {
        "GITLAB_CI": "true",
        "CI_COMMIT_SHA": repo.head,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": repo.git("rev-parse", "main"),
        "GITHUB_STEP_SUMMARY": str(page),
    }
    done = lrc("ci", cwd=repo.path, env=environment)
    assert done.returncode == ExitCode.BLOCKED
    assert "key.py" in done.stdout
    assert "::error" not in done.stdout
    assert "(GitLab merge request)" in done.stderr
    assert not page.exists()


def test_plain_git(repo: SampleRepository) -> None:
    """Without a service the branch's own change is found."""
    done = lrc("ci", cwd=repo.path)
    assert done.returncode == ExitCode.BLOCKED
    assert "(git: what main lacks)" in done.stderr


def test_output_file_and_format(repo: SampleRepository) -> None:
    """The file holds the whole result; the verdict is still said in the log."""
    environment = push(repo, ZERO) | {"LRC_FORMAT": "sarif", "LRC_OUTPUT": "out.sarif"}
    done = lrc("ci", cwd=repo.path, env=environment)
    assert (done.returncode, done.stdout) == (ExitCode.BLOCKED, "")
    assert done.stderr.splitlines()[1].startswith("lrc: BLOCKED: ")
    assert json.loads((repo.path / "out.sarif").read_text())["version"] == "2.1.0"


def test_flags_reach_the_review(repo: SampleRepository) -> None:
    """Paths select what is reviewed, and a sound JSON object is all of standard output."""
    done = lrc("ci", "--base", "main", "--path", "plain.py", "--format", "json", cwd=repo.path)
    assert (done.returncode, json.loads(done.stdout)["findings"]) == (ExitCode.PASS, [])


def test_empty_variables_count_as_not_set(repo: SampleRepository) -> None:
    """An input that was left out arrives as an empty variable."""
    empty = dict.fromkeys(("LRC_BASE", "LRC_HEAD", "LRC_FAIL_ON", "LRC_FORMAT", "LRC_OUTPUT", "LRC_PATH"), "")
    done = lrc("ci", cwd=repo.path, env=push(repo, ZERO) | empty | {"LRC_MAX_FINDINGS": "", "LRC_NO_MODEL": "true"})
    assert (done.returncode, done.stdout.startswith("::error ")) == (ExitCode.BLOCKED, True)


def test_empty_range(repo: SampleRepository) -> None:
    """Nothing to review is a pass, in every format."""
    done = lrc("ci", "--base", "HEAD", "--format", "json", cwd=repo.path)
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (ExitCode.PASS, "pass")


@pytest.mark.parametrize("event", ["", "{", "[]", '{"before": "--exec=touch x", "after": "$(touch x)"}'])
def test_garbage_event(repo: SampleRepository, event: str) -> None:
    """An event file of any content ends in one line and the way out, and nothing of it is run."""
    done = lrc("ci", cwd=repo.path, env=github(repo, "push", event))
    assert done.returncode == ExitCode.ENVIRONMENT
    assert "touch" not in one_line(done)
    assert "--base" in done.stderr
    assert not (repo.path / "x").exists()


@pytest.mark.parametrize("path", ["/dev/zero", "absent", ".", "a\x01b"])
def test_event_file_that_is_none(repo: SampleRepository, path: str) -> None:
    """A device, a directory or nothing at all in place of the event file."""
    done = lrc("ci", cwd=repo.path, env=github(repo, "push", "{}") | {"GITHUB_EVENT_PATH": path})
    assert done.returncode == ExitCode.ENVIRONMENT
    assert "cannot be read" in one_line(done)


def test_base_is_the_way_out_of_a_bad_event(repo: SampleRepository) -> None:
    """A base that is given leaves the event unread."""
    done = lrc("ci", cwd=repo.path, env=github(repo, "push", "{") | {"LRC_BASE": "main"})
    assert (done.returncode, "(as given)" in done.stderr) == (ExitCode.BLOCKED, True)


def test_shallow_clone(repo: SampleRepository) -> None:
    """A clone of one commit cannot be compared: one line, the way out, exit 4, and nothing was fetched."""
    path = repo.path.parent / "shallow"
    repo.git("clone", "-q", "--depth=1", "--branch=topic", repo.path.as_uri(), str(path))
    done = lrc("ci", cwd=path, env=push(repo, repo.git("rev-parse", "HEAD~1")))
    assert done.returncode == ExitCode.ENVIRONMENT
    assert "shallow clone" in one_line(done)
    assert "fetch-depth: 0" in done.stderr
    assert SampleRepository(path, init=False).git("rev-list", "--all", "--count") == "1"


def test_base_that_looks_like_an_option(repo: SampleRepository) -> None:
    """A revision that begins with a dash is wrong usage, not an option of git."""
    done = lrc("ci", "--base=--output=x", cwd=repo.path)
    assert done.returncode == ExitCode.USAGE
    assert "dash" in one_line(done)


@pytest.mark.parametrize("arguments", [["--format", "xml"], ["--fail-on", "worst"], ["--head", "nowhere"]])
def test_wrong_usage(repo: SampleRepository, arguments: list[str]) -> None:
    """Values that do not exist end with code 2."""
    assert lrc("ci", *arguments, cwd=repo.path).returncode == ExitCode.USAGE


def test_no_repository_and_no_commit(tmp_path: Path) -> None:
    """Outside a repository there is nothing to review; before the first commit no head."""
    assert lrc("ci", cwd=tmp_path).returncode == ExitCode.ENVIRONMENT
    empty = SampleRepository(tmp_path / "empty")
    assert lrc("ci", cwd=empty.path).returncode == ExitCode.USAGE


def test_summary_that_cannot_be_written(repo: SampleRepository) -> None:
    """The page is a courtesy: without it the verdict stands."""
    environment = push(repo, repo.git("rev-parse", "HEAD~1")) | {"GITHUB_STEP_SUMMARY": str(repo.path)}
    done = lrc("ci", cwd=repo.path, env=environment)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        ExitCode.PASS,
        "lrc: the job summary could not be written",
    )


def test_nothing_of_the_change_is_live_in_the_summary(repo: SampleRepository) -> None:
    """Names of files cannot mark up the page or end a cell of its table."""
    repo.commit("fourth", {"<img src=x>|**[a](b)`.py": KEY})
    done = lrc("ci", cwd=repo.path, env=push(repo, repo.git("rev-parse", "HEAD~1")))
    assert done.returncode == ExitCode.BLOCKED
    page = (repo.path.parent / "summary.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| critical"))
    assert row.count("|") == 5
    assert not set("<>[]*`") & set(page.replace("**", "", 2))
