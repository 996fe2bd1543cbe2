"""`record = "trailer"` and `record = "note"` in real commits: said where it is true, and nothing else disturbed."""

import re
from pathlib import Path

import pytest

from lrc.install import repository
from tests.support.hooked import SECRET, Repository, make, run

WORDS = "pass; detectors only; coverage=100%"
TRAILER = f"Lrc-Review: {WORDS}"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository that wants trailers, with our hooks and a staged change; detectors are the reviewer."""
    monkeypatch.setenv("LRC_NO_MODEL", "1")
    monkeypatch.setenv("GIT_EDITOR", "true")
    made = make(tmp_path / "repo")
    made.stage("lrc.toml", 'record = "trailer"\n')
    made.commit("-q")
    repository.install(made.path)
    made.stage("code.txt", "one\n")
    return made


def message(repo: Repository) -> str:
    """The message of HEAD."""
    return repo.git("log", "-1", "--format=%B").stdout.rstrip("\n")


def test_default_adds_nothing(repo: Repository) -> None:
    """Without the setting, messages are left alone and no note is made."""
    repo.git("rm", "-q", "-f", "lrc.toml")
    repo.commit("-q")
    assert message(repo) == "message"
    assert repo.git("notes", "--ref=lrc", "list").stdout == ""


def test_trailer_stands_at_the_end(repo: Repository) -> None:
    """A commit that passed carries the trailer, which git itself finds."""
    repo.commit("-q")
    assert message(repo) == f"message\n\n{TRAILER}"
    assert repo.git("log", "-1", "--format=%(trailers:key=Lrc-Review,valueonly)").stdout.strip() == WORDS


@pytest.mark.parametrize("arguments", [("-s",), ("-s", "-v"), ("-s", "--cleanup=scissors", "-v", "-e")])
def test_sign_off_stays_in_the_same_block(arguments: tuple[str, ...], repo: Repository) -> None:
    """With `Signed-off-by`, shown diffs and scissors there is one block of trailers, and nothing of the diff in it."""
    repo.commit("-q", *arguments)
    assert re.fullmatch(rf"message\n\nSigned-off-by: .*\n{re.escape(TRAILER)}", message(repo))
    assert len(repo.git("log", "-1", "--format=%(trailers:only)").stdout.strip().splitlines()) == 2


@pytest.mark.parametrize("mode", ["strip", "whitespace", "verbatim", "scissors", "default"])
def test_every_cleanup_mode(mode: str, repo: Repository) -> None:
    """Whatever git does with comments and blank lines, the text stays and the trailer comes once."""
    repo.git("commit", "-q", f"--cleanup={mode}", "-m", "subject\n\nbody --- text\n---\nmore")
    assert message(repo).startswith("subject\n\nbody --- text\n---\nmore")
    assert message(repo).count("Lrc-Review") == 1


def test_verbose_commit_in_an_editor(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """The diff that `-v` puts below the scissors is cut off as ever."""
    monkeypatch.setenv("GIT_EDITOR", "sed -i -e '1s/^/typed/'")
    repo.git("commit", "-q", "-v")
    assert message(repo) == f"typed\n\n{TRAILER}"


def test_amend_replaces_it(repo: Repository) -> None:
    """Amended with a change, the trailer is replaced, not repeated, and claims no share; in words alone, it stays."""
    repo.commit("-q", "-s")
    repo.stage("code.txt", "one\ntwo\n")
    repo.git("commit", "-q", "--amend", "--no-edit")
    assert message(repo).endswith("\nLrc-Review: pass; detectors only")
    assert message(repo).count("Lrc-Review") == message(repo).count("Signed-off-by") == 1
    then = message(repo)
    repo.git("commit", "-q", "--amend", "--no-edit", "--date=now")
    assert message(repo) == then


def test_amended_part_does_not_speak_for_the_rest(repo: Repository) -> None:
    """The commit went past the review; reviewing what is amended makes no reviewed commit of it, nor a noted one."""
    repo.commit("-q", "-n", "--date=2026-01-02T03:04:05")
    for way in ("trailer", "note"):
        repo.stage("lrc.toml", f'record = "{way}"\n# {way}\n')
        repo.commit("-q", "--amend")
        assert message(repo) == "message"
        assert repo.git("notes", "--ref=lrc", "show", check=False).returncode == 1


@pytest.mark.parametrize("sign_off", [(), ("-s",)])
def test_empty_message_still_ends_the_commit(sign_off: tuple[str, ...], repo: Repository) -> None:
    """Closing the editor with nothing written aborts, as it always did."""
    done = repo.git("commit", *sign_off, check=False)
    assert done.returncode == 1
    assert "empty commit message" in done.stderr
    assert repo.commits() == 2


@pytest.mark.parametrize("way", ["configured", "option", "signed"])
def test_untouched_template_still_ends_the_commit(way: str, repo: Repository, tmp_path: Path) -> None:
    """A template that nobody filled in aborts the commit; filled in, it goes through with the trailer."""
    template = tmp_path / "template"
    template.write_text("What:\n\nWhy:\n# a hint\n")
    if way == "configured":
        repo.git("config", "commit.template", str(template))
    arguments = () if way == "configured" else ("-t", str(template), *(("-s",) if way == "signed" else ()))
    done = repo.git("commit", *arguments, check=False)
    assert done.returncode == 1
    assert "did not edit the message" in done.stderr
    repo.git("commit", "-q", *arguments, env={"GIT_EDITOR": "sed -i -e '1s/$/ words/'"})
    assert message(repo).startswith("What: words\n\nWhy:")
    assert message(repo).endswith(TRAILER)


@pytest.mark.parametrize(("variable", "arguments"), [({"LRC_SKIP": "1"}, ()), ({}, ("-n",))])
def test_nothing_is_claimed_for_what_was_not_reviewed(
    variable: dict[str, str], arguments: tuple[str, ...], repo: Repository
) -> None:
    """Passed by, also after a review of something else that was never committed: no trailer."""
    repo.git("commit", "-q", check=False)  # reviewed, then ended by its empty message
    repo.stage("code.txt", "one\nanother\n")
    repo.commit("-q", *arguments, env=variable)
    assert message(repo) == "message"


def test_failed_open_and_blocked_claim_nothing(repo: Repository, tmp_path: Path) -> None:
    """No model: no trailer. Blocked, mended, committed: the trailer is of the review that passed."""
    repo.stage("code.py", "def f(a): return a\n")
    repo.commit("-q", env={"LRC_NO_MODEL": "0", "LRC_DATA_DIR": str(tmp_path / "none")})
    assert message(repo) == "message"
    repo.stage("key.pem", SECRET)
    assert repo.commit(check=False).returncode == 1
    repo.stage("key.pem", "vault\n")
    repo.commit("-q")
    assert message(repo).endswith(TRAILER)


def test_foreign_hook_that_changes_the_message(repo: Repository) -> None:
    """A commit-msg hook of another tool (Change-Id) runs first, and both trailers stand in one block."""
    repository.uninstall(repo.path)
    repo.hook("commit-msg", "git interpret-trailers --in-place --trailer 'Change-Id: I1' \"$1\"")
    repository.install(repo.path)
    repo.commit("-q")
    assert message(repo) == f"message\n\nChange-Id: I1\n{TRAILER}"


def test_merge_and_worktree(repo: Repository, tmp_path: Path) -> None:
    """A merge commit gets it too, and so does a commit in a linked work tree."""
    run("git", "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "topic", cwd=repo.path)
    linked = Repository(tmp_path / "linked")
    linked.stage("topic.txt")
    linked.commit("-q")
    assert message(linked).endswith(TRAILER)
    repo.commit("-q")
    repo.git("merge", "-q", "--no-edit", "topic")
    assert message(repo).endswith("Lrc-Review: pass; detectors only")


def test_hostile_trailer_settings(repo: Repository) -> None:
    """The user's own rules for trailers do not move, double or run anything for ours."""
    for key, value in (
        ("trailer.where", "start"),
        ("trailer.ifexists", "add"),
        ("trailer.separators", "="),
        ("trailer.lrc-review.key", "Other: "),
    ):
        repo.git("config", key, value)
    repo.commit("-q", "-s")
    assert message(repo).count(WORDS) == 1
    assert message(repo).endswith(WORDS)


def test_note(repo: Repository) -> None:
    """`record = "note"` leaves the message alone and writes beside the commit; for what was passed by, nothing."""
    repo.stage("lrc.toml", 'record = "note"\n')
    repo.commit("-q")
    assert message(repo) == "message"
    assert repo.git("notes", "--ref=lrc", "show").stdout == f"{TRAILER}\n"
    repo.stage("code.txt", "two\n")
    repo.git("commit", "-q", "--amend", "--no-edit")
    assert repo.git("notes", "--ref=lrc", "show").stdout == "Lrc-Review: pass; detectors only\n"
    repo.stage("code.txt", "three\n")
    repo.commit("-q", env={"LRC_SKIP": "1"})
    assert repo.git("notes", "--ref=lrc", "show", check=False).returncode == 1


def test_nothing_is_left_behind(repo: Repository) -> None:
    """What waits for the message is gone after the commit."""
    repo.commit("-q")
    assert [path.name for path in (repo.path / ".git").iterdir() if path.name.startswith((".lrc", "lrc-"))] == []
