"""`lrc log`, `lrc stats` and `lrc review --unreviewed` on real repositories."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lrc.cli.app import app
from lrc.errors import EnvironmentFault, ExitCode, WrongUsage
from lrc.install import repository
from lrc.ledger.book import Book
from tests.support.hooked import SECRET, Repository, make


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with one commit of each kind, oldest first: reviewed, `--no-verify`, skipped, overridden."""
    monkeypatch.setenv("LRC_NO_MODEL", "1")
    made = make(tmp_path / "repo")
    repository.install(made.path)
    monkeypatch.chdir(made.path)
    made.stage("a.txt", "a\n")
    made.git("commit", "-q", "-m", "seen")
    made.stage("b.txt", "b\n")
    made.git("commit", "-q", "-n", "-m", "unverified")
    made.stage("c.txt", "c\n")
    made.git("commit", "-q", "-m", "skipped", env={"LRC_SKIP": "1"})
    made.stage("key.pem", SECRET)
    made.git("commit", "-q", "-m", "forced", check=False)
    made.git("commit", "-q", "-n", "-m", "forced")
    return made


def _lrc(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def _states(*arguments: str) -> dict[str, str]:
    """State by subject, as JSON says."""
    found = json.loads(_lrc("log", "--format", "json", *arguments).stdout)
    assert found["version"] == 1
    return {commit["subject"]: commit["state"] for commit in found["commits"]}


def test_log_lists_each_commit_with_its_state(repo: Repository) -> None:
    """Newest first, one commit a line, what to say of it below, and what to do at the end."""
    done = _lrc("log")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.split()[-1] for line in lines[:-1:2]] == ["forced", "skipped", "unverified", "seen", "message"]
    assert [" ".join(line.split()[1:-1]) for line in lines[:-1:2]] == [
        "overridden 100 %",
        "bypassed 0 %",
        "bypassed 0 %",
        "reviewed 100 %",
        "never seen 0 %",
    ]
    assert "--no-verify, 1 critical finding" in lines[1]
    assert lines[3].strip() == "LRC_SKIP=1"
    assert lines[-1] == "3 commits of 5 not read by a review as a whole: `lrc review --unreviewed`"


def test_log_of_a_range_a_number_and_a_file(repo: Repository, tmp_path: Path) -> None:
    """A range, a starting point, at most so many, and a file that appears whole."""
    assert list(_states("HEAD~3..HEAD~1")) == ["skipped", "unverified"]
    assert list(_states("-n", "1", "HEAD~3")) == ["seen"]
    assert list(_states("HEAD..HEAD")) == []
    assert _lrc("log", "HEAD..HEAD").stdout == "no commits\n"
    out = tmp_path / "log.json"
    assert _lrc("log", "--format", "json", "--output", str(out)).stdout == ""
    assert len(json.loads(out.read_text())["commits"]) == 5


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("log", "--format", "sarif"), WrongUsage),
        (("log", "nothing-like-it"), WrongUsage),
        (("log", "--", "--all"), WrongUsage),
        (("stats", "--format", "xml"), WrongUsage),
        (("review", "--unreviewed", "--staged"), WrongUsage),
        (("review", "--unreviewed", "--format", "sarif"), WrongUsage),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], fault: type[Exception], repo: Repository) -> None:
    """What does not exist is named; nothing that looks like an option reaches git."""
    assert isinstance(_lrc(*arguments).exception, fault)


def test_without_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository where lrc never ran: the log says so of each commit and begins nothing; the others name the way."""
    made = make(tmp_path / "fresh")
    monkeypatch.chdir(made.path)
    assert list(_states().values()) == ["never seen"]
    assert _lrc("log").stdout.splitlines()[-1].endswith("not read by a review as a whole: older than the ledger")
    assert not (made.path / ".git" / "lrc").exists()
    for command in (("stats",), ("review", "--unreviewed")):
        error = _lrc(*command).exception
        assert isinstance(error, WrongUsage)
        assert "lrc install" in error.hint
    monkeypatch.chdir(tmp_path)
    assert isinstance(_lrc("log").exception, EnvironmentFault)


def test_unreviewed_reviews_each_commit_once(repo: Repository) -> None:
    """What went past is reviewed, oldest first, each for itself; then nothing is left."""
    repo.stage("key2.pem", SECRET.replace("MIIE", "MIIF"))
    repo.git("commit", "-q", "-n", "-m", "slipped through")
    done = _lrc("review", "--unreviewed", "--format", "json")
    assert done.exit_code == ExitCode.BLOCKED
    found = json.loads(done.stdout)["reviews"]
    assert [review["verdict"] for review in found] == ["pass", "pass", "block"]
    assert [finding["path"] for finding in found[-1]["findings"]] == ["key2.pem"]
    assert SECRET.splitlines()[1] not in done.stdout
    assert _states("-n", "4") == {
        "slipped through": "reviewed",
        "forced": "overridden",
        "skipped": "reviewed",
        "unverified": "reviewed",
    }
    again = _lrc("review", "--unreviewed")
    assert (again.exit_code, again.stdout) == (0, "")
    assert "every commit was read by a review" in again.stderr


def test_unreviewed_with_nothing_since_the_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Just installed: there is no commit to look at."""
    made = make(tmp_path / "fresh")
    repository.install(made.path)
    monkeypatch.chdir(made.path)
    done = _lrc("review", "--unreviewed")
    assert (done.exit_code, done.stdout) == (0, "")
    assert json.loads(_lrc("stats", "--format", "json").stdout)["total"]["share"] in (None, 0.0)


