"""Rules on syntax: nodes of some kinds whose text matches, where the change touches them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from lrc.detect.detector import Detector, finding_at
from lrc.detect.lines import fresh_lines
from lrc.diff import FileDiff, Line
from lrc.findings import Category, Finding, Severity
from lrc.language import GRAMMARS, PARSE_LIMIT, language_of
from lrc.patterns import lazy
from lrc.syntax import code_of, is_build_path, is_example_path, is_test_path

if TYPE_CHECKING:
    from ast_grep_py import SgNode

TLS_OFF = "Certificate checks are switched off: anybody on the way can read and change the traffic"
"""The message of every rule on TLS. A client that offers the choice has such code below the question for it."""
_ASKED = lazy(
    r"(?i)\b(?:if|elif|unless|case|when|else if)\b.*"
    r"(?:verif|insecure|trust|certs?\b|hostname|tls|ssl|skip|unauthorized|selfsigned)"
)
_LINES_ABOVE = 5
_SPLICED = lazy(
    r"[#$]?\{\s*([\w.@:$]+)[^{}]*\}|\$(\w+)|\+\s*([\w.]+)|([\w.]+)\s*\+|%\s*\(?([\w.]+)|format\(\s*([\w.]+)"
)
"""What is put into a text, in the ways of all languages."""
_OWN_NAME = lazy(
    r"(?:[\w.@:$]*[_.@:$])?(?:root|shared|home|base|prefix|version|tmp|command|cmd|bin|exe|executable|args|flags|options?|"
    r"config|cwd|port|timeout)|[\w.@:$]+_(?:path|dir|root|file)|[\w.]*[a-z](?:Path|Dir|Root|Version)|[\w.]*\b[A-Z][A-Z0-9_]{2,}"
)
LONGEST_NODE = 4_000
"""Characters of a node above which it is a whole block, not the one expression that a rule is about."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of trouble in one or several languages."""

    languages: tuple[str, ...]
    kinds: tuple[str, ...]
    """Node kinds of tree-sitter; a rule looks at nothing else, so comments and strings are never taken for code."""
    regex: str
    """What the node's text matches, from its start. Python syntax; blanks and line feeds are as in the source."""
    message: str
    severity: Severity = Severity.HIGH
    category: Category = Category.SECURITY
    hint: str = ""
    """What the line to point at holds: an added line of the node must match. Without one nothing is even parsed."""
    unless: str = ""
    """What in the node's text makes it harmless."""
    inside: str = ""
    """What the enclosing function's text must match."""
    mild_names: bool = False
    """True: no more than medium when all that is spliced in is called like something of the project's own."""


def apply_rules(
    file: FileDiff, text: str | None, language: str, rules: Sequence[Rule], detector: Detector
) -> Iterator[Finding]:
    """One finding a line, by its gravest rule, on the added line that holds the rule's hint."""
    if not text or not rules or len(text) > PARSE_LIMIT or language not in GRAMMARS:
        return
    usable = [rule for rule in sorted(rules, key=lambda rule: -rule.severity) if language in rule.languages]
    hints = _compiled("|".join(sorted({f"(?:{rule.hint})" for rule in usable})))
    added = {line.new: line for line in fresh_lines(file) if line.new is not None and hints.search(line.text)}
    seen: set[int] = set()
    for rule in usable if added else ():
        hinted = {number for number, line in added.items() if _compiled(rule.hint).search(line.text)}
        if not hinted:
            continue
        for line, source in _matches(parse(language, text), rule, added, hinted):
            if rule.message == TLS_OFF and _is_asked_for(text, line):
                continue
            if line.new not in seen:
                seen.add(line.new or 0)
                if rule.mild_names and is_build_path(file.path) and _is_quoted(source):
                    continue  # a tool of the project that runs for who writes it, and minds blanks
                mild = (rule.mild_names and _is_own(source)) or (
                    rule.message == TLS_OFF and _is_reasoned(text, line, language)
                )
                severity = min(rule.severity, Severity.MEDIUM) if mild else rule.severity
                yield finding_at(file, line, detector, severity, rule.category, rule.message, confidence=0.9)


