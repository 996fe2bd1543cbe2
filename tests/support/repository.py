"""Real git repositories for tests, built in temporary directories.

The process environment is isolated by the fixture `isolated_home`; a repository made here adds nothing to it.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

WITH_FILES = ("-c", "protocol.file.allow=always")
"""What lets git clone from, and add submodules of, a directory on this machine."""


class SampleRepository:
    """A repository with a work tree that a test changes with plain git commands."""

    def __init__(self, path: Path, *, branch: str = "main", init: bool = True, arguments: tuple[str, ...] = ()) -> None:
        self.path = path
        if init:
            path.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", f"--initial-branch={branch}", *arguments)

    def git(self, *arguments: str, feed: bytes = b"", check: bool = True, env: Mapping[str, str] | None = None) -> str:
        """What `git ARGUMENTS` prints in this repository; fails the test when git fails and `check` is on."""
        done = subprocess.run(
            ["git", *WITH_FILES, *arguments],
            cwd=self.path,
            input=feed,
            capture_output=True,
            check=False,
            env={**os.environ, **(env or {})},
        )
        text = done.stdout.decode("utf-8", "surrogateescape")
        assert done.returncode == 0 or not check, f"git {arguments}: {done.stderr.decode('utf-8', 'replace')}"
        return text.removesuffix("\n")

    def write(self, name: str | bytes, content: str | bytes = "") -> Path:
        """Writes a file of the work tree, with its directories; text is UTF-8 and its newlines stay as they are."""
        path = self.path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def stage(self, files: Mapping[str, str | bytes] | None = None, /, **more: str | bytes) -> None:
        """Writes files, if any, and adds everything that the work tree holds to the index."""
        for name, content in {**(files or {}), **more}.items():
            self.write(name, content)
        self.git("add", "--all")

    def commit(self, message: str = "change", files: Mapping[str, str | bytes] | None = None) -> str:
        """Stages files, commits what is staged and gives the commit's name; an empty commit is allowed."""
        if files is not None:
            self.stage(files)
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        """Object name of the commit that HEAD names."""
        return self.git("rev-parse", "HEAD")

    def hook(self, name: str, script: str) -> Path:
        """Writes a hook: an executable shell script with the given body."""
        path = Path(self.git("rev-parse", "--path-format=absolute", "--git-path", "hooks")) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return path

    def conflict(self, name: str, base: str, ours: str, theirs: str, *, branch: str = "topic") -> None:
        """Leaves a merge of `branch` stopped at a conflict in one file; MERGE_HEAD is there."""
        self.commit("base", {name: base})
        self.git("checkout", "--quiet", "-b", branch)
        self.commit("theirs", {name: theirs})
        self.git("checkout", "--quiet", "-")
        self.commit("ours", {name: ours})
        self.git("merge", branch, check=False)
