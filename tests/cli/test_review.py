"""`lrc review` from the outside: what is printed where, and which exit code it ends with."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from lrc.errors import ExitCode
from tests.support.repository import SampleRepository

KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEowIBAAKCAQEA7bq0Xy0Zy9uT4Q2mJb7v\n" * 4
    + "-----END RSA PRIVATE KEY-----\n"
)


def lrc(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """The command line in a process of its own, as users run it."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "lrc", *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def repo(tmp_path: Path) -> SampleRepository:
    """A repository with one commit."""
    made = SampleRepository(tmp_path / "repo")
    made.commit("first", {"app.py": "import os\n\n\ndef f(x):\n    return x + 1\n"})
    return made


def one_line(done: "subprocess.CompletedProcess[str]") -> str:
    """The error line; asserts that there is no traceback and nothing on standard output."""
    lines = done.stderr.splitlines()
    assert done.stdout == ""
    assert lines[0].startswith("lrc: ")
    assert all(line.startswith("     ") for line in lines[1:])
    assert len(lines) <= 2
    return lines[0]


def test_nothing_staged_passes(repo: SampleRepository) -> None:
    """An empty change is no error and needs no model."""
    done = lrc("review", cwd=repo.path)
    assert (done.returncode, done.stderr) == (ExitCode.PASS, "")
    assert "nothing" in done.stdout.lower() or "pass" in done.stdout.lower()


def test_outside_a_repository(tmp_path: Path) -> None:
    """No repository is a matter of the surroundings: one line, exit 4."""
    done = lrc("review", cwd=tmp_path)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert "no repository" in one_line(done)


def test_the_first_commit_can_be_reviewed(tmp_path: Path) -> None:
    """Before the first commit everything staged is new."""
    repo = SampleRepository(tmp_path / "new")
    repo.stage({"key.pem.py": KEY})
    done = lrc("review", "--no-model", "--format", "json", cwd=repo.path)
    assert done.returncode == ExitCode.BLOCKED
    assert json.loads(done.stdout)["findings"][0]["path"] == "key.pem.py"


def test_a_revision_before_the_first_commit(tmp_path: Path) -> None:
    """HEAD of an empty repository names nothing: wrong usage, in one line."""
    repo = SampleRepository(tmp_path / "new")
    done = lrc("review", "HEAD", cwd=repo.path)
    assert done.returncode == ExitCode.USAGE
    assert "HEAD" in one_line(done)


@pytest.mark.parametrize("revision", ["no-such-thing", "HEAD~7", "HEAD..no-such", "a\nb", ":/", "app.py"])
def test_an_unknown_revision(repo: SampleRepository, revision: str) -> None:
    """A revision that names no commit is wrong usage and is named."""
    done = lrc("review", revision, cwd=repo.path)
    assert done.returncode == ExitCode.USAGE
    one_line(done)


@pytest.mark.parametrize("revision", ["--output=/etc/passwd", "-p", "--upload-pack=touch pwned"])
def test_a_revision_that_begins_with_a_dash(repo: SampleRepository, revision: str) -> None:
    """What looks like an option never reaches git as one."""
    done = lrc("review", "--", revision, cwd=repo.path)
    assert done.returncode == ExitCode.USAGE
    one_line(done)
    assert not (repo.path / "pwned").exists()


def test_without_a_model_the_detectors_still_speak(repo: SampleRepository) -> None:
    """No model installed: exit 4 and the way out, and a secret blocks all the same."""
    repo.stage({"app.py": "import os\n\n\ndef f(x):\n    return x - 1\n"})
    done = lrc("review", cwd=repo.path)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert "lrc model pull" in done.stdout + done.stderr
    repo.stage({"key.py": KEY})
    done = lrc("review", cwd=repo.path)
    assert done.returncode == ExitCode.BLOCKED
    assert "private key" in done.stdout


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF\x03\x00\x00\x00" + b"\xff" * 64, b"<html>not found</html>"])
def test_a_damaged_model_file(repo: SampleRepository, tmp_path: Path, content: bytes) -> None:
    """A half-downloaded or corrupt file is one line and exit 4, not a crash of the native library."""
    model = tmp_path / "model.gguf"
    model.write_bytes(content)
    repo.stage({"app.py": "import os\n\n\ndef f(x):\n    return x - 1\n"})
    done = lrc("review", "--format", "json", cwd=repo.path, env={"LRC_TARGET": str(model)})
    report = json.loads(done.stdout)
    assert done.returncode == report["exit_code"] == ExitCode.ENVIRONMENT
    assert report["verdict"] == "error"
    assert "Traceback" not in done.stderr
    assert [entry["path"] for entry in report["not_reviewed"]] == ["app.py"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("review", "--staged", "HEAD"),
        ("review", "--format", "xml"),
        ("review", "--fail-on", "awful"),
        ("review", "--max-findings", "0"),
        ("review", "--drafter", "oracle"),
        ("review", "--reviewer", "oracle"),
        ("review", "--output", "no/such/directory/report.json"),
        ("config", "show", "--format", "xml"),
    ],
)
def test_wrong_usage(repo: SampleRepository, arguments: tuple[str, ...]) -> None:
    """What cannot be meant is exit 2 with one line that says what can."""
    repo.stage({"app.py": "import os\n"})
    done = lrc(*arguments, cwd=repo.path, env={"LRC_NO_MODEL": "1"})
    assert done.returncode == ExitCode.USAGE, done.stderr
    one_line(done)


def test_an_unknown_option_is_the_frameworks_own_error(repo: SampleRepository) -> None:
    """Typos in options are exit 2 with the usage line."""
    done = lrc("review", "--no-modle", cwd=repo.path)
    assert done.returncode == ExitCode.USAGE
    assert "--no-model" in done.stderr
    assert "Traceback" not in done.stderr


