"""Which characters of a source text are words for people: comments and the insides of strings."""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lrc.language import GRAMMARS, PARSE_LIMIT

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_WHOLE = (
    "comment",
    "string_content",
    "string_fragment",
    "literal_content",
    "regex_pattern",
    "heredoc",
    "jsx_text",
    "raw_text",
)
"""Parts of node kinds whose text is prose to the end."""
_STRING = ("string", "char_literal", "character_literal", "rune_literal", "encapsed", "regex", "text_block")
"""Parts of node kinds that are prose as far as no node inside them is code."""
_CODE = ("interpolation", "substitution", "expression", "embedded", "format_expression")


class Span(NamedTuple):
    """Characters of one line: from `start` up to `end`, 0-based columns."""

    line: int
    """1-based."""
    start: int
    end: int


def prose_in(language: str, text: str, first: int, last: int) -> tuple[Span, ...]:
    """The prose in lines `first` to `last` (1-based, inclusive) of a text; empty for a language without a grammar."""
    if language not in GRAMMARS or len(text) > PARSE_LIMIT or last < first:
        return ()
    found: list[Span] = []
    _collect(_parsed(language, text), first - 1, last - 1, False, found)
    return tuple(found)


def syntax_faults(language: str, text: str) -> int:
    """How many places of a text the language's grammar makes nothing of; 0 for a language without a grammar."""
    if language not in GRAMMARS or len(text) > PARSE_LIMIT:
        return 0
    from ast_grep_py import SgRoot

    root = SgRoot(text.encode("utf-8", "replace").decode(), language).root()
    return len(root.find_all({"rule": {"kind": "ERROR"}})) if root.find(kind="ERROR") else 0


@lru_cache(maxsize=2)
def _parsed(language: str, text: str) -> "SgNode":
    from ast_grep_py import SgRoot

    return SgRoot(text, language).root()


def _collect(node: "SgNode", first: int, last: int, in_string: bool, found: list[Span]) -> None:
    span = node.range()
    if span.end.line < first or span.start.line > last:
        return
    kind = node.kind()
    if any(part in kind for part in _WHOLE):
        _add(node, first, last, found)
        return
    if any(part in kind for part in _CODE):
        in_string = False
    elif any(part in kind for part in _STRING):
        in_string = True
    children = node.children()
    if not children and in_string:
        _add(node, first, last, found)
    for child in children:
        _collect(child, first, last, in_string, found)


def _add(node: "SgNode", first: int, last: int, found: list[Span]) -> None:
    span = node.range()
    for line in range(max(span.start.line, first), min(span.end.line, last) + 1):
        start = span.start.column if line == span.start.line else 0
        end = span.end.column if line == span.end.line else 1 << 30
        found.append(Span(line + 1, start, end))
