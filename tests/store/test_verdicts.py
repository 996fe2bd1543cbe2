"""Kept answers: found again for the same hunk and judge, for no other, and never in the way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lrc.context import unit_for
from lrc.diff import Side
from lrc.findings import Category, Finding, Severity
from lrc.review import Answer, Unit
from lrc.store.verdicts import Judge, Remembering, Verdicts
from tests.support.changes import change, new_text

JUDGE = Judge(target="a" * 64, reviewer="measure 1")


def unit(*lines: str, path: str = "a.py") -> Unit:
    """One hunk from lines with their marks."""
    file = change(path, "\n".join(lines))
    return unit_for(file, file.hunks[0], new_text(file))


def moved(one: Unit, by: int) -> Unit:
    """The same hunk further down in the file."""
    lines = tuple(
        replace(line, old=line.old + by if line.old else None, new=line.new + by if line.new else None)
        for line in one.hunk.lines
    )
    hunk = replace(one.hunk, old_start=one.hunk.old_start + by, new_start=one.hunk.new_start + by, lines=lines)
    return replace(one, hunk=hunk)


ONE = unit(" def f():", "-    return 1", "+    return 2")


def finding(line: int = 2, side: Side = Side.NEW) -> Finding:
    """A finding on the changed line."""
    return Finding(
        "a.py", line, line, side, Severity.HIGH, Category.CORRECTNESS, 0.9, "Returns two.", "model:measure", "return 2"
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the answers of a test are kept."""
    return tmp_path / "cache" / "verdicts.db"


def test_an_answer_is_found_again(path: Path) -> None:
    """The same hunk gets the same answer, marked as kept, from another process's point of view too."""
    Verdicts(path, JUDGE).keep([Answer(ONE, (finding(),), dropped=3)])
    assert Verdicts(path, JUDGE).known([ONE]) == {0: Answer(ONE, (finding(),), dropped=3, cached=True)}


def test_a_hunk_that_moved_keeps_its_answer_and_its_lines_move_along(path: Path) -> None:
    """An edit above costs nothing: new and old side numbers follow the hunk."""
    Verdicts(path, JUDGE).keep([Answer(ONE, (finding(), finding(2, Side.OLD)))])
    answer = Verdicts(path, JUDGE).known([moved(ONE, 40)])[0]
    assert [(found.line, found.end_line, found.side) for found in answer.findings] == [
        (42, 42, Side.NEW),
        (42, 42, Side.OLD),
    ]


@pytest.mark.parametrize(
    "judge",
    [
        replace(JUDGE, target="b" * 64),
        replace(JUDGE, reviewer="measure 2"),
        replace(JUDGE, rules="No globals."),
    ],
)
def test_another_judge_answers_anew(path: Path, judge: Judge) -> None:
    """Another model, another way to ask or other rules: nothing is reused."""
    Verdicts(path, JUDGE).keep([Answer(ONE)])
    assert Verdicts(path, judge).known([ONE]) == {}


@pytest.mark.parametrize(
    "other",
    [
        unit(" def f():", "-    return 1", "+    return 3"),
        unit(" def g():", "-    return 1", "+    return 2"),
        unit(" def f():", "-    return 0", "+    return 2"),
        unit(" def f():", "-    return 1", "+    return 2", path="b.py"),
    ],
)
def test_another_hunk_is_another_question(path: Path, other: Unit) -> None:
    """One changed character of the hunk or its surroundings, or another file, is not the same hunk."""
    Verdicts(path, JUDGE).keep([Answer(ONE)])
    assert Verdicts(path, JUDGE).known([other]) == {}


def test_what_was_not_judged_is_not_kept(path: Path) -> None:
    """A hunk that time ran out for is asked about again."""
    Verdicts(path, JUDGE).keep([Answer(ONE, not_reviewed="out of time")])
    assert Verdicts(path, JUDGE).known([ONE]) == {}


def test_a_damaged_file_is_made_anew(path: Path) -> None:
    """Garbage in place of the file costs the kept answers, nothing else."""
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database" * 100)
    verdicts = Verdicts(path, JUDGE)
    assert verdicts.known([ONE]) == {}
    verdicts.keep([Answer(ONE)])
    assert list(verdicts.known([ONE])) == [0]


def test_a_place_that_cannot_be_used_is_no_error(tmp_path: Path) -> None:
    """A cache directory that is a file: reviews go on without a cache."""
    (tmp_path / "cache").write_text("in the way")
    verdicts = Verdicts(tmp_path / "cache" / "verdicts.db", JUDGE)
    verdicts.keep([Answer(ONE)])
    assert verdicts.known([ONE]) == {}


class Scripted:
    """A reviewer that finds one thing in whatever it is asked about, and remembers what that was."""

    def __init__(self) -> None:
        self.asked: list[Unit] = []

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One finding a unit."""
        for one in units:
            self.asked.append(one)
            yield Answer(one, (finding(),))

    def described(self) -> dict[str, object]:
        """A word of its own."""
        return {"target": "scripted"}


def test_a_model_is_opened_only_for_what_is_not_known(path: Path) -> None:
    """Everything kept: nothing is loaded. One new hunk: only that one is asked about."""
    inner = Scripted()
    opened = []

    def open_inner() -> Scripted:
        opened.append(True)
        return inner

    list(Remembering(Verdicts(path, JUDGE), open_inner).review([ONE]))
    again = Remembering(Verdicts(path, JUDGE), open_inner)
    assert [answer.cached for answer in again.review([ONE])] == [True]
    assert (len(opened), again.described()) == (1, {})
    other = unit(" def h():", "+    return 2")
    list(again.review([ONE, other]))
    assert (len(opened), inner.asked) == (2, [ONE, other])
    assert again.described() == {"target": "scripted"}
