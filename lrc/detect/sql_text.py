"""SQL put together from values, in the place where a value belongs."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import fresh_lines
from lrc.detect.rules import LONGEST_NODE, nodes_of, parse, product_code
from lrc.diff import FileDiff
from lrc.findings import Category, Finding, Severity
from lrc.patterns import lazy

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_KINDS = {
    "python": ("string", "concatenated_string", "binary_operator", "call"),
    "javascript": ("template_string", "binary_expression"),
    "typescript": ("template_string", "binary_expression"),
    "tsx": ("template_string", "binary_expression"),
    "go": ("binary_expression", "call_expression"),
    "java": ("binary_expression", "method_invocation"),
    "ruby": ("string", "binary"),
    "php": ("encapsed_string", "binary_expression", "function_call_expression"),
    "csharp": ("interpolated_string_expression", "binary_expression", "invocation_expression"),
    "rust": ("macro_invocation",),
    "c": ("call_expression",),
    "cpp": ("call_expression", "binary_expression"),
    "kotlin": ("string_literal", "additive_expression"),
}
_HINT = lazy(r"\b(?:select|insert|update|delete|replace|\w*where(?:raw)?|values|set|having(?:raw)?)\b", re.IGNORECASE)
_STATEMENT = lazy(
    r"^\W*(?:(?:\w+\W+)?(?:select\b.+\bfrom\s+\S+(?:\s+(?:as\s+)?\w+)?\s*(?:$|[,;\"'`)+]|\b(?:where|\w*\s*join|on|order|group|limit|having)\b)"
    r"|insert\s+(?:or\s+\w+\s+)?into\s+\S+\s*(?:\(|values|select|set)|update\s+\S+\s+set\b.+=|delete\s+from\s+\S+\s*(?:where|$|[\"'`;+])"
    r"|replace\s+into\s+\S+\s*(?:\(|values))|(?-i:WHERE|AND|OR|HAVING)\s+[\w.]+\s*(?:=|<|>|LIKE\b|IN\b))",
    re.IGNORECASE | re.DOTALL,
)
_VALUE_PLACE = lazy(
    r"'%?$|(?:[=<>]|\blike|\bbetween|\b(?:in|any)\s*\(|\bvalues\s*\((?:[^()]*,)?)\s*%?$",
    re.IGNORECASE,
)
"""A value belongs after a comparison, in a list of values and between single quotes."""
_HARMLESS = lazy(
    r"(?i:table|column|\bcols?\b|field|schema|place_?holder|order_?by|sort|direction|\bwhere|clause|condition|limit|offset|quote|"
    r"ident|escape|sanitiz|^\s*(?:int|len|float|bool|Number|parseInt|intval|\(int\))\s*\(|\bids?_sql|sql|query|^params?$|"
    r"marks?\b|(?:value|column|name|key|id)s?_?list\b|join\(|^\s*repr\(|\bdb_?name|database|prefix|suffix|typeof|::class|config\.)|^[A-Z0-9_.]+$|^\s*[\"'`]|^\d+$|^\W*$"
)
# Each way to put a value into text becomes one sign, so that the rest need not know the language.
_HOLES = {
    "python": r"\{(?P<a>[^{}!:]*)(?:![rsa])?(?::[^{}]*)?\}|%(?:\((?P<b>\w+)\))?s"
    r"|[\"']\s*\+\s*(?P<c>[\w.\[\]()\"']+)(?:\s*\+\s*[rbf]*[\"'])?",
    "javascript": r"\$\{(?P<a>[^{}]+)\}|[\"'`]\s*\+\s*(?P<b>[\w.\[\]()]+)(?:\s*\+\s*[\"'`])?",
    "go": r"%(?P<a>[sv])|[\"`]\s*\+\s*(?P<b>[\w.\[\]()]+)(?:\s*\+\s*[\"`])?",
    "java": r"%(?P<a>s)|\"\s*\+\s*(?P<b>[\w.\[\]()]+)(?:\s*\+\s*\")?",
    "ruby": r"#\{(?P<a>[^{}]+)\}|[\"']\s*\+\s*(?P<b>[\w.\[\]()]+)(?:\s*\+\s*[\"'])?",
    "php": r"%(?P<p>s)|\{?(?P<a>\$\w+(?:->\w+|\[[^\]]*\])*)\}?|[\"']\s*\.\s*(?P<b>[\w$>\[\]()'\"-]+)(?:\s*\.\s*[\"'])?",
    "csharp": r"\{(?P<a>[^{}:]+)(?::[^{}]*)?\}|\"\s*\+\s*(?P<b>[\w.\[\]()]+)(?:\s*\+\s*\$?\")?",
    "rust": r"\{(?P<a>[^{}:]*)(?::[^{}]*)?\}",
    "c": r"%(?P<a>s)",
    "cpp": r"%(?P<a>s)|\"\s*\+\s*(?P<b>[\w.\[\]()>-]+)(?:\s*\+\s*\")?",
    "kotlin": r"\$\{?(?P<a>[\w.]+)\}?|\"\s*\+\s*(?P<b>[\w.\[\]()]+)(?:\s*\+\s*\")?",
}
_HOLES |= dict.fromkeys(("typescript", "tsx"), _HOLES["javascript"])
_MAKES_TEXT = {
    "go": lazy(r"fmt\.Sprintf\("),
    "java": lazy(r"String\.format\(|\"[^\"]*\"\.formatted\("),
    "csharp": lazy(r"string\.Format\(", re.IGNORECASE),
    "php": lazy(r"sprintf\("),
    "c": lazy(r"s?n?printf\("),
    "cpp": lazy(r"s?n?printf\("),
    "rust": lazy(r"(?:format|write|println)!\("),
    "python": lazy(r"[rbfu]*(?P<q>[\"']{1,3}).*(?P=q)\.format\(", re.DOTALL),
}
_PARAMETERIZED = lazy(
    r"[\w.()\s]*\b(?:ExecuteSql|FromSql|SqlQuery|ExecuteSqlInterpolated|FromSqlInterpolated)(?:Async)?(?:<[^>]*>)?\(\s*@?\$"
)
_CONDITION_CALLS = {
    "ruby": lazy(r"[\w.:@]*\.(?:where|having|find_by_sql|exists\?)\("),
    "go": lazy(r"[\w.()&{}]*\.(?:Where|Having)\("),
    "php": lazy(r"[\w$():>-]*(?:->|::)(?:(?:or|and)?[wW]here|(?:or)?[wW]hereRaw|havingRaw)\("),
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"), lazy(r"[\w.()]*\.(?:(?:or|and)WhereRaw|whereRaw|havingRaw)\(")
    ),
}
"""Methods of query builders whose first argument is SQL."""
_MESSAGE_CALL = lazy(
    r"(?i)\b(?:raise|throw|\w*error\w*|\w*exception|panic\w*|log\w*|console|print\w*|warn\w*|puts|debug\w*|bail!|assert\w*)\b.*[(\"'`]"
)
"""Prose may begin like SQL, and prose is what such calls take."""
_MESSAGE = (
    "This SQL is put together from values: a quote in `{}` ends the string and the rest runs as SQL. "
    "Pass it as a parameter"
)


class SqlText:
    """String-built SQL with a value spliced in. Table and column names, which no parameter can stand for, pass."""

    name = "sql-text"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a statement, on its first added line that holds a value."""
        language = product_code(file, text, _KINDS)
        if not text or not language:
            return
        added = {line.new: line for line in fresh_lines(file) if line.new is not None}
        if not any(_HINT.search(line.text) for line in added.values()):
            return
        taken: set[int] = set()
        for node in _outermost(nodes_of(parse(language, text), _KINDS[language]), set(added)):
            value, offset = _spliced(node, language)
            if not value:
                continue
            start = node.range().start.line + 1
            number = start + node.text().count("\n", 0, offset)
            number = number if number in added else next(n for n in added if start <= n)
            if _MESSAGE_CALL.search(added[number].text):
                continue
            if number not in taken:
                taken.add(number)
                message = _MESSAGE.format(" ".join(value.split())[:40])
                yield finding_at(file, added[number], self, Severity.HIGH, Category.SECURITY, message, confidence=0.9)


