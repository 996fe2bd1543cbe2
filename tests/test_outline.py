"""The definitions of a text, by grammar."""

import time

import pytest

from lrc.language import GRAMMARS, PARSE_LIMIT
from lrc.outline import outline


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
    around = [item for item in outline(language, text) if item.start <= line <= item.end]
    assert max(around, key=lambda item: item.start).name == name


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
