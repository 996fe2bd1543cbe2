"""What surrounds a hunk: its language, the enclosing definition, the lines just above and below."""

import re
from functools import lru_cache

from lrc.diff import FileDiff, Hunk, Kind
from lrc.language import language_of
from lrc.outline import outline
from lrc.prose import prose_in
from lrc.review import Enclosing, Unit

LINES_BEFORE = 25
"""Unchanged lines above a hunk that a unit holds unless the caller says otherwise."""
LINES_AFTER = 6
"""Unchanged lines below a hunk that a unit holds unless the caller says otherwise."""

_CALLABLE = re.compile(r"([\w.:~$]+)\s*(?:<[^()]*>)?\s*\(")
_WORD = re.compile(r"[\w.$-]+")


def unit_for(
    file: FileDiff, hunk: Hunk, new_text: str, *, before: int = LINES_BEFORE, after: int = LINES_AFTER
) -> Unit:
    """A hunk with its surroundings, as a reviewer judges it.

    `new_text` is the whole new version of the file (empty for a deleted one), `before` and `after` are the most
    lines to take from it. The text is split and parsed once for all its hunks.
    """
    language = language_of(file.path, new_text)
    lines = _lines(new_text)
    top = hunk.new_start - 1 if hunk.new_count else hunk.new_start
    bottom = top + hunk.new_count
    return Unit(
        file=file,
        hunk=hunk,
        enclosing=enclosing(hunk, language, new_text),
        before=lines[max(0, top - before) : top],
        after=lines[bottom : bottom + after],
        language=language,
        prose=prose_in(language, new_text, top + 1, bottom),
    )


def enclosing(hunk: Hunk, language: str, new_text: str) -> Enclosing | None:
    """The smallest definition of the new version that holds all that a hunk changes.

    By the language's grammar; without one, by the line that git printed after the hunk's `@@`. None when the change
    is not inside one definition.
    """
    definitions = outline(language, new_text)
    if not definitions:
        return _by_section(hunk, new_text)
    first, last = _changed(hunk)
    around = [item for item in definitions if item.start <= first and last <= item.end]
    return min(around, key=lambda item: (item.end - item.start, -item.start), default=None)


@lru_cache(maxsize=8)
def _lines(text: str) -> tuple[str, ...]:
    """The lines of a text; only a line feed ends one, as in git."""
    lines = text.split("\n")
    return tuple(lines[:-1] if not lines[-1] else lines)


def _changed(hunk: Hunk) -> tuple[int, int]:
    """First and last line of the new version that the hunk touches; a removal touches the line above it."""
    touched: list[int] = []
    above = hunk.new_start - 1 if hunk.new_count else hunk.new_start
    for line in hunk.lines:
        if line.new is not None:
            above = line.new
        if line.kind is not Kind.CONTEXT:
            touched.append(max(above, 1))
    return (touched[0], touched[-1]) if touched else (hunk.new_start, hunk.new_start)


def _by_section(hunk: Hunk, new_text: str) -> Enclosing | None:
    """The definition that git's section line names, as far as a line of text tells."""
    header = hunk.section.strip()
    if not header:
        return None
    lines = _lines(new_text)
    first = min(_changed(hunk)[0], len(lines))
    start = next((number for number in range(first, 0, -1) if lines[number - 1].strip().startswith(header)), 0)
    named = _CALLABLE.search(header) or _WORD.search(header)
    if named is None or not start:
        return None
    name = named[named.lastindex or 0].replace("::", ".")
    return Enclosing(name, header, start, max(start, hunk.new_start + hunk.new_count - 1))
