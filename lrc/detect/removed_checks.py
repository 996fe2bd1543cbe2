"""Checks and cleanup that a change takes away while the code that relied on them stays.

A guard (`if ...: raise`), an assertion, a call that closes or unlocks; or the condition, lock or error handler around
lines that stay. The shape tells: nothing was put in its place, it did not move within the file, and what it spoke
about is still used below. In ordinary commits most checks that go were meant to go, with what they were about or into
another form; `lrc.detect.gaps` knows the usual reasons. What is left may still be meant: never more than medium.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from lrc.detect.detector import Scope, finding_at
from lrc.detect.gaps import KEYWORDS, NAME, QUESTION, Around
from lrc.detect.rules import product_code
from lrc.diff import FileDiff, Hunk, Kind, Line
from lrc.findings import Category, Finding, Severity
from lrc.patterns import lazy
from lrc.syntax import code_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_LANGUAGES = frozenset({
    "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "python", "ruby", "rust", "swift", "tsx",
    "typescript",
})  # fmt: skip
_GUARDS = frozenset({"if_statement", "if_expression", "if", "guard_statement"})
_LEAVING = lazy(r"(?:return|raise|throw|panic!?|abort|exit|die|fail)\b")
"""How a check ends. One that goes on with the next round of a loop chooses what the loop is about."""
_CLEANING = lazy(
    r"(?:defer |await )?[\w$>.?-]*?(?:\.|->|\b)(?:a?close|unlock|release|free|disconnect|shutdown|cleanup|dispose|"
    r"rollback|flush|cancel|Close|Unlock|RUnlock|Release|Done|Dispose|DisposeAsync|Cancel)\(.*\)\s*;?"
)
_ASSERTION = lazy(r"assert\b|(?:debug_)?assert\w*!?\s*\(|(?:Preconditions\.|Objects\.)?(?:check|require)\w*\(")
_ERROR_CHECK = lazy(r"if\s*\(?\s*(?:[^;{]*;\s*)?!?\w*[eE]rr\w*\s*(?:!=\s*(?:nil|null|NULL|0)|[<)])")
_OPENER = lazy(
    r"(?P<condition>(?:if|unless)\b.*)"
    r"|(?P<lock>(?:async )?with .*\block\b.*:|(?:async )?with .*[lL]ock.*:|synchronized\s*\(.*|lock\s*\(.*)"
    r"|(?P<attempt>try\s*[:{]?\s*|begin\s*)"
)
_HANDLER = lazy(r"\s*\}?\s*(?:except|catch|rescue|finally|ensure)\b")
_ALTERNATIVE = lazy(r"\s*\}?\s*(?:else|elif|elsif)\b")
"""With it a condition is no check but a choice, and the branch that stays may be either."""
_CHOICE = lazy(r"={2,3}\s*[\"']")
_ANSWER = lazy(r"\breturn\s+(?!.*(?i:err|fail|invalid|forbid|deni|deny|exception))[^\n]*\(")
_MARKUP = lazy(r"(?:return\s*\(?\s*)?<[/A-Za-z]")
_VERSION = lazy(r"\bversion_info\b|\bPY[23]\b|\b(?:RUBY|PHP)_VERSION\b|\bprocess\.versions?\b|\b__cplusplus\b")
"""A question about the language's own version goes when that version is no longer supported."""
_LACKING = lazy(r"\s*except\s*\(?(?:[\s,]*(?:Attribute|Import|ModuleNotFound|Name)Error)+\)?[^:]*:\s*")
"""Handles what an old version of the language or of a library does not have."""
_BINDING = lazy(r"\blet\b|:=")
"""A condition that gives a name to what it found: what stood under it cannot stay without it but on purpose."""
_COMPLAINT = lazy(r"\"[^\"\n]{12,}\"|'[^'\n]{12,}'")
"""A string long enough to be a sentence to somebody."""
_LINES_BELOW, _LINES_ABOVE, _NEAR = 40, 12, 8
_REBUILT = 2
"""Places that lose lines above which a file is rebuilt: a check goes there because something else sees to it."""
_REWRITTEN = 150
"""Removed lines above which a file is written anew: what a check went with cannot be told any more."""
_DOUBT = " Make sure that this was meant."
_MOST_STATEMENTS = 3
"""Statements of a guard's body: with more it is a part of the work, not a check before it."""


