"""Which language a file is written in."""

import pytest

from lrc.language import language_of


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a/b.py", "", "python"),
        ("A.PY", "", "python"),
        ("x.d.ts", "", "typescript"),
        ("Dockerfile", "", "dockerfile"),
        ("deploy/Dockerfile.prod", "", "dockerfile"),
        ("CMakeLists.txt", "", "cmake"),
        ("Gemfile", "", "ruby"),
        ("run", "#!/bin/sh\n", "bash"),
        ("run", "#! /usr/bin/env python3.12\n", "python"),
        ("run", "#!/usr/bin/env -S FOO=1 node --flag\n", "javascript"),
        ("run", "#!/usr/bin/perl -w\n", "perl"),
        ("run", "#!", ""),
        ("run", "echo", ""),
        ("LICENSE", "", ""),
        ("odd\n.name\udce9.rb", "", "ruby"),
        ("", "", ""),
    ],
)
def test_the_language_of_a_file(path: str, text: str, language: str) -> None:
    """By the name, else by the interpreter line."""
    assert language_of(path, text) == language
