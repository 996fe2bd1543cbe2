"""The only place that starts git: argument lists, settings pinned, nothing written, nothing fetched."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lrc.errors import EnvironmentFault, LrcError
from lrc.patch import raw_of

PINS = (
    "core.quotePath=false",
    "core.fsmonitor=false",  # the setting may name a program
    "core.warnAmbiguousRefs=true",
    "color.ui=false",
    "color.diff=false",
    "diff.algorithm=default",
    "diff.context=3",
    "diff.interHunkContext=0",
    "diff.noPrefix=false",
    "diff.mnemonicPrefix=false",
    "diff.srcPrefix=a/",
    "diff.dstPrefix=b/",
    "diff.relative=false",
    "diff.renames=true",
    "diff.submodule=short",
    "diff.ignoreSubmodules=none",
    "diff.suppressBlankEmpty=false",
    "diff.wsErrorHighlight=none",
    "diff.colorMoved=no",
    "diff.dirstat=changes",
    "diff.autoRefreshIndex=false",
    "core.pager=cat",
)
"""Settings that change what git prints, forced to git's own defaults; the user may have set any of them."""

_DROPPED = frozenset(
    {
        "GIT_DIFF_OPTS",  # overrides -U even in plumbing
        "GIT_EXTERNAL_DIFF",
        "GIT_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_REPLACE_REF_BASE",
        "LANGUAGE",
        "LC_MESSAGES",
    }
)
FORCED = {
    "GIT_OPTIONAL_LOCKS": "0",  # during a commit the index is locked by git itself
    "GIT_NO_LAZY_FETCH": "1",  # git 2.45 and newer
    "GIT_ALLOW_PROTOCOL": "none",  # older git: a lazy fetch finds no transport it may use
    "GIT_NO_REPLACE_OBJECTS": "1",  # what is recorded, not what a local replacement shows
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
"""The environment of every git: nothing locked, nothing fetched, nothing asked, messages in English."""

_REPOSITORY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INTERNAL_SUPER_PREFIX",
)


_LACKING = ("unable to read", "could not fetch", "bad object", "missing", "bad tree object", "could not read")
_FETCH_HINT = "this clone may lack objects: try `git fetch --refetch` or `git fetch --unshallow`, then `git fsck`"
_FSCK_HINT = "run `git fsck` to see whether the repository is sound"


class GitFailure(EnvironmentFault):
    """git ended with an error; the message is the first line of what it said."""

    def __init__(self, command: str, stderr: bytes, returncode: int) -> None:
        self.reason = reason_of(stderr) or f"exit status {returncode}"
        self.returncode = returncode
        lacking = any(words in self.reason.lower() for words in _LACKING)
        super().__init__(f"git {command} failed: {self.reason}", _FETCH_HINT if lacking else _FSCK_HINT)


def reason_of(stderr: bytes) -> str:
    """The line of git's complaint that says what is wrong, printable and at most 300 characters; may be empty."""
    lines = [line for line in stderr.decode("utf-8", "replace").split("\n") if line.strip()]
    chosen = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
    text = chosen.removeprefix("fatal:").removeprefix("error:").strip()
    return "".join(char if char.isprintable() else "�" for char in text)[:300]


def own_environment(environment: Mapping[str, str], *, foreign: bool) -> dict[str, str]:
    """The environment for reading a repository.

    A `foreign` repository (named by a path) must not inherit what names another one; the repository of the hook that
    runs us must: GIT_INDEX_FILE tells which index is about to be committed.
    """
    dropped = _DROPPED.union(_REPOSITORY) if foreign else _DROPPED
    kept = {
        name: value
        for name, value in environment.items()
        if name not in dropped and not name.startswith("GIT_TRACE")  # writes between what we read
    }
    return kept | FORCED