class RemovedChecks:
    """Guards, assertions, cleanup, locks and error handlers that went and were not replaced."""

    name = "removed-checks"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a check, on the removed line where it began."""
        language = product_code(file, text, _LANGUAGES)
        if not text or not language:
            return
        lines = text.split("\n")
        around = Around.of(file, text)
        gaps = _gaps(file)
        if gaps > _REBUILT or sum(len(hunk.removed) for hunk in file.hunks) > _REWRITTEN:
            return
        added = Counter(line.text.strip() for hunk in file.hunks for line in hunk.added)
        for hunk in file.hunks:
            for start, end in _runs(hunk):
                run = hunk.lines[start:end]
                at = _place_below(hunk, end)
                below = lines[at : at + _LINES_BELOW]
                if all(line.kind is Kind.REMOVED for line in run):
                    above = [line for line in lines[max(0, at - _LINES_ABOVE) : at] if QUESTION.match(line)]
                    found = _statements(run, below, added, language, around.beside(hunk, above))
                else:
                    found = _unwrapped(run, text, language, alone=gaps == 1)
                for line, message in found:
                    severity, doubt = (Severity.MEDIUM, "") if gaps == 1 else (Severity.LOW, _DOUBT)
                    yield finding_at(
                        file, line, self, severity, Category.REMOVED_CHECK, message + doubt, confidence=0.6
                    )


def _gaps(file: FileDiff) -> int:
    """How many places of a file lose lines. A check that goes alone may be a slip; in rebuilt code it rather went on
    purpose."""
    return sum(
        any(line.kind is Kind.REMOVED for line in hunk.lines[start:end])
        for hunk in file.hunks
        for start, end in _runs(hunk)
    )


def _runs(hunk: Hunk) -> Iterator[tuple[int, int]]:
    """Each unbroken run of changed lines, as indexes."""
    start = 0
    for index, line in enumerate((*hunk.lines, None)):
        if line is None or line.kind is Kind.CONTEXT:
            if index > start:
                yield start, index
            start = index + 1


def _place_below(hunk: Hunk, end: int) -> int:
    """0-based line of the new text that follows the first `end` lines of the hunk."""
    last = next((line.new for line in reversed(hunk.lines[:end]) if line.new is not None), None)
    return last if last is not None else max(0, hunk.new_start - (hunk.new_count > 0))


def _statements(
    run: Sequence[Line],
    below: Sequence[str],
    added: Counter[str],
    language: str,
    around: Around,
) -> Iterator[tuple[Line, str]]:
    """Whole statements that went, nothing having come in their place."""
    from ast_grep_py import SgRoot

    told = [line.text.strip(" \t;") for line in run if len(line.text.strip(" \t;")) > 3]
    if not told or any(text in other for text in told for other in added):
        return  # it moved, or stands there in another form
    indent = min((len(line.text) - len(line.text.lstrip()) for line in run if line.text.strip()), default=0)
    text = "\n".join(line.text[indent:] if line.text.strip() else "" for line in run)
    rest = frozenset(NAME.findall("\n".join(below)))
    nodes = list(_top(SgRoot(f"<?php\n{text}" if language == "php" else text, language).root()))
    if len(nodes) > _MOST_STATEMENTS + 1:
        return  # a stretch of work went, its checks with it
    for node in nodes:
        message, subject = _loss(node)
        names = [name for name in dict.fromkeys(NAME.findall(subject)) if name not in KEYWORDS]
        used = [name for name in names if name in rest]
        if message and (around.excuses(node.text(), subject, used) or _is_said_below(node.text(), below)):
            continue
        if message and (used or _ERROR_CHECK.match(node.text()) or _CLEANING.match(node.text())):
            about = f" `{used[0]}` is still used below." if used and _GUARDS & {node.kind()} else ""
            yield run[node.range().start.line - (language == "php")], message + about


def _is_said_below(text: str, below: Sequence[str]) -> bool:
    """True when what the check complained with is still said just below: another check finds the same fault."""
    said = _COMPLAINT.findall(text)
    return bool(said) and all(any(complaint in line for line in below[:_NEAR]) for complaint in said)


def _top(root: "SgNode") -> Iterator["SgNode"]:
    for child in root.children():
        if child.kind() in ("ERROR", "statements", "global_statement", "source_file"):
            yield from _top(child)
        elif child.is_named() and "comment" not in child.kind() and child.kind() != "php_tag":
            yield child


def _loss(node: "SgNode") -> tuple[str, str]:
    """What a statement's removal takes away, in words, and the text that says what it was about; else empty."""
    text = node.text()
    inner = node
    if node.kind() == "expression_statement" and (named := [child for child in node.children() if child.is_named()]):
        inner = named[0]
    if inner.kind() in _GUARDS:
        condition = inner.field("condition")
        if _VERSION.search((condition or inner).text()):
            return "", ""
        if _CHOICE.search((condition or inner).text()) and _ANSWER.search(text):
            return "", ""  # one of several cases, which had an answer of its own
        return (
            (f"The check `{_first(text)}` is gone, and nothing takes its place.", (condition or inner).text())
            if _only_leaves(inner)
            else ("", "")
        )
    if _CLEANING.fullmatch(text.strip()):
        return f"`{_first(text)}` is gone: what it gave back stays taken.", text
    if _ASSERTION.match(text):
        return f"The assertion `{_first(text)}` is gone.", text
    return "", ""


