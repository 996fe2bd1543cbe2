"""The hook file: made from the shell template, and recognised again later."""

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lrc.errors import EnvironmentFault

HOOKS = ("pre-commit", "pre-merge-commit")
"""Git runs the second instead of the first when a merge has no conflicts."""
RECORDERS = ("prepare-commit-msg", "commit-msg", "post-commit", "post-merge", "post-rewrite")
"""What writes to the ledger what was committed, past the review too; the first two name a review in the message."""
ALL_HOOKS = (*HOOKS, *RECORDERS, "pre-push")
"""Every hook that may be installed; the last one on request."""
TEMPLATE = "hook.sh"
_BEGIN = b"# >>> lrc hook 1 >>>\n"
_END = b"# <<< lrc hook 1 <<<\n"
_DIGEST = re.compile(rb"^# digest: ([0-9a-f]{64})$", re.MULTILINE)
_MADE_DIRECTORY = b"# hooks directory: made by lrc\n"
_SHEBANG = b"#!/bin/sh\n"


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that differs between two hook files."""

    name: str
    """The hook's name as git knows it: `pre-commit`."""
    python: str
    """Path of the interpreter that has the package."""
    scope: str = "repository"
    """`repository`: the earlier hook is kept beside this one; `global`: it is what git would run without us."""
    on_error: str = ""
    """`warn` or `block` when chosen at installation; empty leaves it to the configuration."""
    previous: str = ""
    """Global scope only: the directory that `core.hooksPath` named before; empty when it named none."""
    made_directory: bool = False
    """Whether the hooks directory did not exist before."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a hook file of ours looks like today."""

    intact: bool
    """Whether our part is, byte for byte, what was written."""
    around: bytes
    """The file without our part."""
    made_directory: bool
    """Whether the hooks directory was made by the installation that wrote it."""

    @property
    def untouched(self) -> bool:
        """Whether nobody changed or added anything since the file was written."""
        return self.intact and self.around == _SHEBANG


def template() -> str:
    """The shell template: inside the installed package, or at the repository's top in a source checkout.

    Raises EnvironmentFault when the installation is incomplete.
    """
    package = Path(__file__).resolve().parent.parent
    for directory in (package / "_hooks", package.parent / "hooks"):
        if (directory / TEMPLATE).is_file():
            return (directory / TEMPLATE).read_text(encoding="utf-8")
    raise EnvironmentFault(f"the hook template {TEMPLATE} is missing from the installation", "install lrc again")


def interpreter() -> str:
    """This process's Python, after a check that it finds the package with no help from the environment.

    The hook starts it with -E and -P, so that neither PYTHONPATH nor the reviewed work tree can put another `lrc` or
    another `rich` in its way. Raises EnvironmentFault when the package is only found through PYTHONPATH.
    """
    probe = subprocess.run(
        (sys.executable, "-E", "-P", "-c", "import lrc"), capture_output=True, cwd=os.sep, check=False
    )
    if probe.returncode != 0:
        raise EnvironmentFault(
            f"{sys.executable} finds lrc through PYTHONPATH only, which a hook does not use",
            "install it into an environment: `pipx install lrc`",
        )
    return sys.executable


def render(script: Script) -> bytes:
    """The hook file's bytes, with LF line ends on every system: git runs it with a POSIX shell everywhere."""
    text = template()
    values = {
        "NAME": script.name,
        "SCOPE": script.scope,
        "PYTHON": script.python,
        "ON_ERROR": script.on_error,
        "PREVIOUS": script.previous,
    }
    for key, value in values.items():
        text = text.replace(f"'@{key}@'", _quoted(value))
    text = text.replace("@DIRECTORY@", "made by lrc" if script.made_directory else "was there")
    unsigned = os.fsencode(text)
    return unsigned.replace(b"@DIGEST@", _digest(unsigned).encode("ascii"))


def examine(content: bytes) -> Found | None:
    """What of ours is in a hook file; None when it is not ours."""
    begin, end = content.find(_BEGIN), content.find(_END)
    if begin < 0 or end < begin:
        return None
    block = content[begin : end + len(_END)]
    match = _DIGEST.search(block)
    unsigned = _SHEBANG + block
    if match:
        unsigned = unsigned.replace(match[1], b"@DIGEST@", 1)
    return Found(
        intact=match is not None and match[1].decode("ascii") == _digest(unsigned),
        around=content[:begin] + content[end + len(_END) :],
        made_directory=_MADE_DIRECTORY in block,
    )


def exchange(content: bytes, script: Script) -> bytes:
    """A hook file of ours with our part made anew and every line around it kept."""
    begin, end = content.index(_BEGIN), content.index(_END) + len(_END)
    return content[:begin] + render(script).removeprefix(_SHEBANG) + content[end:]


def _digest(unsigned: bytes) -> str:
    return hashlib.sha256(unsigned).hexdigest()


def _quoted(value: str) -> str:
    """`value` as one word of a POSIX shell; nothing in single quotes has a meaning but the quote itself."""
    return "'" + value.replace("'", "'\\''") + "'"