def _outermost(nodes: "Sequence[SgNode]", added: set[int]) -> "Iterator[SgNode]":
    """Nodes that an added line touches, without those that lie inside another: `a + b + c` is one text."""
    end = -1
    for node in nodes:
        span = node.range()
        if span.start.index < end:
            continue
        lines = range(span.start.line + 1, span.end.line + 2)
        if len(node.text()) <= LONGEST_NODE and added.intersection(lines):
            if _is_text(node):
                end = span.end.index
            yield node


def _is_text(node: "SgNode") -> bool:
    return "call" not in node.kind() and "invocation" not in node.kind()


def _spliced(node: "SgNode", language: str) -> tuple[str, int]:
    """The first value that is spliced into SQL where a value belongs, and its place in the node's text."""
    source = node.text()
    if language in _MAKES_TEXT and not _is_text(node) and not _MAKES_TEXT[language].match(source):
        return "", 0
    if not _interpolates(node, language, source) or (language == "csharp" and _is_taken_apart(node)):
        return "", 0
    opening = re.search(r"[\"'`]", source)
    if not opening or not (_STATEMENT.match(source[opening.start() :]) or _is_condition(node, language)):
        return "", 0
    for hole in re.finditer(_HOLES[language], source):
        if hole[0].startswith("%") and language == "python" and node.kind() != "binary_operator":
            continue  # the place of a parameter
        value = next((part for part in hole.groups() if part is not None), "")
        if value in ("", "s", "v") or (language == "csharp" and value.isdigit()):  # the value stands behind the text
            value = _behind(source, opening.start())
        before = source[opening.start() : hole.start()]
        if _VALUE_PLACE.search(before) and not _HARMLESS.search(value):
            return value, hole.start()
    return "", 0