def _first(text: str) -> str:
    """The first line of a statement, cut for a sentence."""
    line = text.strip().partition("\n")[0].rstrip(" {:;")
    return line if len(line) <= 60 else line[:57] + "..."


def _only_leaves(node: "SgNode") -> bool:
    """True for a condition without an alternative whose body is short and ends by leaving."""
    if any(child.kind().startswith(("else", "elif", "elsif")) for child in node.children()):
        return False
    body = node.field("consequence") or node.field("body")
    body = body or next((child for child in node.children() if child.kind() in ("block", "then", "statements")), None)
    if body is None:
        return False
    statements = [line for line in re.split(r"[;\n{}]|\bthen\b", body.text()) if line.strip(" \t:")]
    code = [line.strip() for line in statements if not line.strip().startswith(("#", "//", "/*", "*"))]
    leaving = [index for index, line in enumerate(code) if _LEAVING.match(line)]
    if leaving and (any(QUESTION.match(line) for line in code[: leaving[0]]) or any(map(_MARKUP.match, code))):
        return False  # it does a part of the work, or shows a page
    return bool(leaving) and leaving[0] < _MOST_STATEMENTS and len(code) <= 4 * _MOST_STATEMENTS


def _unwrapped(run: Sequence[Line], text: str, language: str, *, alone: bool) -> Iterator[tuple[Line, str]]:
    """A condition, lock or error handler that went while the lines inside stay, less indented, and nothing else was
    done there. What a condition spoke about must still exist: with an option its questions go, too; and it must be
    the only loss of the file, since two conditions that go together were weighed together."""
    gone = Counter(line.text.strip() for line in run if line.kind is Kind.REMOVED)
    if any(not gone[line.text.strip()] for line in run if line.kind is Kind.ADDED and line.text.strip()):
        return
    came = [line for line in run if line.kind is Kind.ADDED and line.text.strip()]
    went = [line for line in run if line.kind is Kind.REMOVED and line.text.strip()]
    depth = {line.text.strip(): _depth(line.text) for line in came}
    for line, following in pairwise(went):
        code = code_of(line.text, language).strip()
        match = _OPENER.fullmatch(code)
        if match is None or code in depth or _depth(following.text) <= _depth(line.text):
            continue
        kept = following.text.strip()
        if depth.get(kept, 1 << 20) > _depth(line.text) or len(kept) < 4:
            continue
        sort = match.lastgroup or ""
        if any(_OPENER.fullmatch(code_of(each.text, language).strip()) for each in came):
            return  # another one came in its place
        if sort == "condition":
            chosen = any(_ALTERNATIVE.match(each.text) and _depth(each.text) == _depth(line.text) for each in went)
            if chosen or _BINDING.search(code) or _VERSION.search(code) or not alone:
                return
            names = [name for name in re.findall(r"(?<![\w.>])[A-Za-z_]\w*", code) if name not in KEYWORDS]
            if any(not re.search(rf"\b{re.escape(name)}\b", text) for name in names):
                return
            yield line, f"What stood under `{_first(code)}` now always runs."
        elif sort == "lock":
            yield line, f"What `{_first(code)}` protected now runs without it."
        elif (
            not _only_bridges(went)
            and not _is_kept_up(went, came)
            and not any(_HANDLER.match(each.text) for each in came)
        ):
            yield line, "The error handling around these lines is gone."


def _only_bridges(went: Sequence[Line]) -> bool:
    """True when the handlers that went were for versions that lack what is used, and there are some."""
    heads = [line.text for line in went if _HANDLER.match(line.text)]
    return bool(heads) and all(map(_LACKING.fullmatch, heads))


def _is_kept_up(went: Sequence[Line], came: Sequence[Line]) -> bool:
    """True when no handler went but a `finally` whose work is still done."""
    heads = [index for index, line in enumerate(went) if _HANDLER.match(line.text)]
    stay = {line.text.strip() for line in came}
    return bool(heads) and all(
        re.match(r"\s*\}?\s*(?:finally|ensure)\b", went[head].text)
        and went[head + 1 : head + 2]
        and went[head + 1].text.strip() in stay
        for head in heads
    )


def _depth(text: str) -> int:
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
