"""Changes that no reviewer needs to look at: only white space, only comments. Pure, decided before any token.

Errs towards "not trivial": a hunk whose lines cannot be read for sure is reviewed.
"""

import re

from lrc.diff import Hunk, Kind, Line
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import INDENTED, PROSE, comments_of

WHITE_SPACE = "only white space changed"
"""The reason given for a change of indentation, blank lines, trailing blanks or line ends."""
COMMENTS = "only comments changed"
"""The reason given for a change within comments."""

# Comments that a compiler, a linter or lrc itself obeys; changing one changes what runs or what is checked.
_DIRECTIVE = lazy(
    r"#!|#\[\w|go:|\+build|type:\s*ignore|noqa|nosec|nosemgrep|nolint|eslint|tslint|ts-(?:ignore|expect-error|nocheck)|"
    r"pragma|pylint|mypy:|ruff:|fmt:|coding[:=]|istanbul|c8 ignore|prettier-ignore|biome-ignore|lrc:|NOLINT|NOSONAR|"
    r"rubocop|frozen_string_literal|phpstan|psalm|@(?:ts|jsx|flow|license|param|return|type|var|throws|Suppress)|"
    r"shellcheck|syntax=|swiftlint|\$schema|cspell|lint:|clang-format|region",
    re.IGNORECASE,
)


def trivial(hunk: Hunk, path: str) -> str:
    """Why this hunk needs no reviewer, or the empty string when it does."""
    language = language_of(path)
    removed, added = list(hunk.removed), list(hunk.added)
    if _same_but_space(removed, added, language):
        return WHITE_SPACE
    if not language or language in PROSE:
        return ""
    if _all_comments(hunk, Kind.ADDED, language) and _all_comments(hunk, Kind.REMOVED, language):
        return COMMENTS
    return ""


def _same_but_space(removed: list[Line], added: list[Line], language: str) -> bool:
    before = [text for line in removed if (text := _folded(line.text, language))]
    after = [text for line in added if (text := _folded(line.text, language))]
    return before == after


def _folded(text: str, language: str) -> str:
    """The line without the white space that means nothing; blanks in a line that holds a quote may be content."""
    if language in INDENTED or not language:
        return text.rstrip()
    text = text.strip()
    return text if any(quote in text for quote in "\"'`") else " ".join(text.split())


def _all_comments(hunk: Hunk, kind: Kind, language: str) -> bool:
    """True when every line of `kind` is blank or wholly a comment, as far as the hunk itself proves it."""
    comments = comments_of(language)
    inside = False
    for line in hunk.lines:
        if line.kind is not kind and line.kind is not Kind.CONTEXT:
            continue
        text = line.text.strip()
        is_comment, inside = _comment_line(text, inside, comments.line, comments.block)
        if line.kind is kind and text and (not is_comment or _DIRECTIVE.search(text)):
            return False
    return True


def _comment_line(
    text: str, inside: bool, markers: tuple[str, ...], block: tuple[str, str] | None
) -> tuple[bool, bool]:
    """Whether the line is nothing but comment, and whether a block comment is still open after it."""
    if block and inside:
        _, closed, tail = text.partition(block[1])
        return (not tail.strip() if closed else True), not closed
    if block and text.startswith(block[0]):
        rest = text[len(block[0]) :]
        _, closed, tail = rest.partition(block[1])
        return (not tail.strip() if closed else True), not closed
    if block and block[0] in text and block[1] not in text.split(block[0], 1)[1]:
        # Code with a comment that opens after it. A quote before it may make it text, so what follows stays code.
        opener = text.split(block[0], 1)[0]
        return False, not any(mark in opener for mark in "\"'`") and not any(mark in opener for mark in markers)
    return text.startswith(markers) if markers else False, inside