def product_code(file: FileDiff, text: str | None, languages: Collection[str]) -> str:
    """The language of a file whose syntax a detector can read and whose faults reach users; else the empty string.

    Tests and examples are left out, as are languages without a grammar and texts too large to parse.
    """
    language = language_of(file.path, text or "")
    if not text or language not in languages or language not in GRAMMARS or len(text) > PARSE_LIMIT:
        return ""
    return "" if is_test_path(file.path) or is_example_path(file.path) else language


def nodes_of(root: "SgNode", kinds: Sequence[str]) -> "list[SgNode]":
    """Every node of one of the kinds, in the order of the text."""
    found: list[SgNode] = root.find_all({"rule": {"any": [{"kind": kind} for kind in kinds]}})
    return found


@lru_cache(maxsize=2)
def parse(language: str, text: str) -> "SgNode":
    """The syntax tree of a text; `language` must be one of `lrc.language.GRAMMARS`."""
    from ast_grep_py import SgRoot

    return SgRoot(text, language).root()


def _matches(root: "SgNode", rule: Rule, added: dict[int, Line], hinted: set[int]) -> Iterator[tuple[Line, str]]:
    pattern, unless, inside = (_compiled(part) for part in (rule.regex, rule.unless, rule.inside))
    for node in nodes_of(root, rule.kinds):
        span = node.range()
        first, last = span.start.line + 1, span.end.line + 1
        lines = [number for number in range(first, min(last, first + 200) + 1) if number in hinted]
        if not lines:
            continue
        source = node.text()
        if len(source) > LONGEST_NODE or not pattern.match(source) or (rule.unless and unless.search(source)):
            continue
        if rule.inside and not inside.search(_around(node)):
            continue
        yield added[lines[0]], source


def _is_own(source: str) -> bool:
    """True when everything that is spliced into `source` has a name as paths, versions and constants have."""
    names = [next(part for part in match.groups() if part) for match in _SPLICED.finditer(source)]
    return bool(names) and all(_OWN_NAME.fullmatch(name) for name in names)


def _is_quoted(source: str) -> bool:
    """True when all that is spliced into a command stands between quotes of the shell, or is a number."""
    outer = re.search(r"[\"'`]", source)
    inner = [quote for quote in "\"'" if outer and quote != outer[0]]
    spliced = list(_SPLICED.finditer(source))
    return bool(spliced) and all(
        any(source.count(quote, 0, match.start()) % 2 for quote in inner)
        or re.search(r"(?i)(?:number|count|port|pid)$", next(part for part in match.groups() if part))
        for match in spliced
    )


def _is_asked_for(text: str, line: Line) -> bool:
    """True when a condition just above lets the user decide."""
    number = line.new or 1
    return any(_ASKED.search(above) for above in text.split("\n", number)[max(0, number - 1 - _LINES_ABOVE) : number])


def _is_reasoned(text: str, line: Line, language: str) -> bool:
    """True for a line below a condition with a comment right above it: chosen for one case, and said why."""
    number = (line.new or 1) - 1
    above = text.split("\n", number)[max(0, number - 2 * _LINES_ABOVE) : number]
    comments = 0
    while above and above[-1].strip() and not code_of(above[-1], language).strip():
        above.pop()
        comments += 1
    indent = len(line.text) - len(line.text.lstrip())
    outer = next((each for each in reversed(above) if each.strip() and len(each) - len(each.lstrip()) < indent), "")
    return comments > 0 and re.match(r"\s*\}?\s*(?:if|elif|else|case|when|unless|switch)\b", outer) is not None


def _around(node: "SgNode") -> str:
    """The text of the function around a node, or of the whole file's top level statement."""
    best = node
    for parent in node.ancestors():
        if any(part in parent.kind() for part in ("function", "method", "lambda", "constructor")):
            return str(parent.text())
        if parent.parent() is not None:
            best = parent
    return str(best.text())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
