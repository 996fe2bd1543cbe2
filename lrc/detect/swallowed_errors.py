"""Errors caught and dropped, with nothing said and nothing done."""

# ruff: noqa: E501 - a pattern is read as one line

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import fresh_lines
from lrc.detect.rules import LONGEST_NODE, nodes_of, parse, product_code
from lrc.diff import FileDiff
from lrc.findings import Category, Finding, Severity
from lrc.patterns import lazy

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_EMPTY_BODY = r"\{\s*;?\s*\}"
_HANDLERS = {
    # Named exceptions with `pass` are how Python says "may be missing"; only catching everything hides faults.
    "python": (
        ("except_clause",),
        r"except(?:\s*\(?\s*(?:Base)?Exception\s*\)?(?:\s+as\s+\w+)?|\s+\([^)]*\b(?:Base)?Exception\b[^)]*\)(?:\s+as\s+\w+)?)?\s*:\s*(?:pass|\.\.\.|continue)\s*$",
    ),
    "javascript": (("catch_clause",), rf"catch\s*(?:\([^)]*\))?\s*{_EMPTY_BODY}$"),
    "java": (
        ("catch_clause",),
        rf"catch\s*\((?!\s*(?:final\s+)?(?:InterruptedException|NumberFormatException|\w*(?:NotFound|Closed|Timeout)\w*Exception)\b)[^)]*\)\s*{_EMPTY_BODY}$",
    ),
    "csharp": (("catch_clause",), rf"catch\s*(?:\(\s*(?:System\.)?Exception(?:\s+\w+)?\s*\))?\s*{_EMPTY_BODY}$"),
    "php": (("catch_clause",), rf"catch\s*\(\s*\\?(?:Exception|Throwable|Error)\b[^)]*\)\s*{_EMPTY_BODY}$"),
    "cpp": (
        ("catch_clause",),
        rf"catch\s*\(\s*(?:\.\.\.|(?:const\s+)?std::exception\s*&?\s*\w*)\s*\)\s*{_EMPTY_BODY}$",
    ),
    "go": (("if_statement",), rf"if\s+(?:[^;{{]*;\s*)?err\s*!=\s*nil\s*{_EMPTY_BODY}$"),
    "ruby": (
        ("rescue", "rescue_modifier"),
        r"rescue(?:\s+(?:StandardError|Exception))?(?:\s*=>\s*\w+)?\s*;?\s*$|.*\brescue[ \t]+nil$",
    ),
    "kotlin": (("catch_block",), rf"catch\s*\(\s*\w+\s*:\s*(?:Exception|Throwable)\s*\)\s*{_EMPTY_BODY}$"),
    "promise": (
        ("call_expression",),
        r".*\.catch\(\s*(?:(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|null|undefined|void 0)|function\s*\w*\(\w*\)\s*\{\s*\}|_?\.?noop)\s*\)$",
    ),
    "recover": (("func_literal",), r"func\(\)\s*\{\s*(?:_\s*=\s*)?recover\(\)\s*\}$"),
    "discarded": (
        ("assignment_statement", "short_var_declaration"),
        r"_\s*=\s*(?:\w*[eE]rr|[\w.]+\.Commit\([\w.]*\))$"
        r"|(?:\w+\s*,\s*)?_\s*:?=\s*(?:os\.(?:Open|OpenFile|Create|ReadFile|ReadDir|WriteFile)|ioutil\.Read\w+|io\.ReadAll|http\.(?:Get|Post\w*|NewRequest\w*)"
        r"|sql\.Open|\w*[dD][bB]\.(?:Query|Exec)(?:Context)?|(?:json|xml|yaml)\.(?:Marshal|Unmarshal)\w*|net\.(?:Dial|Listen)|url\.Parse|time\.Parse)\(",
    ),
    "if let": (("if_expression",), rf"if\s+let\s+Err\(_\w*\)\s*=\s*[^{{}}]+\s*{_EMPTY_BODY}$"),
    "match arm": (("match_arm",), r"Err\(_\w*\)\s*=>\s*(?:\{\s*\}|\(\))\s*,?$"),
    "let": (
        ("let_declaration",),
        r"let\s+_\s*=\s*(?:std::)?(?:fs::(?:write|rename|copy|create_dir\w*)|\w+\.(?:write_all|sync_all|commit|execute|save))\(",
    ),
    "ok": (
        ("expression_statement",),
        r"(?:std::)?(?:fs::(?:write|rename|copy|create_dir\w*)\(|[\w.]+\.(?:write_all|sync_all|commit|execute|save)\().*\)\.ok\(\);$",
    ),
    "suppress": (("call",), r"(?:contextlib\.)?suppress\(\s*(?:Base)?Exception\s*\)$"),
    "swift": (("catch_block",), rf"catch\s*{_EMPTY_BODY}$"),
}
_HANDLERS |= dict.fromkeys(("typescript", "tsx"), _HANDLERS["javascript"])
_ALSO: dict[str, tuple[str, ...]] = {
    "python": ("suppress",),
    "go": ("recover", "discarded"),
    "rust": ("if let", "match arm", "let", "ok"),
    **dict.fromkeys(("javascript", "typescript", "tsx"), ("promise",)),
}
"""Further ways to drop errors, where a language has them."""
_MILD = frozenset({"discarded", "let", "ok", "match arm", "if let"})
"""Ways that need a word in the code: whoever wrote it knew that there is an error."""
_LANGUAGES = (set(_HANDLERS) | {"rust"}) - {name for names in _ALSO.values() for name in names}
_HINT = lazy(r"\b(?:except|catch|rescue|err\s*!=\s*nil|pass|suppress|recover|Err)\b|\b_\s*:?=|\.ok\(\)")
_COMMENT = lazy(r"#|//|/\*")
_MESSAGE = "Every error ends here unseen: name the ones that may happen, or log them"

