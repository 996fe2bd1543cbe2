"""Slips at the level of one operator, constant or name, as edits of a text: how code that was meant otherwise looks.

The table is symmetrical: what one slip writes, another takes back. So the same edits serve to try repairs and to plant
defects.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slip:
    """Characters `start` to `end` of a text replaced by `text`."""

    kind: str
    start: int
    end: int
    text: str


_SWAPS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("boundary", r"(?<![<>=\-!])(?:<=|>=|<|>)(?![<>=])(?=\s)", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ("direction", r"(?<![<>=\-!])(?:<=|>=|<|>)(?![<>=])(?=\s)", {"<": ">", ">": "<", "<=": ">=", ">=": "<="}),
    (
        "equality",
        r"===|!==|(?<![=!<>])==(?!=)|!=(?!=)|\bis not\b|\bis\b(?= None| True| False)",
        {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "is": "is not", "is not": "is"},
    ),
    ("membership", r"\bnot in\b|(?<!not )(?<=\s)in\b(?=\s)", {"in": "not in", "not in": "in"}),
    ("connective", r"\band\b|\bor\b|&&|\|\|", {"and": "or", "or": "and", "&&": "||", "||": "&&"}),
    ("dropped-negation", r"\bnot (?!in\b)|!(?=[\w(])", {"not ": "", "!": ""}),
    (
        "boolean",
        r"\bTrue\b|\bFalse\b|\btrue\b|\bfalse\b",
        {"True": "False", "False": "True", "true": "false", "false": "true"},
    ),
    (
        "arithmetic",
        r"(?<=\s)[+\-*/](?=\s)|(?<=\s)(?://|%)(?=\s)",
        {"+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "/"},
    ),
    ("augmented", r"(?<=\s)(?:\+=|-=|\*=|\|=|&=)(?=\s)", {"+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|="}),
    ("overwritten", r"(?<=\s)(?:\+=|-=|\|=)(?=\s)", {"+=": "=", "-=": "=", "|=": "="}),
    ("off-by-one", r" [+-] 1\b(?![.\w])", {" + 1": "", " - 1": ""}),
    ("zero-one", r"(?<=[\[(\s])[01](?=[\]\),:;\s])(?!\.)", {"0": "1", "1": "0"}),
    ("loop-control", r"\bbreak\b|\bcontinue\b", {"break": "continue", "continue": "break"}),
    ("dropped-await", r"\bawait (?!for\b)", {"await ": ""}),
    ("bitwise", r"(?<=\s)(?:<<|>>|&|\|)(?=\s)", {"<<": ">>", ">>": "<<", "&": "|", "|": "&"}),
)
_RETURN = re.compile(r"(?m)^[ \t]+(return )(?=[\w.]+\()")
_CONDITION = re.compile(
    r"(?:\b(?:if|while|elif|unless|and|or) \(?|(?:&&|\|\|) )(?=[\w.]+(?:\(|:|\)|\n| and | or | &&| \|\|| \{))"
)
_LAST_CALL = re.compile(r"(?m)^(?P<gap>[ \t]+)(?=[\w.]+\([^=\n]*\);?$)(?=[^\n]*\n(?!(?P=gap)))")
"""A call that is the last statement of its block: its value may have been meant to be returned."""
_ARGUMENTS = re.compile(r"(?<=\(|,)\s*([A-Za-z_]\w*)(,\s*)([A-Za-z_]\w*)(?=[,)])")
WORDY = frozenset({"python", "ruby"})
"""Languages that write negation as a word."""

NEEDLESS_RETURN = "needless-return"
"""Only worth something as a repair: a value returned that nobody asked for breaks nothing."""
SWAPPED = tuple(kind for kind, _, _ in _SWAPS)
"""The kinds that put one operator, constant or keyword in another's place."""


def slips_in(language: str, text: str) -> Iterator[Slip]:
    """Every one-place slip that a text allows, comments and strings not told apart from code."""
    for kind, pattern, swaps in _SWAPS:
        if kind == "bitwise" and language == "python":
            continue  # mostly unions in annotations, which nothing runs
        for match in re.finditer(pattern, text):
            if kind == "dropped-negation" and (match[0] == "!") is (language in WORDY):
                continue  # in Python an exclamation mark is a conversion
            yield Slip(kind, match.start(), match.end(), swaps[match[0]])
    for match in _RETURN.finditer(text):
        yield Slip("dropped-return", match.start(1), match.end(1), "")
    for match in _LAST_CALL.finditer(text):
        yield Slip(NEEDLESS_RETURN, match.end(), match.end(), "return ")
    negation = "not " if language in WORDY else "!"
    for match in _CONDITION.finditer(text):
        yield Slip("added-negation", match.end(), match.end(), negation)
    for match in _ARGUMENTS.finditer(text):
        if match[1] != match[3]:
            yield Slip("swapped-arguments", match.start(1), match.end(3), match[3] + match[2] + match[1])
