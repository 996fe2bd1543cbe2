"""Hunks that need no reviewer."""

import pytest

from lrc.trivial import COMMENTS, WHITE_SPACE, trivial
from tests.support.changes import hunk

CODE = {
    "indentation is meaning in Python": ("a.py", ["-    return 1", "+return 1"]),
    "operator changed": ("a.py", ["-a = b + 1", "+a = b - 1"]),
    "blank inside a string": ("a.js", ['-s = "a b"', '+s = "a  b"']),
    "code commented out": ("a.py", ["-check()", "+# check()"]),
    "comment next to a changed line": ("a.py", ["+# why", "+a = 2"]),
    "linter directive": ("a.py", ["-# plain", "+# noqa"]),
    "compiler directive": ("a.go", ["+//go:build linux"]),
    "preprocessor": ("a.c", ["+#define N 3"]),
    "pointer that looks like a comment's inside": ("a.c", ["+* p = 0;"]),
    "heading in Markdown": ("a.md", ["+# Title"]),
    "unknown language": ("a.xyz", ["+# text"]),
    "code after a block comment": ("a.c", ["+/* note */ run();"]),
    "shell variable with a hash": ("a.sh", ["+echo ${#list}"]),
    "suppression": ("a.py", ["+# lrc: ignore[security] fine"]),
    "lines swapped": ("a.js", ["-a();", "-b();", "+b();", "+a();"]),
}
TRIVIAL = {
    "indentation in a language with braces": ("a.js", ["-if (a) {", "-  b();", "+if (a) {", "+    b();"], WHITE_SPACE),
    "trailing blanks": ("a.py", ["-a = 1  ", "+a = 1"], WHITE_SPACE),
    "line end": ("a.py", ["-a = 1\r", "+a = 1"], WHITE_SPACE),
    "blank lines": ("a.go", ["+", "+"], WHITE_SPACE),
    "aligned": ("a.go", ["-a  := 1", "+a := 1"], WHITE_SPACE),
    "line comment": ("a.py", ["-# old", "+# new", "+", "+    # and more"], COMMENTS),
    "block comment": ("a.ts", ["+/* one", "+ * two", "+ */"], COMMENTS),
    "inside a block comment of the context": ("a.java", [" /**", "-  * old", "+  * new", "  */"], COMMENTS),
    "removed comment": ("a.rs", ["-// gone"], COMMENTS),
    "markup": ("a.html", ["+<!-- note -->"], COMMENTS),
}


@pytest.mark.parametrize("name", CODE)
def test_hunk_that_may_matter_is_reviewed(name: str) -> None:
    """Anything that might change what runs is not trivial."""
    path, lines = CODE[name]
    assert trivial(hunk(lines), path) == ""


@pytest.mark.parametrize("name", TRIVIAL)
def test_white_space_and_comments_are_trivial(name: str) -> None:
    """A change of white space or comments alone is, and says which."""
    path, lines, reason = TRIVIAL[name]
    assert trivial(hunk(lines), path) == reason
