"""Real repositories with hooks, and a stand-in for the interpreter that a hook calls."""

import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

from lrc.install.script import RECORDERS

SECRET = (
    "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxq3Yn0uWmC8vT2kq7J1s\n-----END " + "RSA PRIVATE KEY-----\n"
)
"""Text that the secrets detector blocks without any model."""


class Repository:
    """A work tree in which tests commit as a user does."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def hooks(self) -> Path:
        """The default hooks directory."""
        return self.path / ".git" / "hooks"

    def git(
        self, *arguments: str, check: bool = True, env: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Runs git at the top, without a terminal; `env` is added to the environment."""
        return run("git", *arguments, cwd=self.path, check=check, env=env)

    def stage(self, name: str = "file.txt", text: str = "text\n") -> None:
        """Writes and stages one file."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.git("add", "--", name)

    def commit(
        self, *arguments: str, check: bool = True, env: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """`git commit -m message` with more arguments."""
        return self.git("commit", "-m", "message", *arguments, check=check, env=env)

    def commits(self) -> int:
        """How many commits the current branch has; 0 while it is unborn."""
        answer = self.git("rev-list", "--count", "HEAD", check=False)
        return int(answer.stdout) if answer.returncode == 0 else 0

    def hook(self, name: str, body: str, mode: int = 0o755) -> Path:
        """A foreign hook: a shell script with this body."""
        path = self.hooks / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(mode)
        return path


def run(
    *command: str, cwd: Path, check: bool = True, env: Mapping[str, str] | None = None, text: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Runs a command in a session of its own, so that it has no terminal at all; `text` is its standard input."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        input=text,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        start_new_session=True,
        timeout=900,
        check=False,
    )
    assert not check or done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done


def make(path: Path) -> Repository:
    """A fresh repository with one commit and no sample hooks."""
    path.mkdir(parents=True, exist_ok=True)
    run("git", "init", "--quiet", "--initial-branch=main", "--template=", str(path), cwd=path)
    repository = Repository(path)
    repository.hooks.mkdir()
    repository.stage("README", "first\n")
    repository.commit("--quiet", "--no-verify")
    return repository


def stand_in(path: Path, status: int = 0, says: str = "") -> Path:
    """An executable that takes the place of the recorded interpreter.

    It appends its arguments after the code (`hook NAME ...`) and its work directory to `PATH.log`, says something on
    standard error and ends with `status`; asked to run anything else (to find out whether it works) it ends with 0.
    """
    log = Path(f"{path}.log")
    words = f"printf '%s\\n' '{says}' >&2" if says else ":"
    path.write_text(
        f"#!/bin/sh\n[ \"$5\" = hook ] || exit 0\nshift 4\nprintf '%s\\n' \"$*\" >>'{log}'\n{words}\nexit {status}\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    log.touch()
    return path


def calls(path: Path) -> list[str]:
    """What a stand-in was called with, a line a call."""
    return Path(f"{path}.log").read_text(encoding="utf-8").splitlines()


def reviews(path: Path) -> list[str]:
    """The same without the hooks that review nothing and only record."""
    return [call for call in calls(path) if call.split(" ")[1] not in RECORDERS]


def snapshot(directory: Path) -> dict[str, tuple[str, int, bytes]]:
    """Everything below a directory: name to kind, mode and bytes (or link target)."""
    found = {}
    for path in sorted(directory.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            entry = ("link", mode, os.fsencode(path.readlink()))
        elif path.is_dir():
            entry = ("directory", mode, b"")
        else:
            entry = ("file", mode, path.read_bytes())
        found[str(path.relative_to(directory))] = entry
    return found