_ON_PURPOSE = lazy(
    r"catch\s*\((?!\s*(?:final\s+)?(?:Exception|Throwable|RuntimeException|Error)\b)[^)]*\b(?:ignored?|expected|unused|_)\s*\)"
)
"""Java says by the name of a narrow exception that it is meant to be dropped."""
_CLOSING = lazy(
    r"(?:try|begin)\s*[:{]?\s*(?:await\s+)?[\w.?!$>@-]*?(?:\.|->|\b)_?(?:dispose|close|cancel|kill|unlink|rollback|destroy|shutdown|"
    r"disconnect|release|cleanup|terminate|rmtree)\w*\([^;\n]*\)\s*;?\s*\}?\s*$",
    re.IGNORECASE,
)
_DISCARDED = "The error of this call is thrown away: what follows works on a result that may not be there"


class SwallowedErrors:
    """Handlers for everything whose body does nothing. One with a comment has been thought about and passes."""

    name = "swallowed-errors"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a handler, on its first line if that is added, else on the added line that emptied it."""
        language = product_code(file, text, _LANGUAGES)
        if not text or not language:
            return
        added = {line.new: line for line in fresh_lines(file) if line.new is not None}
        if not any(_HINT.search(line.text) for line in added.values()):
            return
        lines = text.split("\n")
        for name in (language, *_ALSO.get(language, ())):
            kinds, pattern = _HANDLERS.get(name, ((), ""))
            for node in nodes_of(parse(language, text), kinds) if kinds else ():
                first, last = node.range().start.line, node.range().end.line
                touched = [number for number in range(first + 1, last + 2) if number in added]
                if not touched or len(node.text()) > LONGEST_NODE or not re.match(pattern, node.text(), re.DOTALL):
                    continue
                if _COMMENT.search("\n".join(lines[first : last + 1])) or _explained(lines, first, last):
                    continue
                if language == "java" and _ON_PURPOSE.match(node.text()):
                    continue
                if _was_so(file, node, name):
                    continue
                if (
                    _has_default(node, lines)
                    or _is_asked_below(node, lines, last)
                    or _falls_through(node, lines, last)
                    or _tidies_up(node)
                    or (name == "promise" and _is_used(node))
                ):
                    continue
                line = added[touched[-1] if name == "promise" else touched[0]]
                severity, message = (Severity.LOW, _DISCARDED) if name in _MILD else (Severity.MEDIUM, _MESSAGE)
                yield finding_at(file, line, self, severity, Category.RELIABILITY, message, confidence=0.85)


def _has_default(node: "SgNode", lines: list[str]) -> bool:
    """True when all that was tried is to give a better value to what has one from the line above."""
    name, attempt = _only_target(node), node.parent()
    above = lines[attempt.range().start.line - 1] if attempt is not None and attempt.range().start.line else ""
    return bool(name) and re.match(rf"\s*(?:[\w<>\[\]]+\s+)*{name}\s*(?::[^=]+)?=[^=]", above) is not None


def _only_target(node: "SgNode") -> str:
    """The name that the one statement tried gives a value; the empty string where more or something else was tried."""
    attempt = node.parent()
    body = attempt.field("body") if attempt is not None and attempt.kind() == "try_statement" else None
    statements = [child for child in body.children() if child.is_named()] if body is not None else []
    given = re.match(r"\s*(\w+)\s*=[^=]", statements[0].text()) if len(statements) == 1 else None
    return given[1] if given else ""


def _is_asked_below(node: "SgNode", lines: list[str], last: int) -> bool:
    """True when all that was tried is to give something a value, and the next line asks whether it has one."""
    name = _only_target(node)
    following = next((line.strip() for line in lines[last + 1 :] if line.strip()), "")
    return (
        bool(name) and re.match(rf"if\b\s*\(?\s*(?:!|not\s+)?\(?{re.escape(name)}\b(?![.(\[])", following) is not None
    )


def _falls_through(node: "SgNode", lines: list[str], last: int) -> bool:
    """True when the empty handler leads to a `return` of its own: success has returned from the block before."""
    attempt = node.parent()
    following = next((line.strip() for line in lines[last + 1 :] if line.strip()), "")
    if node.kind() != "catch_clause" or attempt is None or not re.match(r"return\b\s*[^;\s]", following):
        return False
    return (
        re.search(r"\breturn\b", attempt.text()[: node.range().start.index - attempt.range().start.index]) is not None
    )


def _tidies_up(node: "SgNode") -> bool:
    """True when all that was tried is to close something: nobody could do more about a failure."""
    attempt = node.parent()
    if attempt is None or attempt.kind() not in ("try_statement", "try_expression", "begin"):
        return False
    tried = attempt.text()[: node.range().start.index - attempt.range().start.index]
    return _CLOSING.match(tried) is not None


def _was_so(file: FileDiff, node: "SgNode", name: str) -> bool:
    """True for what ended like this before, and for a promise that `void` gives up in so many words."""
    if node.kind() == "catch_clause":
        return any(node.text() in line.text for hunk in file.hunks for line in hunk.removed)
    if name != "promise":
        return False
    tail = node.text()[node.text().rfind(".catch(") :]
    parent = node.parent()
    before = "\n".join(line.text for hunk in file.hunks for line in hunk.removed)
    return tail in before or (parent is not None and parent.text().startswith("void "))


def _is_used(node: "SgNode") -> bool:
    """True for `value = promise.catch(() => null)`: null is the answer for a failure, and somebody looks at it."""
    if not re.search(r"=>\s*(?:null|undefined|void 0)\s*\)$", node.text()):
        return False
    parent = node.parent()
    while parent is not None and parent.kind() in ("await_expression", "parenthesized_expression"):
        parent = parent.parent()
    return parent is not None and parent.kind() != "expression_statement"


def _explained(lines: list[str], first: int, last: int) -> bool:
    """True for a comment alone on the line above the handler or below it, where some put it."""
    around = [lines[index].strip() for index in (first - 1, last + 1) if 0 <= index < len(lines)]
    return any(line.startswith(("#", "//", "/*", "*")) for line in around)
