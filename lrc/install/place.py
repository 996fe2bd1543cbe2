"""Where git looks for hooks, asked of git itself."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lrc.errors import EnvironmentFault


@dataclass(frozen=True, slots=True)
class Place:
    """A repository's hook surroundings."""

    top: Path
    """Top of the work tree; git runs hooks there."""
    common: Path
    """The git directory that all linked work trees share."""
    hooks: Path
    """The directory whose hooks git runs."""
    hooks_path: str
    """The value of `core.hooksPath`, empty when it is not set."""
    hooks_path_scope: str
    """Whose setting that is: `local`, `worktree`, `global`, `system`, `command`; empty when it is not set."""

    @property
    def for_everyone(self) -> bool:
        """Whether `core.hooksPath` is set, but not by this repository."""
        return bool(self.hooks_path) and self.hooks_path_scope not in ("local", "worktree")


def ask(*arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str | None:
    """What git prints for a question, without the last newline; None when git says no.

    Raises EnvironmentFault when there is no git. Paths keep bytes that are not UTF-8 (surrogate escapes).
    """
    answer = _git(arguments, cwd, env)
    return os.fsdecode(answer.stdout).removesuffix("\n") if answer.returncode == 0 else None


def tell(*arguments: str, cwd: Path | None = None) -> None:
    """Lets git change its configuration; EnvironmentFault with git's own reason when it refuses."""
    answer = _git(arguments, cwd, None)
    if answer.returncode != 0:
        raise EnvironmentFault(f"git {arguments[0]} failed: {_reason(answer)}")


def find(start: Path | None = None) -> Place:
    """The hook surroundings of the repository around `start` (default: the current directory).

    Raises EnvironmentFault without a repository, in a bare one, and when git refuses to work here.
    """
    start = start or Path.cwd()
    answer = _git(("rev-parse", "--is-bare-repository", "--git-common-dir"), start, None)
    if answer.returncode != 0:
        reason = _reason(answer)
        if "not a git repository" in reason:
            raise EnvironmentFault(f"not a git repository: {start}", "go to one, or use `lrc install --global`")
        raise EnvironmentFault(f"git does not work here: {reason}")
    bare, common = os.fsdecode(answer.stdout).removesuffix("\n").split("\n", 1)
    top = ask("rev-parse", "--show-toplevel", cwd=start)
    if bare == "true" or not top:
        raise EnvironmentFault(
            "no commit is made in a bare repository, so there is no hook to install", "install in a work tree of it"
        )
    # A relative core.hooksPath counts from where hooks run, which is the top of the work tree.
    hooks = Path(top, ask("rev-parse", "--git-path", "hooks", cwd=Path(top)) or ".git/hooks")
    scope, _, value = (
        ask("config", "--show-scope", "--type=path", "--get", "core.hooksPath", cwd=start) or ""
    ).partition("\t")
    return Place(Path(top), (start / common).resolve(), hooks, value, scope)


def _git(
    arguments: tuple[str, ...], cwd: Path | None, env: Mapping[str, str] | None
) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            ("git", *arguments),
            cwd=cwd,
            # Git's own words are matched above: they must be the untranslated ones.
            env={**(os.environ if env is None else env), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise EnvironmentFault(f"git cannot be run: {error.strerror}", "install git, or put it on PATH") from None


def _reason(answer: "subprocess.CompletedProcess[bytes]") -> str:
    lines = answer.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"status {answer.returncode}"
