"""What surrounds a hunk."""

import time

import pytest

from lrc.context import enclosing, unit_for
from lrc.diff import FileDiff, Hunk, Kind, Line, Status
from lrc.language import GRAMMARS, PARSE_LIMIT, language_of
from lrc.outline import outline

PYTHON = """import os


class Store:
    limit = 3

    @staticmethod
    def load(path):
        with open(path) as file:
            return file.read()

    def save(self, path):
        def inner():
            return 1
        return inner()


def free():
    pass
"""


def changed(number: int, count: int = 1, section: str = "") -> Hunk:
    """A hunk that adds `count` lines from line `number` on."""
    lines = tuple(Line(Kind.ADDED, "x", None, number + step) for step in range(count))
    return Hunk(number - 1, 0, number, count, section, lines)


def a_file(path: str) -> FileDiff:
    """A modified file."""
    return FileDiff(path, Status.MODIFIED)


@pytest.mark.parametrize(
    ("line", "name", "header", "start", "end"),
    [
        (5, "Store", "class Store:", 4, 15),
        (9, "Store.load", "def load(path):", 7, 10),
        (7, "Store.load", "def load(path):", 7, 10),
        (14, "Store.save.inner", "def inner():", 13, 14),
        (15, "Store.save", "def save(self, path):", 12, 15),
        (19, "free", "def free():", 18, 19),
    ],
)
def test_the_smallest_definition_around_a_change(line: int, name: str, header: str, start: int, end: int) -> None:
    """Names are dotted, decorators belong to what they decorate."""
    found = enclosing(changed(line), "python", PYTHON)
    assert found is not None
    assert (found.name, found.header, found.start, found.end) == (name, header, start, end)


def test_a_change_outside_definitions_has_no_enclosing_one() -> None:
    """A module-level line is not said to be in the function above it, whatever git's section line says."""
    assert enclosing(changed(1), "python", PYTHON) is None
    assert enclosing(changed(17, section="class Store:"), "python", PYTHON) is None


def test_a_change_across_two_methods_is_in_their_class() -> None:
    """The smallest definition that holds all changed lines."""
    found = enclosing(changed(10, 4), "python", PYTHON)
    assert found is not None and found.name == "Store"


def test_a_removal_is_in_the_definition_it_was_taken_from() -> None:
    """A removed line has no number in the new version; the line above it places it."""
    lines = (Line(Kind.CONTEXT, "", 9, 9), Line(Kind.REMOVED, "guard", 10, None), Line(Kind.CONTEXT, "", 11, 10))
    found = enclosing(Hunk(9, 3, 9, 2, "", lines), "python", PYTHON)
    assert found is not None and found.name == "Store.load"


@pytest.mark.parametrize(
    ("language", "text", "line", "name"),
    [
        ("javascript", "class A {\n  m() {\n    x\n  }\n}\n", 3, "A.m"),
        ("javascript", "const f = () => {\n  x\n}\n", 2, "f"),
        ("javascript", "const o = {\n  go: function () {\n    x\n  },\n}\n", 3, "go"),
        ("typescript", "namespace N {\n  export class A<T> {\n    m(): void {\n      x\n    }\n  }\n}\n", 4, "N.A.m"),
        ("tsx", "export function App() {\n  return <a>x</a>\n}\n", 2, "App"),
        ("go", "package p\nfunc (s *Store[T]) Save() error {\n\treturn nil\n}\n", 3, "Store.Save"),
        ("java", "class A {\n  @Override\n  void m() {\n    x();\n  }\n}\n", 4, "A.m"),
        ("rust", "impl<T> Foo for Bar<T> {\n  fn m(&self) {\n    x\n  }\n}\n", 3, "Bar.m"),
        ("c", "static int *\nf(int a)\n{\n  return 0;\n}\n", 4, "f"),
        ("cpp", "int& n::A::m() {\n  return x;\n}\n", 2, "n.A.m"),
        ("csharp", "namespace N {\n class A {\n  void M() {\n   x();\n  }\n }\n}\n", 4, "N.A.M"),
        ("ruby", "module M\n  class A\n    def self.f\n      x\n    end\n  end\nend\n", 4, "M.A.f"),
        ("php", "<?php\nclass A {\n  function m() {\n    x();\n  }\n}\n", 4, "A.m"),
        ("kotlin", "class A {\n  fun m() {\n    x()\n  }\n}\n", 3, "A.m"),
        ("swift", "struct S {\n  func m() {\n    x()\n  }\n}\n", 3, "S.m"),
        ("scala", "object O {\n  def f = {\n    x\n  }\n}\n", 3, "O.f"),
        ("bash", "f() {\n  x\n}\n", 2, "f"),
        ("lua", "function M.f(a)\n  x()\nend\n", 2, "M.f"),
        ("elixir", "defmodule A do\n  def f(x) do\n    x\n  end\nend\n", 3, "A.f"),
        ("solidity", "contract C {\n  function f() public {\n    x();\n  }\n}\n", 3, "C.f"),
    ],
)
def test_definitions_by_language(language: str, text: str, line: int, name: str) -> None:
    """Each grammar's functions and classes are known by their names."""
    found = enclosing(changed(line), language, text)
    assert found is not None and found.name == name


