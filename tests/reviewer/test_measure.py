"""Measuring, with a stand-in model that knows exactly one text by heart."""

import pytest

from lrc.context import unit_for
from lrc.review import Unit
from lrc.reviewer.kinds import Kind
from lrc.reviewer.measure import Measurer
from lrc.reviewer.passage import counterparts
from lrc.reviewer.repairs import _NAMED, Repair, Suspicion, parses
from tests.support.changes import change, new_text
from tests.support.reading import Reader

KNOWN = """# a.py
def low(values, limit):
    # keep what is < limit
    found = []
    for value in values:
        if value < limit and value != 0:
            found.append(value)
    return found
"""


def unit(*lines: str, path: str = "a.py") -> Unit:
    """One hunk at the top of a file, from lines with their marks."""
    file = change(path, "\n".join(lines))
    return unit_for(file, file.hunks[0], new_text(file))


def whole(**swaps: str) -> Unit:
    """The known function as an added file, some of its lines replaced (by their stripped text)."""
    lines = []
    for line in KNOWN.splitlines()[1:]:
        text = next((new for old, new in swaps.items() if line.strip().startswith(old)), None)
        indent = line[: len(line) - len(line.lstrip())]
        lines.append("+" + (line if text is None else indent + text))
    return unit(*lines)


def measured(one: Unit) -> list[Suspicion]:
    """The suspicions that a reader of the known text has."""
    return Measurer(Reader(KNOWN), lambda text: text).measure(one)


def test_text_as_expected_raises_nothing() -> None:
    """What the model itself would have written is no suspicion."""
    assert measured(whole()) == []


@pytest.mark.parametrize(
    ("line", "kind", "edit", "written", "expected"),
    [
        ("if value <= limit and value != 0:", Kind.COMPARISON, "replace", "<=", "<"),
        ("if value < limit or value != 0:", Kind.LOGIC, "replace", "or", "and"),
        ("if value < limit and value == 0:", Kind.COMPARISON, "replace", "==", "!="),
        ("if value < limit and value != 1:", Kind.NUMBER, "replace", "1", "0"),
    ],
)
def test_a_slip_is_found_with_its_repair(line: str, kind: Kind, edit: str, written: str, expected: str) -> None:
    """One wrong operator in new code: the place, both tokens, the repaired line and a clear gain."""
    found = measured(whole(**{"if value": line}))
    suspicion = next(one for one in found if (one.written_token, one.expected_token) == (written, expected))
    assert (suspicion.kind, suspicion.edit) == (kind, edit)
    assert suspicion.line == 5
    assert suspicion.written.strip() == line
    assert suspicion.expected == "        if value < limit and value != 0:"
    assert suspicion.surprise > 5
    assert suspicion.gain > 5
    assert not suspicion.reverts


def test_comments_and_strings_are_not_code() -> None:
    """A word for people may be whatever its author likes."""
    assert measured(whole(**{"# keep": "# keep what is > limit"})) == []


def test_the_old_line_is_tried_as_a_repair() -> None:
    """For a modified line the text that went away is itself an expected text: a regression."""
    one = unit(
        " def low(values, limit):",
        "     # keep what is < limit",
        "     found = []",
        "     for value in values:",
        "-        if value < limit and value != 0:",
        "+        if value < limit and values != 0:",
        "             found.append(value)",
        "     return found",
    )
    reverts = [suspicion for suspicion in measured(one) if suspicion.reverts]
    assert [suspicion.expected.strip() for suspicion in reverts] == ["if value < limit and value != 0:"]
    assert reverts[0].gain > 5


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("    return found", "    found", Kind.CONTROL),
        ("    return limit + 1", "    return limit", Kind.ARITHMETIC),
        ("    return limit", "    return limit - 1", Kind.ARITHMETIC),
    ],
)
def test_what_alone_came_or_went_has_its_kind(old: str, new: str, kind: Kind) -> None:
    """A `return` or a one too many or too few is a slip."""
    one = unit(" def low(values, limit):", "     found = []", f"-{old}", f"+{new}")
    assert [suspicion.kind for suspicion in measured(one) if suspicion.reverts] == [kind]


@pytest.mark.parametrize(
    ("old", "new", "expected", "kind"),
    [
        ("if value < limit:", "if value > limit and deep:", "if value < limit and deep:", Kind.COMPARISON),
        ("return found", "found or deep", "return found or deep", Kind.CONTROL),
        ("for value in values:", "for value in value.all():", "for value in values.all():", Kind.NAME),
        ("use(limit, value)", "use(self, value, deep)", "use(limit, value, deep)", Kind.NAME),
    ],
)
def test_a_slip_among_other_changes_is_taken_back_alone(old: str, new: str, expected: str, kind: Kind) -> None:
    """The rest of the line stays as the change has it."""
    one = unit(" def low(self, values, value, limit, deep):", "     found = []", f"-    {old}", f"+    {new}")
    parts = {(s.expected.strip(), s.kind) for s in measured(one) if s.reverts}
    assert (expected, kind) in parts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    log('low', values)", "    log( 'lowest of', values, limit)"),
        ("    return found", "    return found, limit"),
        ("from low import find", "from low import seek"),
    ],
)
def test_changes_that_are_no_slips_are_not_taken_back(old: str, new: str) -> None:
    """Names that were added, texts that were rewritten, white space, what is imported: a choice."""
    one = unit(" def low(values, limit):", f"-{old}", f"+{new}", "     return values")
    assert [suspicion for suspicion in measured(one) if suspicion.reverts] == []


