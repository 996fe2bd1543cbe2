"""Errors caught and dropped, with nothing said and nothing done."""

import re
from collections.abc import Iterator

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import fresh_lines
from lrc.detect.rules import LONGEST_NODE, nodes_of, parse, product_code
from lrc.diff import FileDiff
from lrc.findings import Category, Finding, Severity
from lrc.patterns import lazy

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
        r"rescue(?:\s+(?:StandardError|Exception))?(?:\s*=>\s*\w+)?\s*(?:nil|;)?\s*$|.*\brescue\s+nil$",
    ),
    "kotlin": (("catch_block",), rf"catch\s*\(\s*\w+\s*:\s*(?:Exception|Throwable)\s*\)\s*{_EMPTY_BODY}$"),
    "promise": (("call_expression",), r".*\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\{\s*\}\s*\)$"),
    "suppress": (("call",), r"(?:contextlib\.)?suppress\(\s*(?:Base)?Exception\s*\)$"),
    "swift": (("catch_block",), rf"catch\s*{_EMPTY_BODY}$"),
}
_HANDLERS |= dict.fromkeys(("typescript", "tsx"), _HANDLERS["javascript"])
_ALSO = {"python": "suppress", "javascript": "promise", "typescript": "promise", "tsx": "promise"}
"""A second way to drop errors, where a language has one."""
_HINT = lazy(r"\b(?:except|catch|rescue|err\s*!=\s*nil|pass|suppress)\b")
_COMMENT = lazy(r"#|//|/\*")
_MESSAGE = "Every error ends here unseen: name the ones that may happen, or log them"


class SwallowedErrors:
    """Handlers for everything whose body does nothing. One with a comment has been thought about and passes."""

    name = "swallowed-errors"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a handler, on its first line if that is added, else on the added line that emptied it."""
        language = product_code(file, text, _HANDLERS)
        if not text or not language:
            return
        added = {line.new: line for line in fresh_lines(file) if line.new is not None}
        if not any(_HINT.search(line.text) for line in added.values()):
            return
        lines = text.split("\n")
        for name in (language, *([_ALSO[language]] if language in _ALSO else [])):
            kinds, pattern = _HANDLERS[name]
            for node in nodes_of(parse(language, text), kinds):
                first, last = node.range().start.line, node.range().end.line
                touched = [number for number in range(first + 1, last + 2) if number in added]
                if not touched or len(node.text()) > LONGEST_NODE or not re.match(pattern, node.text(), re.DOTALL):
                    continue
                if _COMMENT.search("\n".join(lines[first : last + 1])) or _explained(lines, first, last):
                    continue
                line = added[touched[-1] if name == "promise" else touched[0]]
                yield finding_at(file, line, self, Severity.MEDIUM, Category.RELIABILITY, _MESSAGE, confidence=0.85)


def _explained(lines: list[str], first: int, last: int) -> bool:
    """True for a comment alone on the line above the handler or below it, where some put it."""
    around = [lines[index].strip() for index in (first - 1, last + 1) if 0 <= index < len(lines)]
    return any(line.startswith(("#", "//", "/*", "*")) for line in around)
