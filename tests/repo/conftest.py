"""Repositories for the tests of this directory."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.repository import SampleRepository

RECORD_CHANGE = Path(__file__).parents[1] / "support" / "record_change.py"


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., SampleRepository]:
    """Makes an empty repository below `tmp_path`; arguments are those of `SampleRepository`."""

    def make(name: str = "repository", **arguments: object) -> SampleRepository:
        return SampleRepository(tmp_path / name, **arguments)  # type: ignore[arg-type]

    return make


@pytest.fixture
def sample(make_repo: Callable[..., SampleRepository], monkeypatch: pytest.MonkeyPatch) -> SampleRepository:
    """An empty repository that is also the current directory."""
    made = make_repo()
    monkeypatch.chdir(made.path)
    return made


class Recorder:
    """What the hooks of one repository saw, in order."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def watch(self, sample: SampleRepository, *hooks: str) -> None:
        """Installs hooks that write down the staged change."""
        for hook in hooks or ("pre-commit", "pre-merge-commit"):
            words = (sys.executable, str(RECORD_CHANGE), str(self.target), hook)
            sample.hook(hook, "exec " + " ".join(shlex.quote(word) for word in words) + "\n")

    @property
    def seen(self) -> list[dict[str, Any]]:
        """All that was written down."""
        return [json.loads(line) for line in self.target.read_text().splitlines()] if self.target.exists() else []

    @property
    def last(self) -> dict[str, Any]:
        """What the last hook saw; fails when none ran."""
        assert self.seen, "no hook ran"
        return self.seen[-1]

    @property
    def added(self) -> dict[str, list[str]]:
        """The added lines that the last hook saw, by path."""
        return {file["path"]: file["added"] for file in self.last["files"]}


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    """A record of what hooks see; `watch` a repository to fill it."""
    return Recorder(tmp_path / "seen.jsonl")
