"""`lrc model`: what it says, where it says it, and its exit codes."""

import io
import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from lrc.cli import watch
from lrc.cli.app import run_app
from lrc.cli.boundary import guarded
from lrc.models.machine import Memory
from tests.support.gguf_files import TOKENS, write_gguf


class Said(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory."""
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A target of the user's own."""
    return write_gguf(tmp_path / "mine.gguf", values=500)


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    """A draft that fits it."""
    return write_gguf(tmp_path / "small.gguf")


def lrc(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run the command line in this process."""
    code = guarded(lambda: run_app(arguments))
    captured = capsys.readouterr()
    return Said(code, captured.out, captured.err)


def test_list_of_nothing_says_how_to_get_one(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a model the list is empty, which is no error, and the way out is told."""
    said = lrc(capsys, "model", "list")
    assert (said.code, said.out) == (0, "")
    assert "`lrc model pull` brings the default pair" in said.err
    assert json.loads(lrc(capsys, "model", "list", "--format", "json").out) == {"version": 1, "models": []}


def test_use_says_what_is_in_use(data_dir: Path, target: Path, draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The chosen pair is shown with quantisation, size and hash, and listed as in use from then on."""
    said = lrc(capsys, "model", "use", "--target", str(target), "--draft", str(draft))
    assert said.code == 0
    assert [line.split()[:2] for line in said.out.splitlines()] == [["target", str(target)], ["draft", str(draft)]]
    assert "qwen2 Q4_K_M" in said.out
    rows = lrc(capsys, "model", "list").out.splitlines()
    assert rows[0].split("  ")[0] == "in use as"
    assert [row.split()[:2] for row in rows[1:3]] == [["target", "mine.gguf"], ["draft", "small.gguf"]]


def test_use_without_a_draft(data_dir: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A target alone is a choice."""
    said = lrc(capsys, "model", "use", "--target", str(target))
    assert (said.code, said.out.splitlines()[-1]) == (0, "draft   none")


def test_draft_that_does_not_fit_is_told(
    data_dir: Path, target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mismatch names both sides; the choice stands and reviews without the draft."""
    other = write_gguf(tmp_path / "other.gguf", tokens=("x",) * len(TOKENS))
    said = lrc(capsys, "model", "use", "--target", str(target), "--draft", str(other))
    assert said.code == 0
    assert "going on without the draft model: other.gguf does not fit mine.gguf" in said.err
    assert "'token5'" in said.err and "'x'" in said.err


@pytest.mark.parametrize("name", ["nowhere.gguf", "ollama:nothing", "default"])
def test_use_of_what_is_not_there(data_dir: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that is not there: exit 4, one line and a way out."""
    said = lrc(capsys, "model", "use", "--target", name)
    assert (said.code, said.out) == (4, "")
    assert said.err.startswith("lrc: ")
    assert len(said.err.splitlines()) == 2


def test_use_takes_its_names_from_the_environment(
    data_dir: Path, target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every flag has its variable."""
    monkeypatch.setenv("LRC_TARGET", str(target))
    assert lrc(capsys, "model", "use").code == 0


def test_use_warns_when_memory_is_short(
    data_dir: Path, target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pair that is too large for the free memory may be chosen, but not without a word."""
    monkeypatch.setattr("lrc.models.machine.available_memory", lambda: Memory(1000, True, "machine"))
    said = lrc(capsys, "model", "use", "--target", str(target))
    assert said.code == 0
    assert "of memory, 1 kB are free" in said.err


def test_names_inside_a_file_do_not_move_the_cursor(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text out of a model file is shown without control characters."""
    hostile = write_gguf(tmp_path / "m.gguf", general__architecture="\x1b[2J\nqwen2")
    said = lrc(capsys, "model", "use", "--target", str(hostile))
    assert "\x1b" not in said.out + said.err
    assert len(said.out.splitlines()) == 2


def test_verify_tells_sound_from_damaged(
    data_dir: Path, target: Path, draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are hashed anew: 0 while all are what they were, 4 and the name when one is not."""
    lrc(capsys, "model", "use", "--target", str(target), "--draft", str(draft))
    assert lrc(capsys, "model", "verify").code == 0
    content = bytearray(target.read_bytes())
    content[-1] ^= 1
    target.write_bytes(content)
    said = lrc(capsys, "model", "verify")
    assert said.code == 4
    assert "mine.gguf  FAIL" in said.out
    assert "small.gguf  ok" in said.out


def test_verify_as_json(data_dir: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output is the JSON alone, with the fresh hash."""
    lrc(capsys, "model", "use", "--target", str(target))
    target.write_bytes(target.read_bytes()[:-5])
    said = lrc(capsys, "model", "verify", "--format", "json")
    (model,) = json.loads(said.out)["models"]
    assert (said.code, model["ok"]) == (4, False)
    assert "cut short" in model["fault"]
    assert said.err == ""


@pytest.mark.parametrize(
    "arguments", [("pull", "--source", "ftp"), ("list", "--format", "xml"), ("verify", "--format", "xml"), ("use",)]
)
def test_wrong_usage(data_dir: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """A value that does not exist, or a missing one, is exit 2 before anything is done."""
    said = lrc(capsys, "model", *arguments)
    assert said.code == 2
    assert said.err
    assert not data_dir.exists()


def test_lines_instead_of_bars_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """In a pipe each task is one line, plus a quarter now and then; no control characters."""
    with watch.watcher() as seen:
        seen.begin("target model", 4_000_000_000)
        for done in range(0, 4_000_000_001, 1_000_000):
            seen.at(done)
        seen.end()
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "target model: 4.00 GB\n")


def test_quarters_are_told_when_they_take_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that takes longer tells its quarters, each once."""
    monkeypatch.setattr(watch, "_SECONDS_APART", -1.0)
    with watch.watcher() as seen:
        seen.begin("t", 100)
        for done in (10, 26, 27, 80, 20, 100):
            seen.at(done)
    assert capsys.readouterr().err.splitlines() == ["t: 100 B", "t: 25 %", "t: 75 %"]


def test_bars_on_a_real_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets a bar while the task runs and keeps the notes."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with watch.watcher() as seen:
        seen.begin("target model", 1_000_000)
        seen.at(500_000)
        seen.note("a part came")
        seen.end()
    assert "a part came" in terminal.getvalue()
    assert "\x1b[" in terminal.getvalue()


@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("PRE_COMMIT", "1")])
def test_no_bars_where_they_would_be_noise(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dumb terminal and the pre-commit framework get lines."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv(name, value)
    assert isinstance(watch.watcher(), watch.Lines)


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (4096, "4 kB"), (491_400_064, "491 MB"), (1_117_320_768, "1.12 GB")]
)
def test_sizes_as_people_read_them(count: int, text: str) -> None:
    """Bytes are shown in powers of ten."""
    assert watch.size(count) == text
