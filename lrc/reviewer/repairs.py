"""Which edits of a change are worth trying as repairs: few, because each costs an evaluation.

Three sources. What the model expected at a surprising token (an operator for an operator, a name of the passage for a
name); the slips that the text itself allows, ranked by what the model thinks of their first token; and for a modified
line the text that the change took away.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from lrc.prose import syntax_faults
from lrc.review import Unit
from lrc.reviewer.kinds import CLOSED, Kind, insertable, kind_of, removable, replaceable
from lrc.reviewer.passage import Passage, Written
from lrc.reviewer.slips import slips_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_SURPRISE = 1.0
"""Nats below which an expected token is no news."""
LEAST_SHARE = -3.0
"""Log-probability below which the expected token is itself a guess."""
NAME_SURPRISE = 2.0
"""Nats below which one name in another's place is taste."""
LEAST_CHANCE = -1.5
"""Nats by which the first token of a slip's repair may lose and still be tried: what follows can turn that round."""
TRIED = {"revert": 3, "closed": 3, "name": 1}
"""Repairs tried for a unit, by sort; each costs the evaluation of two short stretches."""
_ALTERNATIVES = 6
WORD = r"\w+|\s+|[^\w\s]+"
"""Cuts a line into names, white space and signs, with nothing left over."""
NAME = re.compile(r"[A-Za-z_]\w*")
IMPORT = re.compile(r"\s*(?:(?:import|require|include|#include)\b|(?:from|use|using|package)\b(?!\s*[(=.,:\[]))")
"""The beginning of a line that brings names in; `use(...)` is a call."""
_DEFINES = re.compile(
    r"\b(?:def|class|func|function|import|from|as|let|const|var|type|struct|interface|package|new|for|except|catch)\s+$"
)
_NAMED = re.compile(r"\s*(?:=(?!=)|:=)|\??:[ \t]+\S")
"""Behind what is assigned to, a keyword argument, a parameter with its type or a key: its author names it."""
_DECLARES = re.compile(
    r"(?<![\w.])(?!(?:return|await|not|and|or|in|is|else|new|yield|throw|raise|assert|if|elif|while|case|go|defer|print)\b)"
    r"[\w.]+[>\]*&]?[ \t]+$"
)
"""A type before a name that is called: that is where the name is declared."""
_SLIP_KINDS = {
    "boundary": Kind.COMPARISON, "direction": Kind.COMPARISON, "equality": Kind.COMPARISON,
    "membership": Kind.COMPARISON, "connective": Kind.LOGIC, "dropped-negation": Kind.NEGATION,
    "added-negation": Kind.NEGATION, "boolean": Kind.CONSTANT, "arithmetic": Kind.ARITHMETIC,
    "augmented": Kind.ASSIGNMENT, "overwritten": Kind.ASSIGNMENT, "off-by-one": Kind.ARITHMETIC,
    "zero-one": Kind.NUMBER, "loop-control": Kind.CONTROL, "dropped-await": Kind.AWAITING,
    "dropped-return": Kind.CONTROL, "needless-return": Kind.CONTROL, "bitwise": Kind.ARITHMETIC,
    "swapped-arguments": Kind.ORDER,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A place where the model is sure that something else was meant."""

    unit: Unit
    line: int
    """Line of the new file."""
    written: str
    """That line as it is."""
    expected: str
    """That line as the model would have it."""
    kind: Kind
    edit: str
    """`replace`, `insert`, `remove` or `revert`."""
    written_token: str
    expected_token: str
    surprise: float
    """Nats by which the first expected token beat the written one; negative where it lost."""
    share: float
    """Log-probability of the expected token."""
    reverts: bool
    """True when the expected line is the one that the change took away."""
    gain: float = 0.0
    """Nats by which the repaired text beats the written one over the edit and what follows."""


@dataclass(frozen=True, slots=True)
class Repair:
    """An edit of the passage that may be tried: characters `start` to `end` replaced by `text`."""

    suspicion: Suspicion
    start: int
    end: int
    text: str


def is_new_code(unit: Unit, passage: Passage, start: int) -> bool:
    """False in comments and strings, and for what a modified line has kept: the change did not write that."""
    row = passage.rows[passage.row_at(start)]
    column = start - passage.starts[passage.row_at(start)]
    if not row.added or any(span.line == row.number and span.start <= column < span.end for span in unit.prose):
        return False
    return row.old is None or not any(first <= column < end for first, end in _kept(row.text, row.old))


def _kept(new: str, old: str) -> list[tuple[int, int]]:
    """The stretches of a modified line, as columns, that stood in the old one too."""
    words, old_words = (re.findall(WORD, text) for text in (new, old))
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    blocks = SequenceMatcher(None, words, old_words, autojunk=False).get_matching_blocks()
    return [(starts[block.a], starts[block.a + block.size]) for block in blocks if block.size]


def surprises(
    unit: Unit, passage: Passage, token: Written, logits: "NDArray[np.float32]", total: float, pieces: "Pieces"
) -> Iterator[Repair]:
    """The repairs that the model's expectations at a written token suggest. `total` is the log of the sum of all."""
    import numpy as np

    actual = float(logits[passage.tokens[token.index]])
    if float(logits.max()) - actual < LEAST_SURPRISE or not is_new_code(unit, passage, token.start):
        return
    best = np.argpartition(logits, -_ALTERNATIVES)[-_ALTERNATIVES:]
    for candidate in best[np.argsort(-logits[best])]:
        value = float(logits[candidate])
        if value - actual < LEAST_SURPRISE or value - total < LEAST_SHARE:
            break
        yield from _edits(unit, passage, token, pieces(int(candidate)), (value - actual, value - total))


if TYPE_CHECKING:
    from collections.abc import Callable

    Pieces = Callable[[int], str]


def _edits(
    unit: Unit, passage: Passage, token: Written, expected: str, weight: tuple[float, float]
) -> Iterator[Repair]:
    """In place of the written token, before it, or by leaving it out."""
    word = expected.strip()
    kind = replaceable(token.text, expected)
    if kind is not None and kind is not Kind.NAME:
        yield repair_of(unit, passage, ("replace", kind), (token.start, len(token.text), word), weight)
    elif word == "return" and not passage.text[passage.starts[token.row] : token.start].strip():
        yield repair_of(unit, passage, ("insert", Kind.CONTROL), (token.start, 0, "return "), weight)
    elif (kind := insertable(expected)) and not passage.text[token.start - 1 : token.start].isalnum():
        gap = "" if word in ("!",) else " "
        yield repair_of(unit, passage, ("insert", kind), (token.start, 0, word + gap), weight)
    elif kind_of(token.text) is Kind.NAME and weight[0] >= NAME_SURPRISE:
        yield from _names(unit, passage, token, expected, weight)
    if kind := removable(token.text):
        following = passage.text[token.start + len(token.text) :]
        space = len(following) - len(following.lstrip(" "))
        if following.lstrip().startswith(word) or word.startswith(following.lstrip()[:2] or "\0"):
            yield repair_of(unit, passage, ("remove", kind), (token.start, len(token.text) + space, ""), weight)


def _names(
    unit: Unit, passage: Passage, token: Written, expected: str, weight: tuple[float, float]
) -> Iterator[Repair]:
    """Another name of the passage, whole, where a name was written: what the expected piece can be the middle of."""
    for match in NAME.finditer(passage.text, max(0, token.start - 60)):
        if match.end() > token.start:
            break
    else:
        return
    if match.start() > token.start or _DEFINES.search(passage.text[: match.start()][-24:]):
        return
    if passage.text[match.end() : match.end() + 1] == "(" and _DECLARES.search(passage.text[: match.start()][-60:]):
        return
    begun = passage.text[match.start() : token.start] + expected.strip()
    if _NAMED.match(passage.text[match.end() : match.end() + 8]):
        return
    if IMPORT.match(passage.rows[token.row].text):
        return
    others = {name for name in NAME.findall(passage.text) if name.startswith(begun) and name != match[0]}
    others = {name for name in others if kind_of(name) is Kind.NAME}
    for name in sorted(others, key=len)[:2]:
        change = (match.start(), len(match[0]), name)
        yield repair_of(unit, passage, ("replace", replaceable(match[0], name) or Kind.NAME), change, weight)


def slips(unit: Unit, passage: Passage) -> Iterator[Repair]:
    """Every one-place slip of the new code, taken back; what the model thinks of each is not known yet."""
    for slip in slips_in(unit.language, passage.text):
        place = passage.row_at(slip.start)
        row = passage.rows[place]
        if slip.end > passage.starts[place] + len(row.text) or not row.added:
            continue
        if not is_new_code(unit, passage, slip.start):
            continue
        edit = "insert" if slip.start == slip.end else "replace" if slip.text else "remove"
        change = (slip.start, slip.end - slip.start, slip.text)
        yield repair_of(unit, passage, (edit, _SLIP_KINDS[slip.kind]), change, (0.0, 0.0))


def repair_of(
    unit: Unit, passage: Passage, what: tuple[str, Kind], change: tuple[int, int, str], weight: tuple[float, float]
) -> Repair:
    """A repair in one line: its edit and kind; start, length and text of the change; surprise and share so far."""
    edit, kind = what
    start, length, text = change
    place = passage.row_at(start)
    row = passage.rows[place]
    offset = passage.starts[place]
    line = row.text[: start - offset] + text + row.text[start - offset + length :]
    suspicion = Suspicion(
        unit=unit,
        line=row.number or unit.hunk.new_start,
        written=row.text,
        expected=line,
        kind=kind,
        edit=edit,
        written_token=row.text[start - offset : start - offset + length].strip(),
        expected_token=text.strip(),
        surprise=weight[0],
        share=weight[1],
        reverts=edit == "revert" or (row.old is not None and row.old.split() == line.split()),
    )
    return Repair(suspicion, start, start + length, text)


def worth_trying(repairs: Iterable[Repair]) -> list[Repair]:
    """The most promising repairs, one for each edited line, so many of each sort; by surprise within a sort."""
    best: dict[tuple[int, str], Repair] = {}
    for repair in repairs:
        key = (repair.suspicion.line, " ".join(repair.suspicion.expected.split()))
        known = best.get(key)
        if known is None or known.suspicion.surprise < repair.suspicion.surprise:
            best[key] = repair
    left = dict(TRIED)
    chosen: list[Repair] = []
    for repair in sorted(best.values(), key=lambda item: -item.suspicion.surprise):
        sort = sort_of(repair.suspicion)
        if left[sort] > 0:
            left[sort] -= 1
            chosen.append(repair)
    return chosen


def parses(language: str, text: str, repair: Repair) -> bool:
    """Whether a text, itself only a part of a file, parses with the repair as well as without it."""
    repaired = text[: repair.start] + repair.text + text[repair.end :]
    return syntax_faults(language, repaired) <= syntax_faults(language, text)


def sort_of(suspicion: Suspicion) -> str:
    """`revert`, `closed` (one of few possible tokens for another) or `name`."""
    if suspicion.reverts:
        return "revert"
    return "closed" if suspicion.kind in CLOSED or suspicion.kind is Kind.ORDER else "name"


def common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
