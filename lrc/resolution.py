"""What a merge result holds that comes from none of its parents: the part that somebody made while merging. Pure.

Derived from one two-sided diff a parent. git's own combined format (`git diff --cc`) has no use here: observed with
git 2.39, its hunk headers can give a wrong start and count for every parent but the first, so lines could neither be
counted nor numbered by it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lrc.diff import FileDiff, Hunk, Kind, Line

KEPT_AROUND = 3
"""Lines of the result that stay around what the resolution made, as context."""


def resolved(file: FileDiff, others: Sequence[FileDiff]) -> FileDiff | None:
    """The part of a merged file that no parent has; None when all of it comes from some parent.

    `file` is the change from the first parent to the result, `others` are those from the other parents. What is
    left reads as a change of the first parent: a line that the result shares with no parent is added, one that came
    from another parent is context without an old number, one that the first parent lost where the other parents
    changed too is removed. A file that one of the diffs could not show is given whole: too much rather than too little.
    """
    if not file.hunks:
        made = file.fault or file.binary or file.truncated or file.is_submodule or _mode_is_new(file, others)
        return file if made else None
    touched = [_touched(other) for other in others if other.hunks]
    if len(touched) < len(others):
        same = any(not (other.fault or other.binary or other.truncated) for other in others if not other.hunks)
        return None if same else file
    added = set.intersection(*(_added(other) for other in others)) if others else set()
    hunks = tuple(piece for hunk in file.hunks for piece in _pieces(_marked(hunk, touched, added), hunk))
    return replace(file, hunks=hunks) if hunks else None


def _mode_is_new(file: FileDiff, others: Sequence[FileDiff]) -> bool:
    """True when the result has a mode that no parent has."""
    return all(each.old_mode != each.new_mode for each in (file, *others))


def _added(file: FileDiff) -> set[int]:
    """The numbers, in the result, of the lines that a parent lacks."""
    return {line.new for hunk in file.hunks for line in hunk.added if line.new is not None}


def _touched(file: FileDiff) -> set[int]:
    """The numbers, in the result, of lines that a parent lacks and of those beside which it has more."""
    return {number for hunk in file.hunks for run in _runs(hunk) for number in _places(hunk, run)}


def _runs(hunk: Hunk) -> Iterator[range]:
    """The index ranges of unbroken changed lines."""
    start = None
    for index, line in enumerate(hunk.lines):
        if line.kind is Kind.CONTEXT:
            if start is not None:
                yield range(start, index)
            start = None
        elif start is None:
            start = index
    if start is not None:
        yield range(start, len(hunk.lines))


def _places(hunk: Hunk, run: range) -> set[int]:
    """Where a run stands in the result: its added lines, and both neighbours of what is removed."""
    places: set[int] = set()
    before = next((line.new for line in hunk.lines[run.start - 1 :: -1] if line.new), None) if run.start else None
    last = before if before is not None else hunk.new_start - (hunk.new_count > 0)
    for line in hunk.lines[run.start : run.stop]:
        if line.new is None:
            places |= {last, last + 1}
        else:
            places.add(line.new)
            last = line.new
    return places


def _marked(hunk: Hunk, touched: Sequence[set[int]], added: set[int]) -> list[Line]:
    """The hunk's lines as the resolution sees them: what came from another parent is context, or is gone."""
    marked = list(hunk.lines)
    drop: set[int] = set()
    for run in _runs(hunk):
        places = _places(hunk, run)
        own = all(places & each for each in touched)
        for index in run:
            line = hunk.lines[index]
            if line.kind is Kind.ADDED and not (own and line.new in added):
                marked[index] = replace(line, kind=Kind.CONTEXT)
            elif line.kind is Kind.REMOVED and not own:
                drop.add(index)
    return [line for index, line in enumerate(marked) if index not in drop]


def _pieces(lines: list[Line], hunk: Hunk) -> Iterator[Hunk]:
    """The hunk cut down to what the resolution made and a few lines around it."""
    changed = [index for index, line in enumerate(lines) if line.kind is not Kind.CONTEXT]
    start = 0
    for position, index in enumerate(changed):
        following = changed[position + 1] if position + 1 < len(changed) else None
        if following is not None and following - index <= 2 * KEPT_AROUND + 1:
            continue
        first = max(0, changed[start] - KEPT_AROUND)
        yield _hunk(lines, first, min(len(lines), index + KEPT_AROUND + 1), hunk)
        start = position + 1


def _hunk(lines: list[Line], first: int, stop: int, whole: Hunk) -> Hunk:
    """Lines `first` to `stop` as a hunk whose header fits them; a side without lines starts behind the one above."""
    piece = lines[first:stop]
    old = [line.old for line in piece if line.old is not None]
    new = [line.new for line in piece if line.new is not None]
    old_above = [line.old for line in lines[:first] if line.old is not None]
    new_above = [line.new for line in lines[:first] if line.new is not None]
    return Hunk(
        old_start=old[0] if old else old_above[-1] if old_above else max(0, whole.old_start - (whole.old_count > 0)),
        old_count=len(old),
        new_start=new[0] if new else new_above[-1] if new_above else max(0, whole.new_start - (whole.new_count > 0)),
        new_count=len(new),
        section=whole.section,
        lines=tuple(piece),
    )
