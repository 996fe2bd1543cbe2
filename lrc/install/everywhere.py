"""`lrc install --global`: one hooks directory for all repositories, named by the user's `core.hooksPath`.

As soon as `core.hooksPath` is set, git no longer looks into a repository's own hooks directory. So ours has a hook of
every name, and each runs what git would have run without it: the repository's own hook, or the one of the directory
that `core.hooksPath` named before.
"""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from lrc.errors import EnvironmentFault
from lrc.install import files
from lrc.install.place import ask, tell
from lrc.install.script import HOOKS, Script, interpreter

EVERY_HOOK = (
    *HOOKS,
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "prepare-commit-msg", "commit-msg", "post-commit"),
    *("pre-rebase", "post-checkout", "post-merge", "pre-push", "post-rewrite", "pre-auto-gc"),
    *("pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout"),
    *("reference-transaction", "post-index-change", "sendemail-validate"),
    *("p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit"),
)
"""Every hook that git looks for in `core.hooksPath` (githooks(5) of git 2.55; fsmonitor-watchman is named by path)."""
_KEY = "core.hooksPath"


@dataclass(frozen=True, slots=True)
class Before:
    """What the user's configuration said before we changed it."""

    value: str
    """The raw value of `core.hooksPath` in the user's configuration; empty when it had none."""
    made_file: str
    """The configuration file that did not exist before; empty when it did."""


def hooks_directory() -> Path:
    """Where the hooks for all repositories are: below `LRC_DATA_DIR`, else the user's data directory."""
    if override := os.environ.get("LRC_DATA_DIR"):
        return Path(override).absolute() / "hooks"
    from platformdirs import user_data_path

    return user_data_path("lrc") / "hooks"


def install(*, on_error: str = "") -> list[str]:
    """Reviews every commit of every repository of this user; says in lines what was done.

    Doing it twice is the same as once. Raises EnvironmentFault when the file system or git refuses.
    """
    directory = hooks_directory()
    python = interpreter()
    value = ask("config", "--global", "--get", _KEY) or ""
    if value != str(directory):
        # The setting of the whole system is what git would run without ours, too.
        scopes = ("--global", "--system")
        previous = next((path for scope in scopes if (path := ask("config", scope, "--type=path", "--get", _KEY))), "")
        _make(directory)
        _remember(directory, Before(value, _missing_configuration()), previous)
    previous = _recall(directory)[1]
    for name in EVERY_HOOK:
        files.put_in(directory, Script(name, python, scope="global", on_error=on_error, previous=previous))
    if value != str(directory):
        tell("config", "--global", _KEY, str(directory))
    return [
        f"every repository is reviewed now: core.hooksPath is {directory}",
        f"hooks of {previous or 'each repository'} go on running first",
        "a repository with a core.hooksPath of its own (husky) needs `lrc install` in it",
    ]


def uninstall() -> list[str]:
    """Gives the user's configuration back as it was and removes the directory; says in lines what was done.

    A `core.hooksPath` that was changed since is left alone, and so is an edited hook (kept as `NAME.lrc-edited`).
    """
    directory = hooks_directory()
    if not directory.is_dir():
        return ["nothing of lrc is installed for all repositories"]
    before, _ = _recall(directory)
    lines = []
    value = ask("config", "--global", "--get", _KEY) or ""
    if value == str(directory):
        if before.value:
            tell("config", "--global", _KEY, before.value)
        else:
            tell("config", "--global", "--unset", _KEY)
        lines.append(f"core.hooksPath is again {before.value or 'not set'}")
        _remove_if_empty(before.made_file)
    elif value:
        lines.append(f"core.hooksPath was changed to {value} since, and stays")
    lines += [line for name in EVERY_HOOK if "edited" in (line := files.take_out(directory, name))]
    with contextlib.suppress(OSError):
        _record(directory).unlink()
        directory.rmdir()
    return [*lines, f"removed the hooks in {directory}"]


def _record(directory: Path) -> Path:
    return directory / "before.json"


def _remember(directory: Path, before: Before, previous: str) -> None:
    content = {"value": before.value, "made_file": before.made_file, "previous": previous}
    try:
        _record(directory).write_text(json.dumps(content), encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(f"cannot write in {directory}: {error.strerror}") from None


def _recall(directory: Path) -> tuple[Before, str]:
    """What was there before, and the hooks directory it meant; nothing when the note is lost."""
    try:
        content = json.loads(_record(directory).read_text(encoding="utf-8"))
        return Before(str(content["value"]), str(content["made_file"])), str(content["previous"])
    except (OSError, ValueError, KeyError, TypeError):
        return Before("", ""), ""


def _missing_configuration() -> str:
    """The user's configuration file that git is about to make; empty when there is one."""
    home = Path.home()
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    xdg = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "config"
    candidates = [Path(named)] if named else [home / ".gitconfig", xdg]
    return "" if any(path.exists() for path in candidates) else str(candidates[0])


def _remove_if_empty(made_file: str) -> None:
    if made_file:
        path = Path(made_file)
        with contextlib.suppress(OSError):
            if path.stat().st_size == 0:
                path.unlink()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(f"cannot make {directory}: {error.strerror}", "check the path and its owner") from None
