"""`lrc dismiss` and `lrc baseline` from the outside, on real repositories."""

import json
from pathlib import Path
from typing import Any

import pytest

from lrc.errors import ExitCode
from lrc.suppress import DISMISSED_FILE, parse_dismissals
from tests.cli.test_review import lrc
from tests.support.repository import SampleRepository

SHELL = "import os\n\n\ndef f(name):\n    os.system('ls ' + name)\n"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def repo(tmp_path: Path) -> SampleRepository:
    """A repository in which a change that blocks is staged."""
    made = SampleRepository(tmp_path / "repo")
    made.commit("first", {"app.py": "x = 1\n"})
    made.stage({"app.py": SHELL})
    return made


def reviewed(repo: SampleRepository, *arguments: str) -> dict[str, Any]:
    """The result of a review without a model."""
    done = lrc("review", *arguments, "--no-model", "--format", "json", cwd=repo.path)
    result: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == result["exit_code"]
    return result


def author(repo: SampleRepository) -> str:
    """Who git says is at the keyboard."""
    return repo.git("var", "GIT_AUTHOR_IDENT").partition(" <")[0]


def fingerprint(repo: SampleRepository) -> str:
    """That of the only finding of the staged change."""
    (finding,) = reviewed(repo)["findings"]
    return str(finding["fingerprint"])


def test_a_dismissed_finding_no_longer_blocks(repo: SampleRepository) -> None:
    """The first digits are enough; what was dismissed is told, passes the gate, and stays in the report."""
    mark = fingerprint(repo)
    done = lrc("dismiss", mark[:6], "--reason", "the name\n is fixed", cwd=repo.path)
    assert (done.returncode, done.stderr) == (ExitCode.PASS, "")
    assert f"dismissed {mark}: app.py:5 high security: A shell runs" in done.stdout
    result = reviewed(repo)
    assert (result["verdict"], result["findings"]) == ("pass", [])
    assert [gone["reason"] for gone in result["dismissed"]] == ["the name is fixed"]
    entry = parse_dismissals((repo.path / DISMISSED_FILE).read_text())[mark]
    assert (entry.path, entry.by) == ("app.py", author(repo)) and entry.date
    assert "blocking finding set aside by this change itself" in lrc("review", "--no-model", cwd=repo.path).stdout


def test_a_dismissal_survives_moved_lines_and_names_no_one_else(repo: SampleRepository) -> None:
    """Lines above and another indent change nothing; another command does."""
    lrc("dismiss", fingerprint(repo), "--reason", "fine", cwd=repo.path)
    repo.commit("dismissed")
    repo.stage({"app.py": "import sys\n\n" + SHELL.replace("    os.system", "  os.system")})
    assert reviewed(repo)["verdict"] == "pass"
    repo.stage({"app.py": SHELL.replace("'ls '", "'rm '")})
    assert reviewed(repo)["verdict"] == "block"


def test_a_dismissal_of_an_older_commit_counts_at_once_and_is_no_news_once_committed(repo: SampleRepository) -> None:
    """Reviewing the commit again shows it as new until the file is committed."""
    mark = fingerprint(repo)
    repo.commit("risky")
    lrc("dismiss", mark, "--reason", "fine", cwd=repo.path)
    assert [gone["added_here"] for gone in reviewed(repo, "HEAD")["dismissed"]] == [True]
    repo.stage()
    repo.commit("dismiss")
    assert [gone["added_here"] for gone in reviewed(repo, "HEAD~1")["dismissed"]] == [False]


def test_the_change_cannot_silence_its_own_block_unseen(repo: SampleRepository) -> None:
    """A comment or an entry that comes with the change passes the gate, and the first line says so."""
    repo.stage({"app.py": SHELL.replace("+ name)", "+ name)  # lrc: ignore[security] trust me")})
    done = lrc("hook", "pre-commit", cwd=repo.path, env={"LRC_NO_MODEL": "1"})
    assert done.returncode == ExitCode.PASS
    assert "1 blocking finding set aside by this change itself" in done.stderr.splitlines()[0]
    assert "trust me" in done.stderr


