"""The changed lines of a file as detectors want them: only what is new, and what of it is code."""

import re
from collections import Counter
from collections.abc import Iterator

from lrc.diff import FileDiff, Line
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.prose import prose_in
from lrc.syntax import code_of

_QUOTED = lazy(r"(?P<quote>[\"'`])(?:(?!(?P=quote)|\\).|\\.)*(?P=quote)")

_BLANKS = lazy(r"\s+")
_WRAPPED = 30
"""Characters of a line that stands in the removed ones, blanks and line ends aside, by no chance."""


def fresh_lines(file: FileDiff) -> Iterator[Line]:
    """The added lines, without those that the same change removed elsewhere: moved, re-indented and re-wrapped code is
    not new."""
    removed = Counter(line.text.strip() for hunk in file.hunks for line in hunk.removed)
    for hunk in file.hunks:
        before = "".join(_BLANKS.sub("", line.text) for line in hunk.removed)
        for line in hunk.added:
            text = line.text.strip()
            if removed[text]:
                removed[text] -= 1
            elif text and not (len(text) >= _WRAPPED and _BLANKS.sub("", text) in before):
                yield line


def code_in(line: Line, path: str, text: str | None) -> str:
    """A line of the new version with its comments and the insides of its strings blanked, columns kept.

    With the whole `text` the language's grammar decides; without it the line alone, which cannot see that it lies
    inside a string that began above.
    """
    language = language_of(path, text or "")
    number = line.new
    spans = prose_in(language, text, number, number) if text and number else ()
    if not spans:
        return _QUOTED.sub(_emptied, code_of(line.text, language))
    code = line.text
    for span in spans:
        code = code[: span.start] + " " * (min(span.end, len(code)) - span.start) + code[span.end :]
    return code


def is_code(match: re.Match[str], code: str) -> bool:
    """True when a match in a line begins with code, given the line's `code_in`."""
    start = match.end() - len(match[0].lstrip())
    return code[start : start + 1] == match.string[start : start + 1]


def _emptied(match: re.Match[str]) -> str:
    return match["quote"] + " " * (len(match[0]) - 2) + match["quote"]
