"""The Hub as a source: its own client against a real server on this machine."""

import time
from pathlib import Path

import pytest

from lrc.models.catalogue import Entry
from lrc.models.faults import SourceFailed
from lrc.models.sources.hub import Hub
from tests.models.conftest import Heard
from tests.support.model_servers import Served


@pytest.fixture
def near(hub: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    """The running Hub, for the client in this process as well."""
    point_client_at(hub.url, monkeypatch)
    return hub


def point_client_at(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `HF_ENDPOINT` does before the client is imported."""
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", url)
    template = f"{url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)


def test_file_comes_with_progress(
    near: Served, contents: dict[Entry, bytes], target_entry: Entry, tmp_path: Path, heard: Heard
) -> None:
    """The file is the Hub's, and the listener hears of its last byte."""
    brought = Hub().fetch(target_entry, tmp_path, heard)
    assert brought.read_bytes() == contents[target_entry]
    assert heard.most == target_entry.bytes


def test_nothing_is_left_after_discarding(near: Served, target_entry: Entry, tmp_path: Path, heard: Heard) -> None:
    """The client's own records go with the file."""
    Hub().fetch(target_entry, tmp_path / "work", heard)
    Hub().discard(target_entry, tmp_path / "work")
    assert list((tmp_path / "work").iterdir()) == []


def test_missing_file_is_one_line(near: Served, target_entry: Entry, tmp_path: Path, heard: Heard) -> None:
    """A repository or file that the Hub does not have is told with its address."""
    near.files.clear()
    with pytest.raises(SourceFailed, match="404") as raised:
        Hub().fetch(target_entry, tmp_path, heard)
    assert "\n" not in raised.value.message


def test_nobody_there_is_told_in_seconds(
    target_entry: Entry, tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a connection the client's long retries are not waited for."""
    point_client_at("http://127.0.0.1:9", monkeypatch)
    begun = time.monotonic()
    with pytest.raises(SourceFailed, match="not reachable"):
        Hub().fetch(target_entry, tmp_path, heard)
    assert time.monotonic() - begun < 15
