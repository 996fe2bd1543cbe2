"""Slips planted in real shapes of code: each kind where it can be, and nothing that does not parse."""

import pytest

from lrc.quality.defects import KINDS, OPERATORS, REMOVALS, Defect, defects_in, sound

PYTHON = '''\
async def f(store, items, limit, other, start, width, height):
    """Not less than limit and not more."""
    assert limit > 0
    if not items:
        return None
    total = 0
    left = store.get(start)
    found = [0, 1]
    for item in items:
        if item.size <= limit and item.name != other:
            total += item.size * width
            continue
        if item.size < total - 1:
            break
        self.left = left
        self.width = width
    try:
        await store.save(total, limit)
        found[0] = store.load(limit, total)
    except OSError as error:
        log(error)
        raise ValueError("no store") from error
    store.close()
    if store.ready():
        total = -total
    if other in items or other is None:
        return True
    return store.finish(total)
'''
GO = """\
package a

func f(mu *sync.Mutex, a int, b int) (int, error) {
\tmu.Lock()
\tdefer mu.Unlock()
\tn, err := load(a, b)
\tif err != nil {
\t\treturn 0, err
\t}
\tif n > a && !done(b) {
\t\tn += a << 1
\t}
\treturn n, nil
}
"""


def kinds_of(defects: list[Defect]) -> set[str]:
    """The kinds among some defects."""
    return {defect.kind for defect in defects}


def test_every_kind_can_be_planted() -> None:
    """In one function or the other there is a place for each kind that the command line names."""
    found = kinds_of(defects_in("python", PYTHON)) | kinds_of(defects_in("go", GO))
    assert set(KINDS) - found == set()


@pytest.mark.parametrize(("language", "source"), [("python", PYTHON), ("go", GO)])
def test_a_sound_defect_changes_the_code_and_parses(language: str, source: str) -> None:
    """What `sound` lets through is another text; of each place at least the line is right."""
    defects = [defect for defect in defects_in(language, source) if sound(language, source, defect)]
    assert len(defects) > 10
    lines = source.split("\n")
    for defect in defects:
        assert defect.applied(source) != source
        assert source[: defect.start].count("\n") + 1 == defect.line
        if defect.kind in OPERATORS:
            assert defect.applied(source).split("\n")[defect.line - 1] != lines[defect.line - 1]


def test_a_defect_that_breaks_the_syntax_is_not_sound() -> None:
    """A loop over what is `not in` a list is no Python."""
    source = "for item in items:\n    use(item)\n"
    broken = [defect for defect in defects_in("python", source) if defect.kind == "membership"]
    assert broken
    assert not any(sound("python", source, defect) for defect in broken)


def test_words_for_people_are_left_alone() -> None:
    """No slip is planted in a docstring, a comment or a string."""
    source = 'def f(a):\n    """a and not b < c"""\n    # True or False\n    return "a and b"\n'
    assert defects_in("python", source) == []


def test_only_the_wanted_lines_are_broken() -> None:
    """Lines that are not named stay as they are."""
    assert {defect.line for defect in defects_in("python", PYTHON, frozenset({10}))} == {10}


def test_a_removed_guard_takes_its_whole_lines() -> None:
    """The check and its body go, nothing else."""
    guard = next(defect for defect in defects_in("python", PYTHON) if defect.kind == "dropped-guard")
    assert guard.removes
    assert guard.kind in REMOVALS
    assert guard.applied(PYTHON) == PYTHON.replace("    if not items:\n        return None\n", "")


def test_a_file_that_is_broken_already_can_still_be_planted_in() -> None:
    """Soundness compares with the text as it was, not with perfection."""
    source = "def f(a):\n    return a <= (1\n\nif x < y :\n    pass\n"
    assert any(sound("python", source, defect) for defect in defects_in("python", source))
