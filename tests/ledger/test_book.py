"""The ledger's file: appended by many, torn by crashes, read by older and newer programs."""

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from lrc.ledger import book as module
from lrc.ledger.book import Book


def test_events_come_back_in_order(tmp_path: Path) -> None:
    """What is appended is read again, oldest first, with its time; a repository without a ledger has none."""
    book = Book(tmp_path)
    assert not book.exists()
    assert book.entries() == list(book.newest_first()) == []
    for number in range(3):
        book.append("review", id=str(number), name="caf\udce9 \u2028")
    assert [entry["id"] for entry in book.entries()] == ["0", "1", "2"]
    assert list(book.newest_first()) == book.entries()[::-1]
    assert book.entries()[0]["name"] == "caf\udce9 \u2028"
    assert all(entry["at"] > 0 and entry["v"] == module.VERSION for entry in book.entries())


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    """The file and its directory are nobody else's."""
    book = Book(tmp_path)
    book.append("review")
    assert stat.S_IMODE(book.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(book.path.parent.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("torn", [b'{"v":1,"event":"rev', b"\x00\x00\x00", b"\xff\xfe", b'{"v":1,"at":5,"event":"x"}'])
def test_torn_last_line_is_ignored_and_ended(torn: bytes, tmp_path: Path) -> None:
    """A line that a crash cut off is not read, costs no other line, and stays where it is."""
    book = Book(tmp_path)
    book.append("review", id="before")
    with book.path.open("ab") as file:
        file.write(torn)
    book.append("review", id="after")
    assert [entry["id"] for entry in book.entries() if "id" in entry] == ["before", "after"]
    assert torn + b"\n" in book.path.read_bytes()


@pytest.mark.parametrize(
    "line", ['{"v":99,"event":"review","at":1}', "[]", '"text"', "7", '{"v":1}', '{"v":1,"at":"x"}']
)
def test_foreign_lines_are_passed_over(line: str, tmp_path: Path) -> None:
    """A line of a newer version, or of no shape we know, is left alone and read by nobody."""
    book = Book(tmp_path)
    book.append("commit", id="known")
    with book.path.open("a") as file:
        file.write(line + "\n")
    book.append("commit", id="also")
    assert [entry["id"] for entry in book.entries()] == ["known", "also"]
    assert line in book.path.read_text()


def test_above_the_limit_the_older_half_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file never grows past its limit, keeps the newest lines whole, and says that it was cut."""
    monkeypatch.setattr(module, "MOST_BYTES", 5000)
    book = Book(tmp_path)
    for number in range(500):
        book.append("review", n=number)
        assert book.path.stat().st_size <= 5000
    entries = book.entries()
    assert entries[0]["event"] == "cut"
    assert [entry["n"] for entry in entries[1:]] == list(range(501 - len(entries), 500))
    assert sorted(path.name for path in book.path.parent.iterdir()) == [module.FILE]


def test_many_processes_lose_nothing_also_while_it_is_shortened(tmp_path: Path) -> None:
    """Writers at once: every line is whole, and of what was kept none is missing in between."""
    program = (
        "import sys; from pathlib import Path; from lrc.ledger import book\n"
        "book.MOST_BYTES = int(sys.argv[3])\n"
        "for n in range(150): book.Book(Path(sys.argv[1])).append('review', who=sys.argv[2], n=n, pad='x' * 200)"
    )

    def write(limit: int, place: Path) -> list[dict[str, object]]:
        running = [
            subprocess.Popen((sys.executable, "-c", program, str(place), str(who), str(limit))) for who in range(4)
        ]
        assert [process.wait(timeout=60) for process in running] == [0] * 4
        content = Book(place).path.read_bytes()
        assert [line for line in content.split(b"\n")[:-1] if not json.loads(line)] == []
        return Book(place).entries()

    assert len(write(module.MOST_BYTES, tmp_path / "whole")) == 600
    entries = [entry for entry in write(40_000, tmp_path / "cut") if entry["event"] == "review"]
    for who in range(4):
        numbers = [entry["n"] for entry in entries if entry["who"] == str(who)]
        assert numbers == list(range(150 - len(numbers), 150))
    assert entries


def test_a_writer_that_hangs_delays_nobody_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody holds the lock and does not let go: the line is written all the same, after a moment."""
    fcntl = pytest.importorskip("fcntl", reason="a system without these locks waits for nobody")
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.1)
    book = Book(tmp_path)
    book.append("review", id="first")
    holder = os.open(book.path, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        book.append("review", id="second")
    finally:
        os.close(holder)
    assert [entry["id"] for entry in book.entries()] == ["first", "second"]


def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A file where the directory should be: OSError, which the caller turns into one line."""
    (tmp_path / module.DIRECTORY).write_text("in the way")
    with pytest.raises(OSError):
        Book(tmp_path).append("review")
    assert Book(tmp_path).entries() == []


def test_full_disk_is_an_error_and_costs_no_other_line(tmp_path: Path) -> None:
    """A line that does not fit is reported, and what was written of it spoils nothing once there is room again."""
    pytest.importorskip("resource", reason="a system without limits for a process")
    program = (
        "import resource, sys; from pathlib import Path; from lrc.ledger.book import Book\n"
        "book = Book(Path(sys.argv[1])); book.append('review', n=1)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (book.path.stat().st_size + 20,) * 2)\n"
        "try: book.append('review', n=2)\n"
        "except OSError as error: print(error.strerror)"
    )
    done = subprocess.run((sys.executable, "-c", program, str(tmp_path)), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == os.strerror(errno.ENOSPC)
    book = Book(tmp_path)
    assert not book.path.read_bytes().endswith(b"\n")
    book.append("review", n=3)
    assert [entry["n"] for entry in book.entries()] == [1, 3]
