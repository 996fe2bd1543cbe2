"""Kinds of slips that people and agents make, as edits of a source text.

Each kind turns correct code into code that still parses and does something else. Comments and strings are left
alone. Kinds, not lists: what a calibration learns from them is the shape of a slip, not the slip.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from lrc.prose import prose_in, syntax_faults
from lrc.reviewer.kinds import partners
from lrc.reviewer.slips import NEEDLESS_RETURN, SWAPPED, slips_in

if TYPE_CHECKING:
    from ast_grep_py import SgNode


@dataclass(frozen=True, slots=True)
class Defect:
    """One way to break a text: characters `start` to `end` replaced by `text`."""

    kind: str
    start: int
    end: int
    text: str
    line: int = 0
    """1-based line of the original that it stands in; of a removal the first removed one. 0: not placed yet."""
    removes: bool = False
    """True when whole lines go and nothing takes their place."""

    def applied(self, source: str) -> str:
        """The broken text."""
        return source[: self.start] + self.text + source[self.end :]


_LEAVING = ("return_statement", "raise_statement", "throw_statement", "continue_statement", "break_statement")
_CLEANING = re.compile(
    r"^(?:defer |await )?[\w.\->]*\.?(?:close|unlock|release|free|disconnect|shutdown|cleanup|dispose|rollback|flush|"
    r"stop|join|cancel|Close|Unlock|RUnlock|Release|Done|Stop|Cancel|cancel)\(\)?.*$"
)

KINDS = (
    *SWAPPED,
    "added-negation",
    "dropped-return",
    "opposite-name",
    "swapped-arguments",
    "wrong-variable",
    "copy-fault",
    "dropped-guard",
    "dropped-cleanup",
    "dropped-assert",
    "broken-handling",
    "swallowed-error",
)
"""Every kind that can be planted."""
REMOVALS = frozenset({"dropped-guard", "dropped-cleanup", "dropped-assert"})
"""Kinds that take whole lines away."""
OPERATORS = frozenset({
    "boundary", "direction", "equality", "membership", "connective", "dropped-negation", "added-negation", "boolean",
    "arithmetic", "augmented", "overwritten", "off-by-one", "zero-one", "loop-control", "bitwise",
})  # fmt: skip
"""Kinds at the level of one operator or constant."""


def defects_in(language: str, source: str, lines: frozenset[int] | None = None) -> list[Defect]:
    """Every edit of some lines (1-based; None: all) of a text that its shape allows, by place.

    Not all of them parse: `sound` tells, at the price of parsing the whole text again.
    """
    starts = _starts(source)
    prose = _prose(language, source, starts)
    root = _parsed(language, source)
    found = []
    for defect in (*_by_text(source, language), *_by_tree(root, language, source)):
        line = bisect_right(starts, defect.start)
        if (lines is None or line in lines) and not any(first <= defect.start < end for first, end in prose):
            found.append(replace(defect, line=line))
    return sorted(found, key=lambda item: (item.start, item.kind, item.text))


def sound(language: str, source: str, defect: Defect) -> bool:
    """Whether the broken text is another one and parses as well as the original."""
    broken = defect.applied(source)
    return broken != source and syntax_faults(language, broken) <= syntax_faults(language, source)


@lru_cache(maxsize=4)
def _parsed(language: str, source: str) -> "SgNode":
    from ast_grep_py import SgRoot

    return SgRoot(source, language).root()


def _by_text(source: str, language: str) -> Iterator[Defect]:
    for slip in slips_in(language, source):
        if slip.kind != NEEDLESS_RETURN:
            yield Defect(slip.kind, slip.start, slip.end, slip.text)
    words = frozenset(re.findall(r"\w+", source))
    for match in re.finditer(r"\b[A-Za-z_]\w+\b(\()?", source):
        name = match[0].removesuffix("(")
        # A called one always exists; any other must be a name of this text, or breaking it is no slip.
        for partner in sorted(each for each in partners(name) if match[1] or each in words):
            yield Defect("opposite-name", match.start(), match.start() + len(name), partner)


def _by_tree(root: "SgNode", language: str, source: str) -> Iterator[Defect]:
    for node in _walk(root):
        kind = node.kind()
        if kind == "if_statement":
            yield from _dropped_guard(node, source)
        elif kind in ("expression_statement", "defer_statement", "assert_statement"):
            yield from _dropped_statement(node, kind, source)
        elif kind in ("raise_statement", "throw_statement"):
            span = node.range()
            yield Defect("broken-handling", span.start.index, span.end.index, _nothing(language))
        elif kind in ("except_clause", "catch_clause"):
            yield from _swallowed(node, language)
        elif kind in ("function_definition", "method_definition", "function_declaration", "method_declaration"):
            yield from _wrong_names(node)


def _nothing(language: str) -> str:
    return "pass" if language == "python" else ";"


def _walk(node: "SgNode") -> Iterator["SgNode"]:
    yield node
    for child in node.children():
        yield from _walk(child)


def _named(node: "SgNode") -> list["SgNode"]:
    return [child for child in node.children() if child.is_named()]


def _dropped_guard(node: "SgNode", source: str) -> Iterator[Defect]:
    """A whole `if` that only leaves: nothing else of the code changes, the check is gone."""
    if any(child.kind() in ("else_clause", "elif_clause", "else") for child in node.children()):
        return
    body = node.field("consequence")
    if body is None or (node.parent() and node.parent().kind() in ("else_clause", "if_statement")):
        return
    statements = [body] if body.kind() in _LEAVING else _statements(body)
    if statements and len(statements) <= 3 and statements[-1].kind() in _LEAVING:
        yield from _whole_lines(node, "dropped-guard", source)


def _statements(body: "SgNode") -> list["SgNode"]:
    inner = _named(body)
    if len(inner) == 1 and inner[0].kind() == "statement_list":
        inner = _named(inner[0])
    return [child for child in inner if child.kind() != "comment"]


def _dropped_statement(node: "SgNode", kind: str, source: str) -> Iterator[Defect]:
    if kind == "assert_statement":
        yield from _whole_lines(node, "dropped-assert", source)
    elif _CLEANING.match(node.text().partition("\n")[0]):
        yield from _whole_lines(node, "dropped-cleanup", source)


def _whole_lines(node: "SgNode", kind: str, source: str) -> Iterator[Defect]:
    """The lines of a statement, when nothing else stands in them and its block keeps another statement."""
    span = node.range()
    start = source.rfind("\n", 0, span.start.index) + 1
    end = source.find("\n", span.end.index) + 1 or len(source)
    siblings = _named(parent) if (parent := node.parent()) else []
    alone = len([each for each in siblings if each.kind() != "comment"]) < 2
    if alone or source[start : span.start.index].strip() or source[span.end.index : end].strip(" \t\r\n;"):
        return
    yield Defect(kind, start, end, "", removes=True)


def _swallowed(node: "SgNode", language: str) -> Iterator[Defect]:
    """What an error handler does, replaced by nothing."""
    body = node.field("body") or next((child for child in _named(node) if child.kind() == "block"), None)
    statements = _statements(body) if body is not None else []
    if statements and statements[0].text() != "pass":
        start, end = statements[0].range().start.index, statements[-1].range().end.index
        yield Defect("swallowed-error", start, end, _nothing(language))


def _wrong_names(function: "SgNode") -> Iterator[Defect]:
    """A name in place of another one of the same function: any (wrong variable), or the one of the line above (copy
    fault: two alike lines, in the second of which one name was not changed)."""
    uses: dict[str, list[SgNode]] = {}
    for node in _walk(function):
        if node.kind() == "identifier" and _is_use(node):
            uses.setdefault(node.text(), []).append(node)
    names = [name for name, places in uses.items() if len(places) > 1 and len(name) > 1]
    for order, name in enumerate(names):
        other = names[(order + 1) % len(names)]
        for place in uses[name][1:3] if other != name else []:
            span = place.range()
            yield Defect("wrong-variable", span.start.index, span.end.index, other)
    yield from _copy_faults(function)


def _is_use(node: "SgNode") -> bool:
    parent = node.parent()
    if parent is None or parent.kind() in ("parameters", "keyword_argument", "formal_parameter", "import_statement"):
        return False
    if parent.kind() == "attribute":
        return bool(parent.children()[0] == node)
    if parent.kind() in ("assignment", "variable_declarator", "short_var_declaration"):
        return bool(parent.children()[0] != node)
    return not (parent.kind() in ("call", "call_expression") and parent.children()[0] == node)


def _copy_faults(function: "SgNode") -> Iterator[Defect]:
    offset = function.range().start.index
    lines = function.text().split("\n")
    for one, two in pairwise(lines):
        words, other = (list(re.finditer(r"\w+|[^\w\s]", text)) for text in (one, two))
        if len(words) == len(other) and len(words) >= 5:
            changed = [(a, b) for a, b in zip(words, other, strict=True) if a[0] != b[0]]
            if 2 <= len(changed) <= 4 and all(a[0].isidentifier() and b[0].isidentifier() for a, b in changed):
                source, target = changed[-1]
                start = offset + len(one) + 1 + target.start()
                yield Defect("copy-fault", start, start + len(target[0]), source[0])
        offset += len(one) + 1


def _starts(source: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", source))]


def _prose(language: str, source: str, starts: Sequence[int]) -> list[tuple[int, int]]:
    spans = prose_in(language, source, 1, len(starts))
    ends = [*starts[1:], len(source)]
    return [
        (starts[span.line - 1] + span.start, min(starts[span.line - 1] + span.end, ends[span.line - 1]))
        for span in spans
    ]
