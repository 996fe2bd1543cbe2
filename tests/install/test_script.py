"""The hook file: rendering and recognition."""

import subprocess
from pathlib import Path

import pytest

from lrc.install import script
from lrc.install.script import Script

ODD_PATHS = [
    "/usr/bin/python3",
    "/home/a user/venv/bin/python",
    "/home/o'neil/bin/python",
    '/srv/"quoted"/python',
    "/srv/$HOME/`id`/py;thon",
    "/home/jürgen/зависимости/python",
    "/srv/\udcff/python",
    "/srv/back\\slash/python",
]


@pytest.mark.parametrize("python", ODD_PATHS)
def test_any_path_survives_the_shell(python: str, tmp_path: Path) -> None:
    """Whatever the interpreter's path holds, the shell reads back exactly that."""
    assignment = next(
        line for line in script.render(Script("pre-commit", python)).splitlines() if line.startswith(b"lrc_python=")
    )
    shown = subprocess.run(
        ("sh", "-c", assignment + b'\nprintf %s "$lrc_python"'), capture_output=True, cwd=tmp_path, check=True
    )
    assert shown.stdout == python.encode("utf-8", "surrogateescape")


def test_rendered_hook_is_plain_shell() -> None:
    """The hook has LF line ends, a shebang, no placeholder left, and parses in a POSIX shell."""
    content = script.render(Script("pre-merge-commit", "/usr/bin/python3", on_error="block"))
    assert content.startswith(b"#!/bin/sh\n")
    assert b"\r" not in content
    assert b"@" not in content.replace(b'"$@"', b"")
    subprocess.run(("sh", "-n"), input=content, check=True)


def test_fresh_hook_is_recognised_as_untouched() -> None:
    """What was just written is ours, intact, with nothing around it."""
    found = script.examine(script.render(Script("pre-commit", "/odd/'@DIGEST'/python")))
    assert found is not None
    assert found.untouched


def test_foreign_hook_is_not_ours() -> None:
    """A hook of somebody else is not recognised, even when it calls us."""
    assert script.examine(b'#!/bin/sh\n# lrc hook 1\nlrc hook pre-commit "$@"\n') is None


def test_a_changed_line_is_noticed() -> None:
    """An edit inside our part makes it no longer intact."""
    content = script.render(Script("pre-commit", "/usr/bin/python3"))
    found = script.examine(content.replace(b"/usr/bin/python3", b"/opt/python3"))
    assert found is not None
    assert not found.intact


def test_lines_around_are_told_apart() -> None:
    """Lines before and after our part leave it intact and are given back without it."""
    content = script.render(Script("pre-commit", "/usr/bin/python3"))
    found = script.examine(content.replace(b"#!/bin/sh\n", b"#!/bin/sh\necho before\n", 1) + b"echo after\n")
    assert found is not None
    assert found.intact
    assert not found.untouched
    assert found.around == b"#!/bin/sh\necho before\necho after\n"


def test_exchange_keeps_the_lines_around() -> None:
    """Making our part anew changes only our part."""
    old = script.render(Script("pre-commit", "/old/python")) + b"echo after\n"
    new = script.exchange(old, Script("pre-commit", "/new/python"))
    assert new == script.render(Script("pre-commit", "/new/python")) + b"echo after\n"
