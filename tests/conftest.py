"""Fixtures and guards shared by all tests: isolated homes, no outside network, the real pair on request."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

LOOPBACK = {"127.0.0.1", "::1", "localhost"}
DATA_DIR_OF_USER = os.environ.get("LRC_DATA_DIR")
HOME_OF_USER = os.environ.get("HOME", "")
XDG_DATA_OF_USER = os.environ.get("XDG_DATA_HOME")


class ReviewsNeverUseTheNetwork(RuntimeError):
    """Raised when a test opens a connection to anything but this machine."""


class ModelPair(NamedTuple):
    """The default pair's files on this machine."""

    target: Path
    draft: Path


def pytest_configure() -> None:
    """Ctrl-C means what it means in a terminal, also when a script runs the tests in the background: a shell then lets
    its children ignore it, and they would hand that on to every process that a test starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the one switch that rewrites golden files."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden output files")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """True when golden files are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def isolated_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home, no global git configuration, no LRC_* settings: nothing of the developer leaks in."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("GIT_", "LRC_", "PRE_COMMIT")) or name in {"SKIP", "NO_COLOR", "FORCE_COLOR"}:
            monkeypatch.delenv(name)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A. Uthor")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "author@example.org")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "C. Ommitter")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "committer@example.org")
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "0")
    return home


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections inside the test process reach this machine alone."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family in (socket.AF_INET, socket.AF_INET6) and host not in LOOPBACK:
            raise ReviewsNeverUseTheNetwork(f"a test tried to reach {host}; serve it on 127.0.0.1 instead")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


def _models_of_user() -> Path:
    """Where the developer's or CI's pair lies, read before the home is isolated."""
    if DATA_DIR_OF_USER:
        return Path(DATA_DIR_OF_USER) / "models"
    data = Path(XDG_DATA_OF_USER) if XDG_DATA_OF_USER else Path(HOME_OF_USER) / ".local" / "share"
    return data / "lrc" / "models"


@pytest.fixture
def pair(request: pytest.FixtureRequest) -> ModelPair:
    """The real pair, for tests marked `model` or `proof`; missing files fail, so that CI cannot pass without them."""
    if not {"model", "proof"} & {mark.name for mark in request.node.iter_markers()}:
        pytest.fail("a test that loads the real pair must be marked `model` (or `proof`)")
    models = _models_of_user()
    found = ModelPair(
        models / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", models / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    )
    missing = [path.name for path in found if not path.is_file()]
    if missing:
        pytest.fail(f"missing in {models}: {', '.join(missing)}; run `make model`")
    return found


@pytest.fixture
def pair_data_dir(pair: ModelPair, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The real data directory made visible to the code under test and to processes it starts."""
    directory = pair.target.parent.parent
    monkeypatch.setenv("LRC_DATA_DIR", str(directory))
    yield directory
