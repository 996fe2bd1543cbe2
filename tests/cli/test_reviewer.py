"""Opening the model for a review: what stands in the way is one line, and what can be done without is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lrc.cli.reviewer import opener
from lrc.config import Settings
from lrc.context import unit_for
from lrc.errors import EnvironmentFault, ExitCode
from lrc.models.machine import Memory
from lrc.review import Silent
from tests.support import tiny_model
from tests.support.changes import change, new_text
from tests.support.repository import SampleRepository

FILE = change("a.py", "-x = 1\n+x = 2")
UNIT = unit_for(FILE, FILE.hunks[0], new_text(FILE))


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny real model."""
    return tiny_model.write_model(tmp_path_factory.mktemp("tiny") / "draft.gguf")


@pytest.fixture(scope="module")
def target(draft: Path) -> Path:
    """The same, quantised: a target that a draft fits."""
    return tiny_model.quantise(draft, draft.parent / "target.gguf")


def judged(settings: Settings) -> None:
    """Asks the opened reviewer about one unit; raises what that raises."""
    with opener(settings, Silent())() as reviewer:
        list(reviewer.review([UNIT]))


def review(repo: SampleRepository, *arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """`lrc review --format json` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "lrc", "review", "--format", "json", *arguments],
        cwd=repo.path,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def repo(tmp_path: Path) -> SampleRepository:
    """A repository with a staged change of code."""
    made = SampleRepository(tmp_path / "repo")
    made.commit("first", {"a.py": "x = 1\n"})
    made.stage({"a.py": "x = 2\n"})
    return made


def test_no_model_names_the_command_that_brings_one() -> None:
    """Nothing is installed: the fault says what is missing and how to get it, and nothing was loaded."""
    with pytest.raises(EnvironmentFault) as caught:
        judged(Settings())
    assert "no model" in caught.value.message
    assert "lrc model pull" in caught.value.hint


def test_too_little_memory_is_said_before_loading(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that cannot fit is not loaded: need and room are named, with the way out."""
    monkeypatch.setattr("lrc.models.machine.available_memory", lambda: Memory(1 << 20, True, "machine"))
    monkeypatch.setattr("lrc.speculative.engine.Engine.open", lambda *_: pytest.fail("the model was loaded"))
    with pytest.raises(EnvironmentFault) as caught:
        judged(Settings(target=str(target), context=512))
    assert "not enough memory" in caught.value.message
    assert "GiB is free" in caught.value.message
    assert "lrc model use" in caught.value.hint


def test_a_review_goes_on_without_a_draft(repo: SampleRepository, target: Path) -> None:
    """No draft model is no obstacle: the target alone judges."""
    done = review(repo, LRC_TARGET=str(target), LRC_DRAFT="none", LRC_CONTEXT="2048")
    report = json.loads(done.stdout)
    assert done.returncode in (ExitCode.PASS, ExitCode.BLOCKED), done.stderr
    assert report["stats"]["hunks_reviewed"] == 1
    assert report["stats"]["model"]["draft"] is None


def test_a_drafter_that_needs_what_is_not_there_is_named(repo: SampleRepository, target: Path) -> None:
    """`--drafter draft` without a draft model, and `mtp` on a model without such heads: exit 4 and why."""
    for drafter, word in (("draft", "draft model"), ("mtp", "MTP"), ("self", "target")):
        done = review(repo, "--drafter", drafter, LRC_TARGET=str(target), LRC_DRAFT="none", LRC_CONTEXT="2048")
        assert done.returncode == ExitCode.ENVIRONMENT, done.stdout
        assert word.lower() in (done.stdout + done.stderr).lower()
        assert "Traceback" not in done.stderr


def test_a_native_library_that_cannot_be_loaded_is_one_line(
    repo: SampleRepository, target: Path, tmp_path: Path
) -> None:
    """Detectors have run; that the model has not is said, with the way out, and the exit code is the surroundings'."""
    done = review(repo, LRC_TARGET=str(target), LRC_DRAFT="none", LLAMA_CPP_LIB_PATH=str(tmp_path / "nowhere"))
    assert done.returncode == ExitCode.ENVIRONMENT, done.stdout
    report = json.loads(done.stdout)
    assert report["fault"].startswith("the native library of llama-cpp-python cannot be loaded")
    assert report["fault_hint"] == "reinstall llama-cpp-python"
    assert "Traceback" not in done.stderr


def test_a_draft_that_does_not_fit_is_left_out_and_both_sides_named(
    repo: SampleRepository, target: Path, tmp_path: Path
) -> None:
    """Another vocabulary: one note on standard error, and the review goes on without the draft."""
    words = tiny_model.vocabulary()
    other = tiny_model.write_model(tmp_path / "other.gguf", tokens=[*words[:40], *reversed(words[40:])])
    done = review(repo, LRC_TARGET=str(target), LRC_DRAFT=str(other), LRC_CONTEXT="2048")
    assert done.returncode in (ExitCode.PASS, ExitCode.BLOCKED), done.stderr
    assert target.name in done.stderr
    assert other.name in done.stderr
    assert json.loads(done.stdout)["stats"]["model"]["draft"] is None


def test_a_file_cut_short_is_one_line(repo: SampleRepository, target: Path, tmp_path: Path) -> None:
    """A half-downloaded model is refused by its own header, with the file's name."""
    half = tmp_path / "half.gguf"
    half.write_bytes(target.read_bytes()[: target.stat().st_size // 2])
    done = review(repo, LRC_TARGET=str(half))
    report = json.loads(done.stdout)
    assert done.returncode == report["exit_code"] == ExitCode.ENVIRONMENT
    assert report["findings"] == []
    assert "half.gguf" in done.stdout + done.stderr