def test_unreviewed_of_a_range_and_of_one(repo: Repository) -> None:
    """A revision is that commit alone, a range all of its commits; what is reviewed already is left out."""
    done = _lrc("review", "--unreviewed", "HEAD~1")
    assert [line.split()[1] for line in done.stdout.splitlines() if line[:7].isalnum()] == ["skipped"]
    done = _lrc("review", "--unreviewed", "HEAD~3..HEAD")
    assert [line.split()[1] for line in done.stdout.splitlines() if line[:7].isalnum()] == ["unverified"]


def test_unreviewed_leaves_out_what_a_remote_has(repo: Repository, tmp_path: Path) -> None:
    """What was pushed is the push's affair, and what was pulled somebody else's, unless it is named."""
    repo.git("init", "-q", "--bare", str(tmp_path / "remote"))
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    repo.git("push", "-q", "--no-verify", "origin", "HEAD~2:refs/heads/main")
    repo.git("fetch", "-q", "origin")
    done = _lrc("review", "--unreviewed")
    assert [line.split()[1] for line in done.stdout.splitlines() if line[:7].isalnum()] == ["skipped"]


def test_stats_count_by_week(repo: Repository) -> None:
    """Shares, states, findings and overridden blocks, in JSON and drawn."""
    found = json.loads(_lrc("stats", "--format", "json").stdout)
    total = found["total"]
    assert len(found["weeks"]) == 1
    assert total | {"week": "", "seconds": 0} == {
        "week": "",
        "commits": 5,
        "reviewed": 2,
        "share": 0.4,
        "states": {"reviewed": 1, "overridden": 1, "bypassed": 2, "never seen": 1},
        "findings": {"critical": 1},
        "blocked": 1,
        "overridden": 1,
        "reviews": 2,
        "seconds": 0,
    }
    lines = _lrc("stats").stdout.splitlines()
    assert "5 commits, 2 of them read by a review as a whole (40 %)" in lines
    assert lines[-1] == "1 finding blocked, 1 commit made all the same"


def test_stats_as_a_page(repo: Repository, tmp_path: Path) -> None:
    """The page is written whole, beside what is printed; where it cannot be, that is said."""
    done = _lrc("stats", "--html", str(tmp_path / "stats.html"))
    assert "5 commits" in done.stdout
    page = (tmp_path / "stats.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("<rect") == 4
    assert isinstance(_lrc("stats", "--html", str(tmp_path / "none" / "x.html")).exception, WrongUsage)


def test_coverage_and_iteration_are_in_the_review(repo: Repository) -> None:
    """The review of a staged change says how much is known by now and the how manieth it is; its JSON too."""
    repo.stage("d.txt", "d\n")
    for number in (1, 2):
        stats = json.loads(_lrc("review", "--format", "json").stdout)["stats"]
        assert (stats["coverage"], stats["iteration"]) == (1.0, number)
    done = repo.git("commit", "-m", "third look")
    assert "100 % of the changed lines read, 3rd review since the last commit" in done.stderr
    repo.stage("e.txt", "e\n")
    assert json.loads(_lrc("review", "--format", "json").stdout)["stats"]["iteration"] == 1
    stats = json.loads(_lrc("review", "HEAD", "--format", "json").stdout)["stats"]
    assert (stats["coverage"], stats["iteration"]) == (None, 0)


def test_ci_leaves_the_ledger_alone(repo: Repository) -> None:
    """The review of a CI run is not recorded."""
    then = Book(repo.path / ".git").entries()
    assert _lrc("ci", "--base", "HEAD~1").exit_code == ExitCode.BLOCKED
    assert Book(repo.path / ".git").entries() == then


def test_chosen_paths_say_nothing_of_the_rest(repo: Repository) -> None:
    """A review of some paths makes these known, and leaves the others unseen."""
    repo.stage("d.txt", "d\n")
    repo.stage("e.txt", "e\n")
    _lrc("review", "--path", "d.txt")
    repo.git("commit", "-q", "-n", "-m", "half")
    found = json.loads(_lrc("log", "-n", "1", "--format", "json").stdout)["commits"][0]
    assert (found["state"], found["coverage"]) == ("bypassed", 0.5)
