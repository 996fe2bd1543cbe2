"""What a merge result holds that comes from no parent, on diffs written by hand."""

from dataclasses import replace

import pytest

from lrc.diff import FileDiff, Hunk, Kind, Line, Status
from lrc.resolution import resolved
from tests.support.patching import added, removed


def between(old: list[str], new: list[str], common: int = 3) -> FileDiff:
    """The change from one list of lines to another, as `difflib` sees it, in hunks like git's."""
    from difflib import SequenceMatcher

    hunks = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(common):
        lines = []
        for tag, first, last, start, stop in group:
            if tag == "equal":
                lines += [
                    Line(Kind.CONTEXT, old[first + step], first + step + 1, start + step + 1)
                    for step in range(last - first)
                ]
                continue
            lines += [Line(Kind.REMOVED, old[index], index + 1, None) for index in range(first, last)]
            lines += [Line(Kind.ADDED, new[index], None, index + 1) for index in range(start, stop)]
        first, last, start, stop = group[0][1], group[-1][2], group[0][3], group[-1][4]
        hunks.append(Hunk(first + (last > first), last - first, start + (stop > start), stop - start, "", tuple(lines)))
    return FileDiff("f", Status.MODIFIED, old_mode="100644", new_mode="100644", hunks=tuple(hunks))


def merged(ours: str, theirs: str, result: str) -> FileDiff | None:
    """What the resolution made; each text is one character a line."""
    return resolved(between(list(ours), list(result)), [between(list(theirs), list(result))])


@pytest.mark.parametrize(
    ("ours", "theirs", "result"),
    [
        ("aXc", "aYc", "aXc"),
        ("aXc", "aYc", "aYc"),
        ("Xbcdefghij", "abcdefghiY", "XbcdefghiY"),
        ("abcdefghi", "abcdefghiYYYY", "abcdefghiYYYY"),
        ("Xabcdefgh", "abcdefg", "Xabcdefg"),
        ("abXcdefgYh", "abcdefgh", "abXcdefgYh"),
    ],
)
def test_what_comes_from_one_parent_is_not_shown(ours: str, theirs: str, result: str) -> None:
    """One side taken, or changes of both that do not meet: nothing was made."""
    assert merged(ours, theirs, result) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "result", "new", "gone"),
    [
        ("aXc", "aYc", "aZc", "Z", "X"),
        ("aXc", "aYc", "aXYc", "", ""),
        ("aXc", "aYc", "aXZYc", "Z", ""),
        ("aXc", "aYc", "ac", "", "X"),
        ("agc", "agc", "ac", "", "g"),
        ("Xbcdefghijklmno", "abcdefghijklmnY", "Xbcdefg!hijklmnY", "!", ""),
        ("", "", "new", "new", ""),
    ],
)
def test_what_the_resolution_made(ours: str, theirs: str, result: str, new: str, gone: str) -> None:
    """New lines are added, lines lost from both are removed, lines of either parent are context."""
    file = merged(ours, theirs, result)
    assert ("".join(added(file)), "".join(removed(file))) == (new, gone) if file else not (new or gone)


def test_numbers_and_headers_fit_the_lines() -> None:
    """Lines stand where they say, and context from the other parent has no old number."""
    ours, theirs, result = "abcdefghijk", "abcdefTTghijk", "abcdefTT!ghijk"
    file = merged(ours, theirs, result)
    assert file is not None
    (hunk,) = file.hunks
    assert added(file) == ["!"]
    for line in hunk.lines:
        assert line.new is None or result[line.new - 1] == line.text
        assert line.old is None or ours[line.old - 1] == line.text
    assert (hunk.new_start, hunk.new_count) == (6, 7)
    assert (hunk.old_start, hunk.old_count) == (6, 4)
    assert [line.old for line in hunk.lines if line.text == "T"] == [None, None]


def test_distant_places_become_hunks_of_their_own() -> None:
    """What the other parent changed in between is not carried along."""
    ours = [str(number) for number in range(40)]
    theirs = [*ours[:10], *("t" for _ in range(20)), *ours[30:]]
    result = ["first", *theirs, "last"]
    file = resolved(between(ours, result, 40), [between(theirs, result)])
    assert file is not None
    assert [added(replace(file, hunks=(hunk,))) for hunk in file.hunks] == [["first"], ["last"]]
    assert all(len(hunk.lines) == 4 for hunk in file.hunks)


def test_three_parents() -> None:
    """A line is new only when no parent has it."""
    result = list("aXZc")
    sides = [between(list(text), result) for text in ("ac", "aXc", "aZc")]
    assert resolved(sides[0], sides[1:]) is None or added(resolved(sides[0], sides[1:]) or sides[0]) == []
    sides = [between(list(text), list("aX!Zc")) for text in ("ac", "aXc", "aZc")]
    file = resolved(sides[0], sides[1:])
    assert file is not None and added(file) == ["!"]


@pytest.mark.parametrize("state", [{"binary": True}, {"truncated": True}, {"fault": "gone"}])
def test_what_cannot_be_compared_is_given_whole(state: dict[str, object]) -> None:
    """A file that one of the diffs could not show is not hidden."""
    plain = between(list("abc"), list("aXc"))
    blind = replace(plain, hunks=(), **state)  # type: ignore[arg-type]
    assert resolved(blind, [plain]) == blind
    assert resolved(plain, [blind]) == plain


def test_modes() -> None:
    """A mode that some parent has was not made by the resolution; one that none has was."""
    same = FileDiff("f", Status.MODIFIED, old_mode="100755", new_mode="100755")
    set_here = FileDiff("f", Status.MODIFIED, old_mode="100644", new_mode="100755")
    text = between(list("abc"), list("aXc"))
    assert resolved(set_here, [same]) is None
    assert resolved(set_here, [set_here]) == set_here
    assert resolved(text, [set_here]) is None