def test_standard_output_holds_the_json_alone(repo: SampleRepository) -> None:
    """Logs and notes go to standard error, also with --verbose; exit code and verdict agree."""
    repo.stage({"key.py": KEY})
    done = lrc("review", "--no-model", "--format", "json", "--verbose", cwd=repo.path)
    report = json.loads(done.stdout)
    assert (report["verdict"], report["exit_code"], done.returncode) == ("block", 1, 1)
    [finding] = report["findings"]
    assert set(finding) >= {
        "path",
        "line",
        "end_line",
        "side",
        "severity",
        "category",
        "confidence",
        "message",
        "replacement",
        "source",
        "fingerprint",
    }
    assert "MIIEowIBAAKCAQEA" not in done.stdout + done.stderr


def test_output_goes_to_a_file_whole(repo: SampleRepository, tmp_path: Path) -> None:
    """With --output the file holds the result and standard output nothing."""
    repo.stage({"key.py": KEY})
    target = tmp_path / "report.json"
    done = lrc("review", "--no-model", "--format", "json", "--output", str(target), cwd=repo.path)
    assert (done.returncode, done.stdout) == (ExitCode.BLOCKED, "")
    assert json.loads(target.read_text())["verdict"] == "block"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_threshold_comes_from_flag_variable_or_file(repo: SampleRepository) -> None:
    """--fail-on, LRC_FAIL_ON and lrc.toml all move the gate; the flag is the strongest."""
    repo.stage({"app.py": "import os\n\n\ndef f(x):\n    breakpoint()\n    return x + 1\n"})
    worst = json.loads(lrc("review", "--no-model", "--format", "json", cwd=repo.path).stdout)["findings"][0]["severity"]
    loose = "critical" if worst != "critical" else "info"
    assert lrc("review", "--no-model", "--fail-on", worst, cwd=repo.path).returncode == ExitCode.BLOCKED
    assert lrc("review", "--no-model", "--fail-on", loose, cwd=repo.path).returncode == ExitCode.PASS
    assert lrc("review", "--no-model", cwd=repo.path, env={"LRC_FAIL_ON": worst}).returncode == ExitCode.BLOCKED
    repo.write("lrc.toml", f'fail_on = "{loose}"\n')
    assert lrc("review", "--no-model", cwd=repo.path).returncode == ExitCode.PASS
    assert lrc("review", "--no-model", "--fail-on", worst, cwd=repo.path).returncode == ExitCode.BLOCKED


def test_ranges_and_commits(repo: SampleRepository) -> None:
    """A commit is compared with its parent, A..B with A, A...B with the merge base."""
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit("second", {"key.py": KEY})
    repo.commit("third", {"other.py": "x = 1\n"})
    codes = {
        revision: lrc("review", revision, "--no-model", cwd=repo.path).returncode
        for revision in ("HEAD", "HEAD~1", "main..topic", "main...topic", "HEAD~1..HEAD")
    }
    assert codes == {"HEAD": 0, "HEAD~1": 1, "main..topic": 1, "main...topic": 1, "HEAD~1..HEAD": 0}


def test_only_selected_paths(repo: SampleRepository) -> None:
    """--path narrows the review, and what it leaves out is listed."""
    repo.stage({"key.py": KEY, "docs/readme.md": "hello\n"})
    done = lrc("review", "--no-model", "--path", "docs/", "--format", "json", cwd=repo.path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["findings"]) == (ExitCode.PASS, [])
    assert {"path": "key.py", "reason": "not selected by --path"} in report["not_reviewed"]


def test_ignored_paths_are_read_from_the_index(repo: SampleRepository) -> None:
    """An ignore file counts as it will be recorded: an unstaged edit changes no review."""
    repo.stage({"key.py": KEY})
    repo.write(".lrc/ignore", "*.py\n")
    assert lrc("review", "--no-model", cwd=repo.path).returncode == ExitCode.BLOCKED


def test_from_a_subdirectory(repo: SampleRepository) -> None:
    """Where one stands in the work tree makes no difference."""
    repo.stage({"deep/er/key.py": KEY})
    done = lrc("review", "--no-model", "--format", "json", cwd=repo.path / "deep" / "er")
    assert json.loads(done.stdout)["findings"][0]["path"] == "deep/er/key.py"


def test_the_version() -> None:
    """`lrc --version` is one line."""
    from lrc import __version__

    assert lrc("--version", cwd=Path.cwd()).stdout == f"lrc {__version__}\n"


def test_a_reader_that_goes_away_is_no_error(repo: SampleRepository) -> None:
    """`lrc review | head -0` neither complains nor changes the verdict."""
    repo.stage({"key.py": KEY})
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "lrc", "review", "--no-model"],
            cwd=repo.path,
            stdout=gone,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (ExitCode.BLOCKED, "")


def test_config_show_check_and_init(repo: SampleRepository) -> None:
    """The configuration can be started, seen with its origins, and checked."""
    assert lrc("config", "check", cwd=repo.path).stdout == "configuration is sound\n"
    assert lrc("config", "init", cwd=repo.path).returncode == 0
    assert lrc("config", "init", cwd=repo.path).returncode == ExitCode.USAGE
    (repo.path / "lrc.toml").write_text('fail_on = "low"\n')
    shown = json.loads(lrc("config", "show", "--format", "json", cwd=repo.path).stdout)
    assert shown["fail_on"] == {"value": "low", "origin": "lrc.toml"}
    (repo.path / "lrc.toml").write_text("nonsense = 1\n")
    done = lrc("config", "check", cwd=repo.path)
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "lrc.toml: unknown key `nonsense`\n")
