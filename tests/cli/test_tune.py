"""`lrc tune`: measured once, remembered, and used by the reviews that follow."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lrc.cli.app import run_app
from lrc.cli.boundary import guarded
from lrc.cli.checkup import tuning
from lrc.cli.reviewer import installed_pair, opened_engine, opener
from lrc.cli.running import options_for, tuned, tuning_key, tunings
from lrc.config import Settings
from lrc.context import unit_for
from lrc.errors import ExitCode
from lrc.review import Silent
from lrc.speculative import Engine, Request
from lrc.speculative.tuning import Trial, Tuning, remember
from tests.support import tiny_model
from tests.support.changes import change, new_text

ODD = Tuning(True, 1, False, 96, 0, Trial(100.0, 0.04), {1: 0.04, 4: 0.1})
"""Settings that no default has."""
KEY = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
SECRET_CHANGE = change("a.py", f'-key = ""\n+key = "{KEY}"')


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny real model, in use; caches of the test's own."""
    path = tiny_model.quantise(tiny_model.write_model(tmp_path / "raw.gguf"), tmp_path / "tiny.gguf")
    monkeypatch.setenv("LRC_TARGET", str(path))
    monkeypatch.setenv("LRC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return path


def lrc(*arguments: str) -> int:
    """Run the command line in this process."""
    return guarded(lambda: run_app(arguments))


def test_it_is_measured_once_and_told(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second call tells what the first one found; `--again` measures anew."""
    assert lrc("tune", "--format", "json") == ExitCode.PASS
    first = json.loads(capsys.readouterr().out)
    assert first["measured_now"]
    assert first["trial"]["prompt_rate"] > 0
    pair = installed_pair(Settings())
    assert tuned(pair) is not None
    remember(tunings(), tuning_key(pair), ODD)
    assert lrc("tune", "--format", "json") == ExitCode.PASS
    second = json.loads(capsys.readouterr().out)
    assert (second["measured_now"], second["micro_batch"]) == (False, ODD.micro_batch)
    assert lrc("tune", "--again") == ExitCode.PASS
    said = capsys.readouterr()
    assert "tiny.gguf" in said.out
    assert "context" in said.out
    assert "kept: reviews use it from now on" in said.out
    assert "prompt tokens/s" in said.err


def test_what_was_measured_on_a_busy_machine_is_measured_again(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without costs the tuning is half a one."""
    pair = installed_pair(Settings())
    remember(tunings(), tuning_key(pair), replace(ODD, costs={}))
    assert lrc("tune", "--format", "json") == ExitCode.PASS
    assert json.loads(capsys.readouterr().out)["measured_now"]


def test_a_review_runs_under_what_was_found(model: Path) -> None:
    """Every setting reaches the engine, and the costs the scheduler; what the user set goes first."""
    settings = Settings(context=1024)
    pair = installed_pair(settings)
    assert options_for(settings, pair).costs is None
    assert tuning(pair).way_out.startswith("`lrc tune`")
    remember(tunings(), tuning_key(pair), ODD)
    options = options_for(settings, pair)
    assert options.costs == ODD.costs
    assert tuning(pair).detail == "1 thread, 100 prompt tokens/s, 40 ms a token"
    with opened_engine(settings, pair, print) as engine:
        used = engine.describe()["settings"]
    assert (used["repack"], used["threads"], used["flash_attention"]) == (True, 1, False)
    assert (used["micro_batch"], used["gpu_layers"], used["costs_measured"]) == (96, 0, True)
    assert options_for(replace(settings, threads=3), pair).threads == 3


def test_another_model_makes_it_void(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the same name, with other weights."""
    pair = installed_pair(Settings())
    remember(tunings(), tuning_key(pair), ODD)
    assert tuned(pair) == ODD
    raw = tiny_model.write_model(tmp_path / "other.gguf", seed=7)
    tiny_model.quantise(raw, model)
    assert tuned(installed_pair(Settings())) is None


def test_no_model_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 4."""
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert lrc("tune") == ExitCode.ENVIRONMENT


def test_a_place_that_cannot_be_written_is_named(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LRC_CACHE_DIR", str(tmp_path / "file"))
    assert lrc("tune") == ExitCode.ENVIRONMENT
    assert "LRC_CACHE_DIR" in capsys.readouterr().err


def test_what_a_review_wrote_is_remembered_and_no_secret_was_seen(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file of ids, named by the vocabulary, readable by the user alone. The model that wrote it never read the
    secret of the change, so it cannot have repeated it."""
    shown: list[bytes] = []
    job = Engine._job

    def noted(self: Engine, request: Request) -> Any:
        shown.extend(self.piece(text) for text in (request.prompt, *request.corpus))
        return job(self, request)

    monkeypatch.setattr(Engine, "_job", noted)
    settings = Settings(context=2048, reviewer="prompt", threads=1)
    unit = unit_for(SECRET_CHANGE, SECRET_CHANGE.hunks[0], new_text(SECRET_CHANGE))
    with opener(settings, Silent())() as reviewer:
        list(reviewer.review([unit]))
        written = reviewer.described()["generated_tokens"]
    (file,) = (tmp_path / "cache" / "history").iterdir()
    assert file.suffix == ".ids"
    assert file.stat().st_mode & 0o077 == 0
    ids = _ids(file)
    assert len(ids) - ids.count(-1) in (written, int(str(written)) - 1)
    with opened_engine(settings, installed_pair(settings), print) as engine:
        text = engine.piece([token for token in ids if token >= 0]).decode("utf-8", "replace")
        assert len(engine._parts.drafting.history or ()) == len(ids)
    assert any(b"key = " in seen for seen in shown)
    assert not any(KEY.encode() in seen for seen in shown)
    assert KEY not in text
    assert KEY.encode() not in file.read_bytes()


def _ids(file: Path) -> list[int]:
    from array import array

    ids = array("i")
    ids.frombytes(file.read_bytes().partition(b"\n")[2])
    return list(ids)