def test_what_a_modified_line_kept_is_not_this_changes_doing() -> None:
    """An operator that stood in the old line too may be surprising, but the change did not write it."""
    one = unit(
        " def low(values, limit):",
        "     # keep what is < limit",
        "     found = []",
        "     for value in values:",
        "-        if value >= limit and item != 0:",
        "+        if value >= limit and value != 0:",
        "             found.append(value)",
        "     return found",
    )
    assert [suspicion for suspicion in measured(one) if not suspicion.reverts] == []


def test_secrets_never_reach_the_model() -> None:
    """Every line passes the mask before it is encoded."""
    reader = Reader(KNOWN)
    seen: list[str] = []

    def mask(text: str) -> str:
        seen.append(text)
        return text.replace("hunter2", "MASKED")

    Measurer(reader, mask).measure(unit("+password = 'hunter2'", " other = 1"))
    assert any("password = 'hunter2'" in text for text in seen)
    assert not any("hunter2" in word for word in reader._words)


def test_lines_are_paired_by_likeness() -> None:
    """A modified line knows which removed line it replaces; new and rewritten ones have none."""
    one = unit(
        "-first = 1",
        "-second = compute(first)",
        "+import os",
        "+second = compute(other)",
        " between",
        "-gone = 1",
        " after",
        "+entirely = different",
    )
    assert counterparts(one) == {2: "second = compute(first)"}


def test_the_cost_is_bounded() -> None:
    """However many slips there are, only some repairs are tried."""
    reader = Reader(KNOWN)
    lines = [f"+{line}" for line in KNOWN.splitlines()[1:]] * 20
    broken = [line.replace("<", ">").replace("!=", "==") for line in lines]
    Measurer(reader, lambda text: text).measure(unit(*broken))
    tokens = len(reader.encode("\n".join(broken), False))
    assert reader.rows < tokens + 300


@pytest.mark.parametrize(
    ("line", "kind", "edit"),
    [
        ("if value < limit and found != 0:", Kind.NAME, "replace"),
        ("if not value < limit and value != 0:", Kind.NEGATION, "remove"),
    ],
)
def test_a_whole_name_of_the_passage_is_tried(line: str, kind: Kind, edit: str) -> None:
    """Another name than the one expected, and a negation too many: the repaired line is the known one."""
    found = measured(whole(**{"if value": line}))
    best = found[0]
    assert (best.kind, best.edit) == (kind, edit)
    assert best.expected == "        if value < limit and value != 0:"
    assert best.gain > 5


def test_a_forgotten_return_is_found() -> None:
    """The last line only names its value; what was expected is to return it."""
    found = measured(whole(**{"return found": "found"}))
    assert [(one.edit, one.expected.strip()) for one in found if one.gain > 3] == [("insert", "return found")]


def test_swapped_names_are_one_change_back() -> None:
    """A modified line in which two names changed places is compared as one slip, not as two."""
    one = unit(
        " def low(values, limit):",
        "     # keep what is < limit",
        "     found = []",
        "     for value in values:",
        "-        if value < limit and value != 0:",
        "+        if limit < value and value != 0:",
        "             found.append(value)",
        "     return found",
    )
    reverts = [suspicion for suspicion in measured(one) if suspicion.reverts]
    assert [suspicion.kind for suspicion in reverts] == [Kind.ORDER]


@pytest.mark.parametrize(("text", "sound"), [("<=", True), ("in", False)])
def test_a_repair_that_does_not_parse_is_none(text: str, sound: bool) -> None:
    """Only a repair after which the grammar is as content as before is offered."""
    before = "if a < b:\n    use(a)\n"
    suspicion = Suspicion(
        unit("+if a < b:"), 1, "if a < b:", f"if a {text} b:", Kind.COMPARISON, "replace", "<", text, 1, -0.1, False
    )
    broken = "" if sound else " not"
    assert parses("python", before, Repair(suspicion, 5, 6, text + broken)) is sound


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("def low(limit: int, other: int) -> int:", True),
        ("other?: string", True),
        ("found = low(other=3)", True),
        ("other := 3", True),
        ("if other == limit:", False),
        ("for value in other:", False),
        ("case other: return", True),
        ("found[other:limit]", False),
    ],
)
def test_what_its_author_names_is_no_wrong_name(line: str, named: bool) -> None:
    """A parameter with its type, a key, a keyword argument: another name of the passage is no better there."""
    behind = line[line.index("other") + len("other") :]
    assert bool(_NAMED.match(behind[:8])) is named