@pytest.mark.parametrize("language", sorted(GRAMMARS))
@pytest.mark.parametrize("text", ["", "\0", "}{)(", "\ud800", "def f(:\n" * 50, "日本 = 1\n\r\r"])
def test_no_text_breaks_a_grammar(language: str, text: str) -> None:
    """Broken, empty and undecodable text gives an outline, perhaps an empty one."""
    assert isinstance(outline(language, text), tuple)


def test_an_unknown_language_reaches_no_grammar() -> None:
    """A name that the parser does not know would end the process; it is not passed on."""
    assert outline("klingon", "x") == ()
    assert outline("sql", "create table t") == ()


def test_a_huge_text_is_not_parsed() -> None:
    """Generated megabytes get no outline, at once."""
    began = time.monotonic()
    assert outline("python", "def f():\n  pass\n" * (PARSE_LIMIT // 10)) == ()
    assert time.monotonic() - began < 1


def test_gits_section_line_where_there_is_no_grammar() -> None:
    """For a language without a grammar the section line names the definition."""
    text = "sub one {\n  a;\n}\nsub two {\n  b;\n  c;\n}\n"
    found = enclosing(changed(6, section="sub two {"), "perl", text)
    assert found is not None
    assert (found.header, found.start) == ("sub two {", 4)
    assert enclosing(changed(6, section="not in the text"), "perl", text) is None
    assert enclosing(changed(6), "perl", text) is None


def test_lines_around_a_hunk() -> None:
    """At most so many lines just above and below, oldest first."""
    text = "".join(f"{number}\n" for number in range(1, 21))
    unit = unit_for(a_file("a.txt"), changed(10, 2), text, before=3, after=2)
    assert unit.before == ("7", "8", "9")
    assert unit.after == ("12", "13")


def test_lines_around_the_edges_of_a_file() -> None:
    """Nothing is made up at the beginning and the end."""
    text = "1\n2\n3"
    unit = unit_for(a_file("a.txt"), changed(1, 3), text, before=3, after=3)
    assert (unit.before, unit.after) == ((), ())


def test_lines_around_a_removal() -> None:
    """A hunk without new lines stands behind the line that its header names."""
    hunk = Hunk(3, 1, 2, 0, "", (Line(Kind.REMOVED, "x", 3, None),))
    unit = unit_for(a_file("a.txt"), hunk, "1\n2\n4\n", before=2, after=2)
    assert (unit.before, unit.after) == (("1", "2"), ("4",))


def test_a_deleted_file_has_no_surroundings() -> None:
    """Its new version is empty."""
    hunk = Hunk(1, 1, 0, 0, "", (Line(Kind.REMOVED, "x", 1, None),))
    unit = unit_for(a_file("a.py"), hunk, "")
    assert (unit.before, unit.after, unit.enclosing, unit.language) == ((), (), None, "python")


def test_hundreds_of_hunks_parse_their_file_once() -> None:
    """Two hundred hunks of a 4,000-line file take well under a second."""
    text = "".join(f"def f{number}(a):\n    b = a\n    return b\n\n" for number in range(1000))
    file = a_file("a.py")
    outline.cache_clear()
    began = time.process_time()
    units = [unit_for(file, changed(20 * number + 2), text) for number in range(200)]
    assert time.process_time() - began < 1
    assert outline.cache_info().misses == 1
    assert [unit.enclosing.name for unit in units[:2] if unit.enclosing] == ["f0", "f5"]


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
