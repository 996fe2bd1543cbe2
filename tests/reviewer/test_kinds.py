"""Kinds of tokens: what is a slip and, first, what is none."""

import pytest

from lrc.reviewer.kinds import Kind, insertable, removable, replaceable


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (")", ")\n"),  # the same text, cut differently
        (" ==", "=="),
        ("(a", "("),
        ("name", "name_of"),  # one begins the other
        ("(", "["),
        ("foo", "'foo'"),
        ("+", "=="),
        ("", " "),
        ("return", "="),
    ],
)
def test_no_slip(written: str, expected: str) -> None:
    """Tokens between which there is no single intended one."""
    assert replaceable(written, expected) is None


@pytest.mark.parametrize(
    ("written", "expected", "kind"),
    [
        (" !=", " ==", Kind.COMPARISON),
        ("<", "<=", Kind.COMPARISON),
        (" is", "==", Kind.COMPARISON),
        (" -", " +", Kind.ARITHMETIC),
        ("-=", "+=", Kind.ASSIGNMENT),
        (" or", " and", Kind.LOGIC),
        ("False", " True", Kind.CONSTANT),
        ("0", "1", Kind.NUMBER),
        ("0", "None", Kind.NUMBER),
        ("break", "continue", Kind.CONTROL),
        ("min", "max", Kind.PAIRED),
        (".first", ".last", Kind.PAIRED),
        ("(a", "(b", Kind.NAME),
        ("source", "destination", Kind.PAIRED),
        ("price", "amount", Kind.NAME),
    ],
)
def test_slips(written: str, expected: str, kind: Kind) -> None:
    """Tokens of one kind, of which the other one may well have been meant."""
    assert replaceable(written, expected) is kind


def test_left_out_and_left_in() -> None:
    """A negation or an await may be missing or too many; a name may not."""
    assert insertable(" not") is Kind.NEGATION
    assert insertable("await") is Kind.AWAITING
    assert insertable(" +") is Kind.ARITHMETIC
    assert insertable("name") is None
    assert removable("!") is Kind.NEGATION
    assert removable("name") is None