def test_list_and_remove(repo: SampleRepository) -> None:
    """The list says why, when and by whom; a removed dismissal lets the finding block again."""
    assert lrc("dismiss", "--list", cwd=repo.path).stdout == "nothing is dismissed\n"
    mark = fingerprint(repo)
    lrc("dismiss", mark, "--reason", "fine", cwd=repo.path)
    shown = lrc("dismiss", "--list", cwd=repo.path).stdout
    assert mark in shown and "fine" in shown and author(repo) in shown and "app.py: A shell" in shown
    (entry,) = json.loads(lrc("dismiss", "--list", "--format", "json", cwd=repo.path).stdout)
    assert (entry["fingerprint"], entry["reason"]) == (mark, "fine")
    assert lrc("dismiss", "--remove", mark[:4], cwd=repo.path).stdout == f"{mark} stands again\n"
    assert not (repo.path / DISMISSED_FILE).exists()
    assert reviewed(repo)["verdict"] == "block"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("0123",),
        ("0123", "--reason", "  "),
        ("zz", "--reason", "x"),
        ("--list", "--remove"),
        ("--remove", "0123"),
        ("--list", "--format", "sarif"),
    ],
)
def test_wrong_usage_is_one_line_with_the_way_out(repo: SampleRepository, arguments: tuple[str, ...]) -> None:
    """Nothing is written, and the code is 2."""
    done = lrc("dismiss", *arguments, cwd=repo.path)
    assert done.returncode == ExitCode.USAGE
    assert len(done.stderr.splitlines()) == 2 and done.stderr.startswith("lrc: ")
    assert not (repo.path / DISMISSED_FILE).exists()


def test_a_fingerprint_from_elsewhere_counts_when_it_is_whole(repo: SampleRepository) -> None:
    """What a CI run has shown can be dismissed here."""
    mark = fingerprint(repo)
    (repo.path / ".git" / "lrc" / "findings.json").unlink()
    assert lrc("dismiss", mark[:8], "--reason", "x", cwd=repo.path).returncode == ExitCode.USAGE
    assert "no review on this machine" in lrc("dismiss", mark, "--reason", "x", cwd=repo.path).stdout
    assert reviewed(repo)["verdict"] == "pass"


def test_a_secret_is_never_written_and_its_danger_is_told(repo: SampleRepository) -> None:
    """Neither the memory of findings nor the dismissed file holds it, not even when the reason does."""
    repo.stage({"app.py": f"key = '{TOKEN}'\n"})
    done = lrc("dismiss", fingerprint(repo), "--reason", f"old key {TOKEN}", cwd=repo.path)
    assert "does not take it back" in done.stdout
    files = [
        path for path in repo.path.rglob("*") if path.is_file() and path.name in ("findings.json", "dismissed.toml")
    ]
    assert len(files) == 2
    assert TOKEN not in done.stdout + "".join(path.read_text() for path in files)


def test_another_secret_in_its_place_blocks(repo: SampleRepository) -> None:
    """A dismissed secret does not let the next one pass."""
    repo.stage({"app.py": f"key = '{TOKEN}'\n"})
    lrc("dismiss", fingerprint(repo), "--reason", "revoked", cwd=repo.path)
    assert reviewed(repo)["verdict"] == "pass"
    repo.stage({"app.py": f"key = '{TOKEN[:-4]}Z9y8'\n"})
    assert reviewed(repo)["verdict"] == "block"


def test_baseline_accepts_what_is_there_but_no_secret(repo: SampleRepository) -> None:
    """All findings of a change are accepted at once; secrets only when asked for."""
    repo.stage({"key.py": f"key = '{TOKEN}'\n"})
    done = lrc("baseline", "--no-model", "--reason", "before lrc", cwd=repo.path)
    assert done.returncode == ExitCode.PASS
    assert "1 finding accepted" in done.stdout and "1 secret is not accepted" in done.stdout
    result = reviewed(repo)
    assert [finding["category"] for finding in result["findings"]] == ["secrets"]
    assert [gone["reason"] for gone in result["dismissed"]] == ["before lrc"]
    assert lrc("baseline", "--no-model", "--secrets", cwd=repo.path).returncode == ExitCode.PASS
    assert reviewed(repo)["findings"] == []


def test_baseline_of_a_range(repo: SampleRepository) -> None:
    """A whole history can be accepted; what comes after it still blocks."""
    repo.commit("risky")
    assert lrc("baseline", "HEAD~1..HEAD", "--no-model", cwd=repo.path).returncode == ExitCode.PASS
    assert reviewed(repo, "HEAD")["verdict"] == "pass"
    repo.stage({"new.py": SHELL.replace("ls", "cat")})
    assert reviewed(repo)["verdict"] == "block"


def test_a_bare_repository_has_nothing_to_write(tmp_path: Path) -> None:
    """Named in one line with the way out."""
    made = SampleRepository(tmp_path / "bare", arguments=("--bare",))
    done = lrc("dismiss", "--list", cwd=made.path)
    assert done.returncode == ExitCode.ENVIRONMENT and "bare" in done.stderr


def test_a_broken_file_is_named_and_kept(repo: SampleRepository) -> None:
    """Nothing is written over what somebody has to mend."""
    path = repo.write(DISMISSED_FILE, "[[dismissed]\n")
    done = lrc("dismiss", "0123456789abcdef", "--reason", "x", cwd=repo.path)
    assert done.returncode == ExitCode.USAGE and DISMISSED_FILE in done.stderr
    assert path.read_text() == "[[dismissed]\n"
