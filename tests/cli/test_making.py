"""`lrc model prune` and `lrc model slim`: made once out of what is here, and then used by reviews."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lrc.cli.app import run_app
from lrc.cli.boundary import guarded
from lrc.cli.reviewer import installed_pair, opened_engine
from lrc.cli.running import guesser
from lrc.config import Settings
from lrc.errors import EnvironmentFault, ExitCode
from lrc.speculative.requests import Request
from tests.support import tiny_model
from tests.support.repository import SampleRepository

BLOCKS = 8
SELF = Settings(context=2048, threads=1, drafter="self")
NO_ROOM = shutil.disk_usage("/")._replace(free=10)
OLD = "def total(values):\n    result = 0\n    for value in values:\n        result += value\n    return result\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SampleRepository:
    """A repository with a commit of code; a tiny target and draft are in use."""
    target = tiny_model.write_model(tmp_path / "target.gguf", blocks=BLOCKS)
    monkeypatch.setenv("LRC_TARGET", str(target))
    monkeypatch.setenv("LRC_DRAFT", str(tiny_model.write_model(tmp_path / "draft.gguf", seed=3)))
    monkeypatch.setenv("LRC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LRC_CONTEXT", "6000")
    made = SampleRepository(tmp_path / "repo")
    made.commit("first", {"a.py": OLD})
    made.commit("second", {"a.py": OLD.replace("result = 0", "result = 1").replace("+=", "-=")})
    monkeypatch.chdir(made.path)
    return made


def lrc(*arguments: str) -> int:
    """Run the command line in this process."""
    return guarded(lambda: run_app(arguments))


def made(data: Path) -> list[str]:
    """Names of what lies beside the models."""
    return [path.name for path in (data / "models" / "made").iterdir()]


def test_the_pruned_copy_is_made_once_and_drafts_for_the_target(
    repo: SampleRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sets of blocks are tried and told; the best stays; `--drafter self` guesses with it."""
    with pytest.raises(EnvironmentFault) as caught:
        guesser(Settings(drafter="self"), installed_pair(Settings()))
    assert "lrc model prune" in caught.value.hint
    left = tmp_path / "data" / "models" / "made" / "trial-of-a-killed-run"
    left.mkdir(parents=True)
    (left / "copy.gguf").write_text("large")
    assert lrc("model", "prune", "--minutes", "0.05") == ExitCode.PASS
    said = capsys.readouterr()
    assert "guesses right" in said.err
    assert said.err.count("without blocks") >= 2
    (name,) = made(tmp_path / "data")
    assert name in said.out
    assert lrc("model", "prune") == ExitCode.PASS
    assert "made before" in capsys.readouterr().err
    pair = installed_pair(SELF)
    for settings in (SELF, replace(SELF, drafter="draft")):
        with opened_engine(settings, pair, print) as engine:
            (answer,) = engine.generate([Request(tuple(engine.encode("def total", False)), 30)])
            assert answer.counts.drafted > 0
            own = settings.drafter == "self"
            assert (engine.describe()["draft"]["file"] == name) == own
            assert ("self" in engine.stats.drafts) == own


def test_another_target_has_no_pruned_copy(
    repo: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found by the hash of what it was made from."""
    assert lrc("model", "prune", "--minutes", "0") == ExitCode.PASS
    assert guesser(SELF, installed_pair(SELF)) is not None
    monkeypatch.setenv("LRC_TARGET", str(tiny_model.write_model(tmp_path / "target.gguf", blocks=BLOCKS, seed=5)))
    with pytest.raises(EnvironmentFault):
        guesser(SELF, installed_pair(SELF))


def test_a_repository_without_code_is_named(
    repo: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is loaded, nothing written."""
    empty = SampleRepository(tmp_path / "empty")
    empty.commit("first", {"notes.txt": "nothing\n"})
    monkeypatch.chdir(empty.path)
    assert lrc("model", "prune") == ExitCode.ENVIRONMENT
    assert "no commits of code" in capsys.readouterr().err
    assert not (tmp_path / "data" / "models" / "made").exists()


def test_a_target_with_few_blocks_and_a_full_disk_are_named(
    repo: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both before anything is written."""
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: NO_ROOM)
        assert lrc("model", "prune") == ExitCode.ENVIRONMENT
    assert "not enough disk space" in capsys.readouterr().err
    monkeypatch.setenv("LRC_TARGET", str(tiny_model.write_model(tmp_path / "flat.gguf", blocks=3)))
    assert lrc("model", "prune") == ExitCode.ENVIRONMENT
    assert "too few blocks" in capsys.readouterr().err
    assert made(tmp_path / "data") == []


def test_a_slim_draft_takes_the_drafts_place(
    repo: SampleRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Made once; a damaged one is left out, and made again."""
    settings = Settings(context=2048, threads=1, drafter="draft")
    pair = installed_pair(settings)
    assert guesser(settings, pair) == pair.draft
    assert lrc("model", "slim") == ExitCode.PASS
    (name,) = made(tmp_path / "data")
    assert name in capsys.readouterr().out
    with opened_engine(settings, pair, print) as engine:
        assert engine.describe()["draft"]["file"] == name
        assert engine.describe()["draft"]["kind"].endswith("Q4_0")
    slim = tmp_path / "data" / "models" / "made" / name
    slim.write_bytes(slim.read_bytes()[:500])
    assert guesser(settings, pair) == pair.draft
    assert lrc("model", "slim") == ExitCode.PASS
    assert guesser(settings, pair) != pair.draft
    capsys.readouterr()
    assert lrc("model", "list") == ExitCode.PASS
    assert f"made here: {name}" in capsys.readouterr().out


def test_without_a_draft_there_is_nothing_to_make_slim(
    repo: SampleRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The way out is named."""
    monkeypatch.setenv("LRC_DRAFT", "none")
    assert lrc("model", "slim") == ExitCode.ENVIRONMENT
    assert "lrc model use" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_named(
    repo: SampleRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "data" / "models").mkdir(parents=True)
    (tmp_path / "data" / "models" / "made").write_text("")
    for command in ("slim", "prune"):
        assert lrc("model", command) == ExitCode.ENVIRONMENT
        assert "LRC_DATA_DIR" in capsys.readouterr().err
