"""What surrounds a hunk."""

import time

import pytest

from lrc.context import enclosing, unit_for
from lrc.diff import FileDiff, Hunk, Kind, Line, Status
from lrc.outline import outline

PYTHON = """import os


class Store:
    limit = 3

    @staticmethod
    def load(path):
        with open(path) as file:
            return file.read()

    def save(self, path):
        def inner():
            return 1
        return inner()


def free():
    pass
"""


def changed(number: int, count: int = 1, section: str = "") -> Hunk:
    """A hunk that adds `count` lines from line `number` on."""
    lines = tuple(Line(Kind.ADDED, "x", None, number + step) for step in range(count))
    return Hunk(number - 1, 0, number, count, section, lines)


def a_file(path: str) -> FileDiff:
    """A modified file."""
    return FileDiff(path, Status.MODIFIED)


@pytest.mark.parametrize(
    ("line", "name", "header", "start", "end"),
    [
        (5, "Store", "class Store:", 4, 15),
        (9, "Store.load", "def load(path):", 7, 10),
        (7, "Store.load", "def load(path):", 7, 10),
        (14, "Store.save.inner", "def inner():", 13, 14),
        (15, "Store.save", "def save(self, path):", 12, 15),
        (19, "free", "def free():", 18, 19),
    ],
)
def test_the_smallest_definition_around_a_change(line: int, name: str, header: str, start: int, end: int) -> None:
    """Names are dotted, decorators belong to what they decorate."""
    found = enclosing(changed(line), "python", PYTHON)
    assert found is not None
    assert (found.name, found.header, found.start, found.end) == (name, header, start, end)


def test_a_change_outside_definitions_has_no_enclosing_one() -> None:
    """A module-level line is not said to be in the function above it, whatever git's section line says."""
    assert enclosing(changed(1), "python", PYTHON) is None
    assert enclosing(changed(17, section="class Store:"), "python", PYTHON) is None


def test_a_change_across_two_methods_is_in_their_class() -> None:
    """The smallest definition that holds all changed lines."""
    found = enclosing(changed(10, 4), "python", PYTHON)
    assert found is not None and found.name == "Store"


def test_a_removal_is_in_the_definition_it_was_taken_from() -> None:
    """A removed line has no number in the new version; the line above it places it."""
    lines = (Line(Kind.CONTEXT, "", 9, 9), Line(Kind.REMOVED, "guard", 10, None), Line(Kind.CONTEXT, "", 11, 10))
    found = enclosing(Hunk(9, 3, 9, 2, "", lines), "python", PYTHON)
    assert found is not None and found.name == "Store.load"


def test_gits_section_line_where_there_is_no_grammar() -> None:
    """For a language without a grammar the section line names the definition."""
    text = "sub one {\n  a;\n}\nsub two {\n  b;\n  c;\n}\n"
    found = enclosing(changed(6, section="sub two {"), "perl", text)
    assert found is not None
    assert (found.header, found.start) == ("sub two {", 4)
    assert enclosing(changed(6, section="not in the text"), "perl", text) is None
    assert enclosing(changed(6), "perl", text) is None


def test_lines_around_a_hunk() -> None:
    """At most so many lines just above and below, oldest first."""
    text = "".join(f"{number}\n" for number in range(1, 21))
    unit = unit_for(a_file("a.txt"), changed(10, 2), text, before=3, after=2)
    assert unit.before == ("7", "8", "9")
    assert unit.after == ("12", "13")


def test_lines_around_the_edges_of_a_file() -> None:
    """Nothing is made up at the beginning and the end."""
    text = "1\n2\n3"
    unit = unit_for(a_file("a.txt"), changed(1, 3), text, before=3, after=3)
    assert (unit.before, unit.after) == ((), ())


def test_lines_around_a_removal() -> None:
    """A hunk without new lines stands behind the line that its header names."""
    hunk = Hunk(3, 1, 2, 0, "", (Line(Kind.REMOVED, "x", 3, None),))
    unit = unit_for(a_file("a.txt"), hunk, "1\n2\n4\n", before=2, after=2)
    assert (unit.before, unit.after) == (("1", "2"), ("4",))


def test_a_deleted_file_has_no_surroundings() -> None:
    """Its new version is empty."""
    hunk = Hunk(1, 1, 0, 0, "", (Line(Kind.REMOVED, "x", 1, None),))
    unit = unit_for(a_file("a.py"), hunk, "")
    assert (unit.before, unit.after, unit.enclosing, unit.language) == ((), (), None, "python")


def test_hundreds_of_hunks_parse_their_file_once() -> None:
    """Two hundred hunks of a 4,000-line file take well under a second."""
    text = "".join(f"def f{number}(a):\n    b = a\n    return b\n\n" for number in range(1000))
    file = a_file("a.py")
    outline.cache_clear()
    began = time.process_time()
    units = [unit_for(file, changed(20 * number + 2), text) for number in range(200)]
    assert time.process_time() - began < 1
    assert outline.cache_info().misses == 1
    assert [unit.enclosing.name for unit in units[:2] if unit.enclosing] == ["f0", "f5"]
