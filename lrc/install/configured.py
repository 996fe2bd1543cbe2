"""Hooks in git's configuration (git 2.54 and newer): no file in the hooks directory is touched.

They run before the hook in the hooks directory. A hook there that changes what is staged (a formatter) would do so
after the review, which is why hook files stay the default.
"""

import re
from pathlib import Path

from lrc.errors import EnvironmentFault
from lrc.install import beginning, files
from lrc.install.place import ask, find, tell
from lrc.install.script import HOOKS, RECORDERS, Script, interpreter

SINCE = (2, 54)
"""The first git whose configuration can name hooks (git-hook(1))."""
_NAMES = (*HOOKS, *RECORDERS)
_VERSION = re.compile(r"git version (\d+)\.(\d+)")


def git_version() -> tuple[int, int]:
    """Major and minor version of the git on PATH; (0, 0) when it does not say."""
    match = _VERSION.match(ask("version") or "")
    return (int(match[1]), int(match[2])) if match else (0, 0)


def supported(version: tuple[int, int]) -> bool:
    """Whether this git runs hooks that its configuration names."""
    return version >= SINCE


def settings(name: str) -> list[tuple[str, str]]:
    """The configuration of one hook. The friendly name differs from the event's, as git demands.

    The script is found through git each time, so a repository that was moved keeps its hook, and one whose script was
    deleted still commits. Git appends the hook's arguments to the command.
    """
    script = f'"$(git rev-parse --git-common-dir)"/lrc/{name}'
    return [
        (f"hook.lrc-{name}.event", name),
        (f"hook.lrc-{name}.command", f"test ! -f {script} || sh {script}"),
    ]


def install(start: Path | None = None, *, on_error: str = "") -> list[str]:
    """Names our hooks in the configuration of the repository around `start`; says in lines what was done.

    Raises EnvironmentFault when git is too old for it.
    """
    version = git_version()
    if not supported(version):
        raise EnvironmentFault(
            f"git {version[0]}.{version[1]} knows no hooks in its configuration; 2.54 does",
            "`lrc install` without --config-hooks writes hook files",
        )
    place = find(start)
    python = interpreter()
    directory = place.common / "lrc"
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(f"cannot make {directory}: {error.strerror}", "check its owner") from None
    for name in _NAMES:
        files.put_in(directory, Script(name, python, on_error=on_error))
        for key, value in settings(name):
            tell("config", "--local", "--replace-all", key, value, cwd=place.top)
    return [f"git's configuration of this repository runs lrc at {', '.join(_NAMES)}", *beginning.mark(place)]


def uninstall(start: Path | None = None) -> list[str]:
    """Takes our hooks out of the configuration; says what was done, nothing when there were none."""
    place = find(start)
    lines = []
    for name in _NAMES:
        if ask("config", "--local", "--get", f"hook.lrc-{name}.command", cwd=place.top) is not None:
            tell("config", "--local", "--remove-section", f"hook.lrc-{name}", cwd=place.top)
            lines.append(f"removed hook.lrc-{name} from the configuration")
    directory = place.common / "lrc"
    if lines and directory.is_dir():
        for name in _NAMES:
            files.take_out(directory, name)
        lines += beginning.forget(place)
        if directory.is_dir() and not any(directory.iterdir()):
            directory.rmdir()
    return lines
