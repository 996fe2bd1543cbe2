"""Which hunks deserve a reviewer's time first, when there is not enough of it for all. Pure.

The order rests on what makes changes go wrong: evidence of a detector, guards that are gone, decisions that are taken
otherwise than before, code that runs for users rather than tests or prose about it, and size. Points, not
probabilities: only the order counts.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from lrc.diff import Hunk, Kind, Side
from lrc.findings import Finding, Severity
from lrc.patterns import lazy
from lrc.review import Unit
from lrc.syntax import PROSE, code_of, is_build_path, is_example_path, is_test_path

_EVIDENCE = {Severity.INFO: 0.5, Severity.LOW: 2.0, Severity.MEDIUM: 4.0, Severity.HIGH: 6.0, Severity.CRITICAL: 6.0}
"""Points for the gravest finding of a detector within the hunk."""
_GUARD_GONE, _DECISION_CHANGED, _DECISION_ADDED, _MODIFIED = 4.0, 3.0, 1.0, 1.0
_SENSITIVE, _TEST, _EXAMPLE, _BUILD, _DATA = 2.0, -4.0, -8.0, -1.0, -2.0
_MOST_FOR_SIZE = 3.0

_DECISION = lazy(
    r"\b(?:if|elif|elsif|else|unless|while|until|for|foreach|switch|case|when|match|return|break|continue|goto|raise|throw|"
    r"try|except|catch|rescue|finally|ensure|await|yield|synchronized|select|and|or|not|in|is)\b|&&|\|\||[<>!=]=|(?<![-=<])[<>](?![<>=])|\?"
)
_GUARD = lazy(
    r"\b(?:assert\w*|require\w*|ensure\w*|guard|check\w*|validat\w*|verif\w*|sanitiz\w*|escap\w*|authori[sz]\w*|permission\w*|"
    r"is_?(?:valid|admin|auth\w*|none|null|empty)|try|except|catch|rescue|finally|defer|close\w*|release|unlock|lock|rollback|"
    r"dispose|free|await|timeout|raise|throw|panic|abort)\b|\bif\b.*(?:\breturn\b|\braise\b|\bthrow\b|==\s*(?:nil|null|None)|!=\s*(?:nil|null|None)|!\w)",
    re.IGNORECASE,
)
_SENSITIVE_PATH = lazy(
    r"(?i)auth|login|session|passw|crypt|secur|token|permission|polic(?:y|ies)|payment|billing|invoice|checkout|admin|"
    r"migrat|upload|sanitiz|escape|acl|oauth|jwt"
)
_DATA_LANGUAGES = frozenset({"json", "yaml", "toml", "ini", "xml", "html", "css", "scss", ""})


def riskiest_first(units: Sequence[Unit], findings: Iterable[Finding] = ()) -> list[Unit]:
    """The units in the order in which they should be judged; equals keep the order that git gave them.

    `findings` is what detectors have found in the same change.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    scores = [risk(unit, by_path.get(unit.file.path, ())) for unit in units]
    return [units[place] for place in sorted(range(len(units)), key=lambda place: -scores[place])]


def risk(unit: Unit, findings: Sequence[Finding] = ()) -> float:
    """Points of one unit, given the findings in its file."""
    hunk, language = unit.hunk, unit.language
    evidence = max((_EVIDENCE[finding.severity] for finding in findings if _is_in(finding, hunk)), default=0.0)
    size = len(hunk.added) + len(hunk.removed)
    return evidence + _of_place(unit) + _of_change(hunk, language) + min(_MOST_FOR_SIZE, math.log2(1 + size) / 2)


def _of_place(unit: Unit) -> float:
    path = unit.file.path
    if unit.language in PROSE or is_example_path(path):
        return _EXAMPLE
    if is_test_path(path):
        return _TEST
    points = _SENSITIVE if _SENSITIVE_PATH.search(path) else 0.0
    if unit.language in _DATA_LANGUAGES:
        points += _DATA
    return points + (_BUILD if is_build_path(path) else 0.0)


def _of_change(hunk: Hunk, language: str) -> float:
    """Points for what is decided otherwise than before; a line that only moved within the hunk is neither."""
    added, removed = _code(hunk, Kind.ADDED, language), _code(hunk, Kind.REMOVED, language)
    new, gone = added - removed, removed - added
    points = _MODIFIED if gone else 0.0
    if sum(_matching(_GUARD, gone).values()) > sum(_matching(_GUARD, new).values()):
        points += _GUARD_GONE
    if _matching(_DECISION, gone):
        return points + _DECISION_CHANGED
    return points + (_DECISION_ADDED if _matching(_DECISION, new) else 0.0)


def _code(hunk: Hunk, kind: Kind, language: str) -> Counter[str]:
    texts = (code_of(line.text, language).strip() for line in hunk.lines if line.kind is kind)
    return Counter(text for text in texts if text)


def _matching(pattern: re.Pattern[str], lines: Counter[str]) -> Counter[str]:
    return Counter({text: count for text, count in lines.items() if pattern.search(text)})


def _is_in(finding: Finding, hunk: Hunk) -> bool:
    start, count = (hunk.new_start, hunk.new_count) if finding.side is Side.NEW else (hunk.old_start, hunk.old_count)
    return start <= finding.line < start + max(1, count)
