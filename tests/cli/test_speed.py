"""`lrc bench speed` as it is run, on a model of random weights: every contender, every format, and what is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lrc.errors import ExitCode
from tests.support import tiny_model
from tests.support.repository import SampleRepository


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a target and its draft."""
    folder = tmp_path_factory.mktemp("models")
    draft = tiny_model.write_model(folder / "draft.gguf", blocks=1)
    tiny_model.quantise(draft, folder / "target.gguf")
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> SampleRepository:
    """Five ordinary commits upon a first one."""
    made = SampleRepository(tmp_path / "repo")
    body = '    """One of two."""\n    result = operation(left, right)\n    return result\n\n'
    code = ""
    for name in ("add", "subtract", "multiply", "divide", "power", "root"):
        code += f"def {name}(left, right):\n{body}"
        made.commit(f"Offer to {name}", {"numbers.py": code})
    return made


def speed(repo: SampleRepository, models: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The command in `repo`, with the models named by the environment."""
    environment = os.environ | {
        "LRC_TARGET": str(models / "target.gguf"),
        "LRC_DRAFT": str(models / "draft.gguf"),
        "LRC_DATA_DIR": str(repo.path.parent / "data"),
        "LRC_CACHE_DIR": str(repo.path.parent / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-P", "-m", "lrc", "bench", "speed", *arguments],
        cwd=repo.path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_quick_look_measures_every_drafter_and_both_peers(repo: SampleRepository, models: Path) -> None:
    """As JSON, with the page beside it; what cannot run is named with its reason, not dropped."""
    done = speed(repo, models, "--quick", "--format", "json", "--html", "speed.html")
    assert done.returncode == ExitCode.PASS, done.stderr
    told = json.loads(done.stdout)
    peers = ["llama_cpp.Llama", "llama_cpp.Llama + lookup"]
    for part in ("comments", "copies"):
        assert [result["name"] for result in told[part]] == ["plain", "lookup", "draft", "tree", "auto", *peers]
        assert told[part][0]["ratio"] == told[part][0]["worst"] == 1.0
        assert all(result["rate"] > 0 for result in told[part])
    assert [result["name"] for result in told["together"]["4"]] == ["plain", "4 side by side", peers[0]]
    assert told["against_peer"]["4"] > 0
    assert set(told["left_out"]) == {"self", "mtp"}
    assert told["costs"]["1"] > 0
    draft = next(result for result in told["comments"] if result["name"] == "draft")
    assert sum(draft["details"]["drafts"]["draft"]["drafted"]) > 0
    assert draft["predicted"] > 0
    page = (repo.path / "speed.html").read_text("utf-8")
    assert "side by side" in page
    assert page.endswith("</html>\n")


def test_one_drafter_in_exact_mode_as_a_table(repo: SampleRepository, models: Path) -> None:
    """Only what was asked for, and what too few commits leave out is said."""
    sizes = ("--prompts", "1", "--tokens", "6", "--repeats", "1")
    done = speed(repo, models, "--drafter", "lookup", "--exact", "--no-peers", *sizes)
    assert done.returncode == ExitCode.PASS, done.stderr
    starts = [line.split("  ")[0] for line in done.stdout.splitlines()]
    assert starts.count("lookup") == starts.count("plain") - 1 == 2
    assert "exact True" in done.stdout
    assert "llama_cpp" not in done.stdout
    assert "16 side by side: not run, the repository has 5 hunks for it" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--drafter", "oracle"], "no drafter named 'oracle'"),
        (["--format", "sarif"], "no format named 'sarif'"),
        (["--repo", "/nowhere"], "/nowhere"),
    ],
)
def test_what_cannot_be_measured_is_one_line(
    repo: SampleRepository, models: Path, arguments: list[str], line: str
) -> None:
    """And nothing was loaded for it."""
    done = speed(repo, models, *arguments)
    assert done.returncode in {ExitCode.USAGE, ExitCode.ENVIRONMENT}
    assert line in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert "Traceback" not in done.stderr


def test_a_repository_without_code_is_named(tmp_path: Path, models: Path) -> None:
    """There is nothing to ask about."""
    bare = SampleRepository(tmp_path / "bare")
    bare.commit("Begin", {"README.md": "# Nothing\n"})
    done = speed(bare, models)
    assert done.returncode == ExitCode.USAGE
    assert "no ordinary commits" in done.stderr
