"""The old text of a modified line as a repair: a regression is a change that the code around it does not want."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from lrc.review import Unit
from lrc.reviewer.kinds import Kind, insertable, kind_of, removable, replaceable
from lrc.reviewer.passage import Passage
from lrc.reviewer.repairs import IMPORT, NAME, WORD, Repair, Suspicion, repair_of

_ONE_WORD = {"return": Kind.CONTROL, "+ 1": Kind.ARITHMETIC, "- 1": Kind.ARITHMETIC}
"""What is a slip when it alone came or went."""


def reverts(unit: Unit, passage: Passage) -> Iterator[Repair]:
    """For each modified line the text that the change took away, as a repair, if the change could be a slip.

    Of a line that was changed in several places or by more than a word, each part alone that could be one: the rest may
    be what the change is for, and that an old text is likelier than a new one is no evidence against what is meant.
    """
    for place, row in enumerate(passage.rows):
        if row.old is None or row.old.split() == row.text.split() or IMPORT.match(row.text):
            continue
        offset = passage.starts[place]
        written, old = _only_change(row.text, row.old) or ("", "")
        kind = _kind_of_change(written, old)
        if kind is Kind.OTHER:
            yield from _in_part(unit, passage, place, row.old)
            continue
        suspicion = Suspicion(
            unit=unit,
            line=row.number or 0,
            written=row.text,
            expected=row.old,
            kind=kind,
            edit="revert",
            written_token=written.strip(),
            expected_token=old.strip(),
            surprise=0.0,
            share=0.0,
            reverts=True,
        )
        yield Repair(suspicion, offset, offset + len(row.text), row.old)


def _in_part(unit: Unit, passage: Passage, place: int, old_line: str) -> Iterator[Repair]:
    """What of a line's changes could be a slip, taken back alone: one of several, or the first word of a longer one."""
    text = passage.rows[place].text
    changes = _changes(text, old_line)
    first_words = [
        (start, start + len(written[0]), old[0])
        for start, end, old_text in changes
        if (written := re.findall(WORD, text[start:end])) and (old := re.findall(WORD, old_text))
        if len(written) + len(old) > 2
    ]
    for start, end, old in [*(changes if len(changes) > 1 else ()), *first_words]:
        kind = _kind_of_change(text[start:end], old)
        if kind is not Kind.OTHER:
            change = (passage.starts[place] + start, end - start, old)
            yield repair_of(unit, passage, ("revert", kind), change, (0.0, 0.0))


def _changes(new: str, old: str) -> list[tuple[int, int, str]]:
    """The columns of `new` that were changed, word by word, with the old text of each; white space alone is none."""
    words, old_words = (re.findall(WORD, text) for text in (new, old))
    starts, old_starts = ([0], [0])
    for word in words:
        starts.append(starts[-1] + len(word))
    for word in old_words:
        old_starts.append(old_starts[-1] + len(word))
    matcher = SequenceMatcher(None, words, old_words, autojunk=False)
    found = [
        (starts[first], starts[last], old[old_starts[old_first] : old_starts[old_last]])
        for name, first, last, old_first, old_last in matcher.get_opcodes()
        if name != "equal"
    ]
    return [change for change in found if new[change[0] : change[1]].split() != change[2].split()]


def _kind_of_change(written: str, old: str) -> Kind:
    """The kind of slip that writing one for the other would be; `OTHER` when it is none."""
    kind = replaceable(written, old) or (insertable(old) if not written.strip() else None)
    kind = kind or (removable(written) if not old.strip() else None)
    if kind is None and _is_name(written) and _is_name(old):
        # One may begin the other here: with both versions at hand that is a change, not a text cut differently.
        return Kind.NAME
    if kind is None and not (written.strip() and old.strip()):
        kind = _ONE_WORD.get((written + old).strip())
    if kind is None and sorted(NAME.findall(written)) == sorted(NAME.findall(old)) and len(NAME.findall(old)) > 1:
        return Kind.ORDER
    return kind or Kind.OTHER


def _is_name(text: str) -> bool:
    """Whether `text` is one name; the object itself counts as one."""
    word = text.strip()
    return word in ("self", "this") or (bool(NAME.fullmatch(word)) and kind_of(word) is Kind.NAME)


def _only_change(new: str, old: str) -> tuple[str, str] | None:
    """The words that stand in one place of a line instead of others; None when the lines differ in several places.

    Two names that changed places are one change.
    """
    words, old_words = (re.findall(WORD, text) for text in (new, old))
    matcher = SequenceMatcher(None, words, old_words, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    if not changes or (len(changes) > 1 and sorted(words) != sorted(old_words)):
        return None
    first, last = changes[0][1], changes[-1][2]
    old_first, old_last = changes[0][3], changes[-1][4]
    return "".join(words[first:last]), "".join(old_words[old_first:old_last])
