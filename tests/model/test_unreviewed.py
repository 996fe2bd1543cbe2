"""`lrc review --unreviewed` and the ledger with the real pair."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lrc.speculative.engine as engine
from lrc.cli.app import app
from lrc.install import repository
from tests.support.hooked import make

CODE = """\
def area{n}(width, height):
    if width < 0 or height < 0:
        raise ValueError(width)
    return width * height
"""


@pytest.mark.model
def test_commits_share_one_engine(tmp_path: Path, pair_data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two commits past the review: both judged by the model, which is loaded once, and named in the log."""
    monkeypatch.setenv("LRC_CACHE_DIR", str(tmp_path / "cache"))
    opened: list[object] = []
    open_engine = engine.Engine.open

    def counting(*arguments: object, **options: object) -> engine.Engine:
        opened.append(arguments)
        return open_engine(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.Engine, "open", counting)
    repo = make(tmp_path / "repo")
    repository.install(repo.path)
    monkeypatch.chdir(repo.path)
    for number in range(2):
        repo.stage(f"code{number}.py", CODE.format(n=number))
        repo.commit("-q", "-n")
    done = CliRunner().invoke(app, ["review", "--unreviewed", "--format", "json"])
    reviews = json.loads(done.stdout)["reviews"]
    assert [review["stats"]["hunks_reviewed"] for review in reviews] == [1, 1]
    assert len(opened) == 1
    log = json.loads(CliRunner().invoke(app, ["log", "-n", "2", "--format", "json"]).stdout)["commits"]
    assert [(commit["state"], commit["coverage"], commit["by_model"]) for commit in log] == [("reviewed", 1.0, 1.0)] * 2
    assert {commit["model"].split("@")[0] for commit in log} == {"qwen2.5-coder-1.5b-instruct-q4_k_m"}
