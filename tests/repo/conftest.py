"""Repositories for the tests of this directory."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import SampleRepository


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
