"""Calibrating and measuring quality with the real target, on a small repository."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lrc.errors import ExitCode
from tests.conftest import ModelPair
from tests.support.repository import SampleRepository

pytestmark = pytest.mark.model

START = '''def clamp(value, low, high):
    """The value, or the nearer end of the range."""
    if value < low:
        return low
    if value > high:
        return high
    return value
'''
MORE = '''

def count_positive(values):
    """How many of the values are greater than zero."""
    count = 0
    for value in values:
        if value > 0:
            count += 1
    return count
'''


@pytest.fixture
def repo(tmp_path: Path) -> SampleRepository:
    """Two ordinary commits upon a first one."""
    made = SampleRepository(tmp_path / "repo")
    made.commit("Clamp", {"ranges.py": START})
    made.commit("Count", {"ranges.py": START + MORE})
    made.commit("Sum", {"ranges.py": START + MORE + MORE.replace("count_positive", "count_above_zero")})
    return made


def lrc(repo: SampleRepository, pair: ModelPair, data: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The command line with the pair named by the environment, so that its data directory can be a new one."""
    environment = os.environ | {
        "LRC_TARGET": str(pair.target),
        "LRC_DRAFT": "none",
        "LRC_DATA_DIR": str(data),
    }
    return subprocess.run(
        [sys.executable, "-P", "-m", "lrc", *arguments],
        cwd=repo.path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_calibrating_keeps_thresholds_and_no_code(repo: SampleRepository, pair: ModelPair, tmp_path: Path) -> None:
    """A short run measures planted and clean cases, keeps what it found without a line of code, and says so."""
    data = tmp_path / "data"
    done = lrc(repo, pair, data, "calibrate", "--minutes", "3", "--commits", "1", "--format", "json")
    assert done.returncode == ExitCode.PASS, done.stderr
    document = json.loads(done.stdout)
    assert document["cases"] >= 3
    (kept,) = (data / "calibrations").glob("*.json")
    assert json.loads(kept.read_text())["speak"] >= 0.5
    (notes,) = (data / "calibrations").glob("*.jsonl")
    assert len(notes.read_text().splitlines()) == document["cases"]
    assert "ranges" not in notes.read_text()
    assert "value" not in notes.read_text()


def test_quality_judges_both_ways_on_the_same_cases(repo: SampleRepository, pair: ModelPair, tmp_path: Path) -> None:
    """Measuring and the classic way, in one run; the kept cases give the same figures again, without the model."""
    kept, page = tmp_path / "kept.jsonl", tmp_path / "page.html"
    run = ("bench", "quality", "--format", "json")
    done = lrc(repo, pair, tmp_path, *run, "--minutes", "3", "--commits", "1", "--keep", str(kept), "--html", str(page))
    assert done.returncode == ExitCode.PASS, done.stderr
    document = json.loads(done.stdout)
    assert [one["name"] for one in document["reviewers"]] == ["measure", "prompt"]
    assert page.read_text().startswith("<!doctype html>")
    again = lrc(repo, pair, tmp_path, *run, "--use", str(kept))
    assert json.loads(again.stdout)["reviewers"] == document["reviewers"]