def _behind(source: str, start: int) -> str:
    """What follows the literal that opens at `start`: the values of `%`, `.format` and the like."""
    quote = source[start : start + 3] if source[start : start + 3] in ('"""', "'''") else source[start]
    end = start + len(quote)
    while end < len(source) and not source.startswith(quote, end):
        end += 2 if source[end] == "\\" else 1
    return source[end + len(quote) :].strip(" %,()").removeprefix(".format").strip("() ") or "the value"


def _is_condition(node: "SgNode", language: str) -> bool:
    """Query builders take conditions without the `WHERE` in front."""
    pattern = _CONDITION_CALLS.get(language)
    calls = (each for each in islice(node.ancestors(), 3) if "call" in each.kind())
    return pattern is not None and any(pattern.match(call.text()) for call in calls)


def _interpolates(node: "SgNode", language: str, source: str) -> bool:
    """True when the node really splices: `%s` in a plain string is a parameter's place, `{}` in one is text."""
    kind = node.kind()
    if language == "python":
        if kind in ("string", "concatenated_string"):
            return re.match(r"[rbu]*f[rbu]*[\"']|.*[\"']\s*f[\"']", source, re.IGNORECASE | re.DOTALL) is not None
        if kind == "binary_operator":
            return re.search(r"[\"']{1,3}\s*(?:%\s*[\w({\[]|\+\s*\w)|\w\s*\+\s*[\"']", source) is not None
        return True
    if language in ("javascript", "typescript", "tsx") and kind == "template_string":
        parent = node.parent()
        return "${" in source and not (parent is not None and _is_tagged(parent, node))
    if language == "ruby" and kind == "string":
        return "#{" in source
    if language == "csharp" and kind == "binary_expression":
        return '"' in source and "+" in source
    return True


def _is_taken_apart(node: "SgNode") -> bool:
    """True for an interpolated string given to a method of Entity Framework that makes parameters of its values."""
    call = next((each for each in node.ancestors() if each.kind() == "invocation_expression"), None)
    return call is not None and _PARAMETERIZED.match(call.text()) is not None


def _is_tagged(parent: "SgNode", node: "SgNode") -> bool:
    """A tag such as sql`…` gets text and values apart."""
    return (
        parent.kind() == "call_expression"
        and parent.range().end.index == node.range().end.index
        and "(" not in parent.text()[: -len(node.text())]
    )
