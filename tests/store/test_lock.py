"""One engine at a time across processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lrc.store import lock
from lrc.store.lock import EngineBusy, engine_lock

HOLD = """
import sys, time
from pathlib import Path
from lrc.store.lock import engine_lock
with engine_lock(print, directory=Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def _holder(directory: Path) -> "subprocess.Popen[bytes]":
    """A process that holds the lock until its standard input is closed."""
    process = subprocess.Popen(
        (sys.executable, "-c", HOLD, str(directory)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.communicate(timeout=30)


def test_free_lock_is_taken_without_a_word(tmp_path: Path) -> None:
    """Nobody there: no message, and nothing but the lock file is left behind."""
    said: list[str] = []
    with engine_lock(said.append, directory=tmp_path / "cache"):
        pass
    with engine_lock(said.append, directory=tmp_path / "cache"):
        pass
    assert said == []
    assert {path.name for path in (tmp_path / "cache").iterdir()} <= {"engine.lock"}


def test_second_waits_and_says_for_whom(tmp_path: Path) -> None:
    """The second process says once whom it waits for, and goes on when the first is done."""
    process = _holder(tmp_path)
    said: list[str] = []

    def announce(text: str) -> None:
        said.append(text)
        assert process.stdin is not None
        process.stdin.close()

    with engine_lock(announce, limit=30, directory=tmp_path):
        assert process.wait(timeout=30) == 0
    assert len(said) == 1
    assert f"process {process.pid}" in said[0]
    assert str(Path.cwd()) in said[0]
    assert process.stdout is not None
    process.stdout.close()


def test_limit_ends_the_wait(tmp_path: Path) -> None:
    """After the limit there is a named error, and the first process keeps the lock."""
    process = _holder(tmp_path)
    began = time.monotonic()
    with (
        pytest.raises(EngineBusy, match="did not finish"),
        engine_lock(lambda text: None, limit=0.3, directory=tmp_path),
    ):
        pytest.fail("the lock was given twice")
    assert time.monotonic() - began < 10
    assert process.poll() is None
    _end(process)


def test_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    """A process killed in mid-review leaves no lock behind."""
    process = _holder(tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    _end(process)
    said: list[str] = []
    with engine_lock(said.append, limit=5, directory=tmp_path):
        assert said == []


def test_error_inside_frees_the_lock(tmp_path: Path) -> None:
    """Whatever ends the block frees the lock."""
    with pytest.raises(ZeroDivisionError), engine_lock(print, directory=tmp_path):
        raise ZeroDivisionError
    with engine_lock(lambda text: pytest.fail(text), limit=1, directory=tmp_path):
        pass


def test_many_processes_never_overlap(tmp_path: Path) -> None:
    """Eight processes at once: each one has the engine alone."""
    program = """
import sys, time
from pathlib import Path
from lrc.store.lock import engine_lock
place = Path(sys.argv[1])
with engine_lock(lambda text: None, limit=60, directory=place):
    (place / "inside").mkdir()
    time.sleep(0.02)
    (place / "inside").rmdir()
"""
    running = [subprocess.Popen((sys.executable, "-c", program, str(tmp_path))) for _ in range(8)]
    assert [process.wait(timeout=60) for process in running] == [0] * 8


def test_no_place_for_a_lock_is_no_reason_to_stop(tmp_path: Path) -> None:
    """Without a writable cache directory the review goes on unlocked."""
    (tmp_path / "file").write_text("")
    with engine_lock(lambda text: pytest.fail(text), directory=tmp_path / "file" / "below"):
        done = True
    assert done


def test_cache_directory_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`LRC_CACHE_DIR` moves it; by default it is the user's cache, not the repository."""
    monkeypatch.setenv("LRC_CACHE_DIR", str(tmp_path))
    assert lock.cache_directory() == tmp_path
    monkeypatch.delenv("LRC_CACHE_DIR")
    assert lock.cache_directory().is_relative_to(Path(os.environ["HOME"]))
