"""Comments and entries that set findings aside."""

import pytest

from lrc.diff import Side
from lrc.errors import WrongUsage
from lrc.findings import Category, Finding, Severity
from lrc.suppress import Dismissal, dismiss, format_dismissals, matching, parse_dismissals, split_dismissed
from tests.support.changes import change


def finding(line: int = 2, side: Side = Side.NEW, category: Category = Category.SECURITY) -> Finding:
    """A finding at one line of app.py."""
    return Finding("app.py", line, line, side, Severity.HIGH, category, 0.9, "m", "detector:d", "quote")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("+a\n+b  # lrc: ignore[correctness] other", id="another category"),
        pytest.param("+a\n+b  # lrc: ignore", id="no category"),
        pytest.param("+a  # lrc: ignore[security] x\n+b", id="above, but beside other code"),
        pytest.param("+# lrc: ignore[security] x\n+a\n+b", id="two lines above"),
        pytest.param('+a\n+b = "lrc: ignore[security] x"', id="in a string"),
        pytest.param("+a\n+b\n+# lrc: ignore[security] x", id="below"),
        pytest.param("-# lrc: ignore[security] x\n+a\n+b", id="in the old version"),
    ],
)
def test_comment_elsewhere_does_not_count(body: str) -> None:
    """Only a comment of the same category on the line, or alone on the line above, sets a finding aside."""
    kept, gone = split_dismissed([finding(2)], [change("app.py", body)], {})
    if "two lines above" in body or body.startswith("+# lrc"):
        kept, gone = split_dismissed([finding(3)], [change("app.py", body)], {})
    assert (len(kept), gone) == (1, [])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param("+a\n+b  # lrc: ignore[security] known safe", "known safe", id="same line"),
        pytest.param("+# lrc: ignore[security]\n+b", "no reason given", id="line above, no reason"),
        pytest.param("+a\n+b // lrc: ignore[correctness, security]: reviewed", "reviewed", id="list of categories"),
        pytest.param("+a\n+b /* LRC: Ignore[security] quiet */", "quiet", id="block comment"),
        pytest.param("+<!-- lrc: ignore[security] sample -->\n+b", "sample", id="markup"),
        pytest.param("+a\n+b -- lrc: ignore[security] sql", "sql", id="SQL"),
        pytest.param("+a\n+b  # lrc: ignore[d] by name", "by name", id="detector's name"),
        pytest.param(" # lrc: ignore[security] old\n+b", "old", id="already there"),
    ],
)
def test_comment_sets_aside(body: str, reason: str) -> None:
    """A comment with the category sets the finding aside, with its reason."""
    kept, gone = split_dismissed([finding(2)], [change("app.py", body)], {})
    assert kept == []
    assert [one.reason for one in gone] == [reason]
    assert gone[0].added_here is not body.startswith(" ")


def test_removed_line_is_set_aside_at_the_gap() -> None:
    """A finding on a removed line is set aside by a comment on one of the lines that now meet there."""
    body = " a\n-check()\n+# lrc: ignore[security] not needed\n b"
    kept, gone = split_dismissed([finding(2, Side.OLD)], [change("app.py", body)], {})
    assert (kept, [one.reason for one in gone]) == ([], ["not needed"])


def test_entries_survive_writing_and_reading() -> None:
    """What is written is read back, hostile text included."""
    hostile = 'quote " and \\ and \n and \x7f and ü and \udcff'
    one = dismiss(finding(), hostile, "2026-12-01")
    back = parse_dismissals(format_dismissals([one, Dismissal("ff", "known")]))
    assert set(back) == {one.fingerprint, "ff"}
    assert back[one.fingerprint].date == "2026-12-01"
    assert back[one.fingerprint].reason.startswith('quote " and \\ and \n and \x7f and ü and ')


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[dismissed", "not valid TOML"),
        ("dismissed = 3", "list of tables"),
        ("[[dismissed]]\nreason = 'x'", "entry 1 has no fingerprint"),
    ],
)
def test_broken_file_is_named(text: str, says: str) -> None:
    """A file that cannot be read is wrong usage with its name and place, not a traceback."""
    with pytest.raises(WrongUsage, match=says) as caught:
        parse_dismissals(text)
    assert ".lrc/dismissed.toml" in caught.value.message


def test_empty_file_dismisses_nothing() -> None:
    """An empty file is fine."""
    assert parse_dismissals("") == {}


@pytest.mark.parametrize(
    "comment",
    [
        "# lrc: ignore[security] why",
        "// lrc: ignore[security] why",
        "/* lrc: ignore[security] why */",
        "{/* lrc: ignore[security] why */}",
        "-- lrc: ignore[security] why",
        "; lrc: ignore[security] why",
        "% lrc: ignore[security] why",
        "<!-- lrc: ignore[security] why -->",
        "{# lrc: ignore[security] why #}",
        "<%# lrc: ignore[security] why %>",
        "<%-- lrc: ignore[security] why --%>",
        "{{!-- lrc: ignore[security] why --}}",
        "(* lrc: ignore[security] why *)",
        "{- lrc: ignore[security] why -}",
        "REM lrc: ignore[security] why",
        ":: lrc: ignore[security] why",
        "' lrc: ignore[security] why",
        '" lrc: ignore[security] why',
    ],
)
def test_comments_of_every_syntax_count_and_give_their_reason(comment: str) -> None:
    """Alone above the line, with nothing of the comment's end left in the reason."""
    kept, (gone,) = split_dismissed([finding(2)], [change("app.py", f"+{comment}\n+b")], {})
    assert (kept, gone.reason) == ([], "why")


@pytest.mark.parametrize(("wanted", "found"), [("ab1", "ab12"), ("AB12", "ab12"), ("c", "cd34")])
def test_a_prefix_that_fits_one_is_enough(wanted: str, found: str) -> None:
    """As people copy fingerprints."""
    assert matching(["ab12", "abff", "cd34"], wanted) == found


@pytest.mark.parametrize("wanted", ["ab", "zz"])
def test_a_prefix_that_fits_several_or_none_is_refused(wanted: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(WrongUsage):
        matching(["ab12", "abff", "cd34"], wanted)