@dataclass(frozen=True, slots=True)
class Git:
    """How git is started for one repository."""

    directory: Path
    """The directory that commands run in."""
    environment: Mapping[str, str]
    program: str

    @classmethod
    def find(cls, directory: Path, environment: Mapping[str, str]) -> "Git":
        """git as PATH has it; raises `EnvironmentFault` when there is none."""
        program = shutil.which("git", path=environment.get("PATH"))
        if program is None:
            raise EnvironmentFault("git is not on PATH", "install git, or put its directory on PATH")
        return cls(directory, environment, program)

    def with_environment(self, **changes: str) -> "Git":
        """The same with some variables set."""
        return Git(self.directory, {**self.environment, **changes}, self.program)

    def at(self, directory: Path) -> "Git":
        """The same in another directory."""
        return Git(directory, self.environment, self.program)

    def command(self, arguments: Sequence[str], pins: Sequence[str] = PINS) -> list[bytes]:
        """The argument list of a git command with some settings forced.

        Paths in arguments are those of `lrc.patch.path_of`, so they are given back as the bytes that git named,
        whatever encoding the locale has for file names.
        """
        words = ["--no-pager", *(part for pin in pins for part in ("-c", pin)), *arguments]
        return [os.fsencode(self.program), *map(raw_of, words)]

    def ask(self, *arguments: str, feed: bytes = b"", pins: Sequence[str] = PINS) -> subprocess.CompletedProcess[bytes]:
        """Runs a command to its end, whatever its exit status; raises `EnvironmentFault` when it cannot start."""
        try:
            return subprocess.run(
                self.command(arguments, pins),
                cwd=self.directory,
                env=dict(self.environment),
                input=feed,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise EnvironmentFault(
                f"git could not be started in {self.directory}: {error.strerror}", "check the directory and PATH"
            ) from None

    def read(self, *arguments: str, feed: bytes = b"", pins: Sequence[str] = PINS) -> bytes:
        """What a command prints; raises `GitFailure` when it fails."""
        done = self.ask(*arguments, feed=feed, pins=pins)
        if done.returncode:
            raise GitFailure(arguments[0], done.stderr, done.returncode)
        return done.stdout

    @contextmanager
    def stream(self, *arguments: str, pins: Sequence[str] = ()) -> Iterator[Callable[[int], bytes]]:
        """What a command prints while it runs, as a `read(n)` function: at most n bytes, b"" at the end.

        `pins` are settings to force besides `PINS`. Leaving early ends the command. The end of the block raises
        `GitFailure` when the command failed, also in place of the `LrcError` of a reader whose data broke off.
        """
        # Standard error goes to a file: a full pipe that nobody reads would stop git.
        with tempfile.TemporaryFile() as complaints:
            process = self.start(*arguments, pins=pins, stdin=subprocess.DEVNULL, stderr=complaints)
            assert process.stdout is not None  # noqa: S101 - asked for with PIPE in start()
            try:
                yield process.stdout.read1  # type: ignore[attr-defined]
                while process.stdout.read(1 << 16):
                    continue  # a command that is not read to its end fails with a broken pipe
                if process.wait():
                    raise _failure(arguments[0], complaints, process)
            except GitFailure:
                raise
            except LrcError as error:
                # Output that breaks off is no malformed output when the command died.
                with suppress(subprocess.TimeoutExpired):
                    if process.wait(timeout=1) > 0:
                        raise _failure(arguments[0], complaints, process) from error
                raise
            finally:
                stop(process)

    def start(
        self,
        *arguments: str,
        pins: Sequence[str] = (),
        stdin: int = subprocess.PIPE,
        stderr: int | IO[bytes] = subprocess.DEVNULL,
    ) -> "subprocess.Popen[bytes]":
        """A running command whose output is a pipe; the caller ends it with `stop`."""
        try:
            return subprocess.Popen(
                self.command(arguments, (*PINS, *pins)),
                cwd=self.directory,
                env=dict(self.environment),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise EnvironmentFault(f"git could not be started: {error.strerror}", "check PATH") from None


def _failure(command: str, complaints: IO[bytes], process: "subprocess.Popen[bytes]") -> GitFailure:
    """The error of an ended command whose standard error went to a file."""
    complaints.seek(0)
    return GitFailure(command, complaints.read(1 << 16), process.returncode)


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process and closes its pipes; leaves no zombie and no descriptor."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                continue  # a broken pipe on the last flush: the other side is gone already
    if process.poll() is None:
        try:
            process.wait(timeout=0.2)  # with its pipes closed git ends by itself
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
