"""What an answer may look like (a grammar) and what is made of it (findings). One file, so that they agree.

An answer is one line of compact JSON with fixed key order. The grammar lists the labels of the hunk's own lines, so a
line outside it cannot be named; the parser checks everything again, since an answer may be cut short.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lrc.findings import Category, Severity
from lrc.reviewer.excerpt import Place

MESSAGE_MIN = 12
MESSAGE_MAX = 240
_CHARACTER = r'[^"\\\x7F\x00-\x1F] | "\\" ["\\/nt]'
_FREE_SEVERITIES = (Severity.MEDIUM, Severity.LOW, Severity.INFO)
"""Free text never blocks by itself: a small model's own word has not earned more than medium."""


@dataclass(frozen=True, slots=True)
class Comment:
    """One parsed comment, not yet tied to the change."""

    place: Place
    severity: Severity
    category: Category
    message: str
    replacement: str | None = None


def grammar_for_hunk(allowed: Sequence[Place], most: int) -> str:
    """GBNF of the answer to "what is wrong with this hunk": a list of at most `most` comments, perhaps empty."""
    labels = " | ".join(f'"\\"{place.label}\\""' for place in allowed)
    more = f'("," finding){{0,{most - 1}}}' if most > 1 else ""
    return "\n".join(
        (
            f'root ::= "{{\\"findings\\":[" (finding {more})? "]}}"',
            'finding ::= "{\\"line\\":" line ",\\"severity\\":" severity ",\\"category\\":" category '
            '",\\"message\\":" message (",\\"replacement\\":" code)? "}"',
            f"line ::= {labels}",
            f"severity ::= {_quoted(severity.label for severity in _FREE_SEVERITIES)}",
            f"category ::= {_quoted(category.value for category in Category)}",
            f'message ::= "\\"" character{{{MESSAGE_MIN},{MESSAGE_MAX}}} "\\""',
            'code ::= "\\"" character{1,160} "\\""',
            f"character ::= {_CHARACTER}",
        )
    )


def grammar_for_suspicion() -> str:
    """GBNF of the answer to "what goes wrong here": one sentence; place, category and severity are known already."""
    return "\n".join(
        (
            'root ::= "{\\"message\\":" message "}"',
            f'message ::= "\\"" character{{{MESSAGE_MIN},{MESSAGE_MAX}}} "\\""',
            f"character ::= {_CHARACTER}",
        )
    )


def parse_hunk_answer(text: str, allowed: Sequence[Place]) -> tuple[list[Comment], int]:
    """The comments of an answer and how many were dropped: unparsable, or about a line that is not in the hunk.

    An answer that was cut short still gives the comments that were complete.
    """
    by_label = {place.label: place for place in allowed}
    comments, dropped = [], 0
    entries, complete = _entries(text)
    for entry in entries:
        comment = _comment(entry, by_label)
        if comment is None:
            dropped += 1
        else:
            comments.append(comment)
    return comments, dropped + (not complete)


def parse_suspicion_answer(text: str) -> str:
    """The sentence; empty when the answer is not usable."""
    try:
        return _sentence(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return ""


def _entries(text: str) -> tuple[list[Any], bool]:
    """The list's complete entries, and whether the list itself was complete."""
    try:
        whole = json.loads(text)
        return list(whole["findings"]), True
    except (ValueError, KeyError, TypeError):
        pass
    start = text.find("[")
    decoder = json.JSONDecoder()
    entries: list[Any] = []
    position = start + 1
    while start >= 0 and position < len(text):
        try:
            entry, position = decoder.raw_decode(text, position)
        except ValueError:
            break
        entries.append(entry)
        if text[position : position + 1] != ",":
            break
        position += 1
    return entries, False


def _comment(entry: Any, by_label: dict[str, Place]) -> Comment | None:
    try:
        place = by_label[str(entry["line"])]
        severity = min(Severity.parse(str(entry["severity"])), Severity.MEDIUM)
        category = Category(entry["category"])
    except (KeyError, ValueError, TypeError):
        return None
    message = _sentence(entry.get("message"))
    replacement = entry.get("replacement")
    if not message or not (replacement is None or isinstance(replacement, str)):
        return None
    return Comment(place, severity, category, message, replacement)


def _sentence(value: Any) -> str:
    """The message with white space folded; empty when it says nothing."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if len(text) >= MESSAGE_MAX - 1 and ". " in text:
        text = text[: text.rindex(". ") + 1]  # the grammar's limit cut the last sentence short
    return text if len(text) >= MESSAGE_MIN and any(c.isalpha() for c in text) else ""


def _quoted(names: Any) -> str:
    return " | ".join(f'"\\"{name}\\""' for name in names)
