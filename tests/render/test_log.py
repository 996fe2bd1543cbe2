"""The log and the statistics for people and programs."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from lrc.ledger.fate import Fate, State
from lrc.ledger.statistics import total, weeks
from lrc.ledger.walk import Commit
from lrc.render import RenderOptions, log, statistics, statisticspage
from lrc.render.notes import ordinal, percent

Golden = Callable[[str, str], None]
MONDAY = int(datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp())
WEEK = 7 * 86_400


def _commit(number: int, subject: str, at: int = MONDAY) -> Commit:
    return Commit(f"{number:x}" * 40, ("0" * 40,), "f" * 40, at, subject)


FATES = [
    Fate(
        _commit(1, "Reviewed by the model"), State.REVIEWED, "", 1.0, 0.75, 3, "coder@0123456789ab", {"low": 2}, ("a",)
    ),
    Fate(
        _commit(2, "Forced \x1b[31m red", MONDAY + WEEK),
        State.OVERRIDDEN,
        "--no-verify",
        1.0,
        0.0,
        2,
        "",
        {"critical": 1},
    ),
    Fate(_commit(3, "Without looking " * 9, MONDAY + 3 * WEEK), State.BYPASSED, "LRC_SKIP=1", 0.004),
    Fate(_commit(4, "No model", MONDAY + 3 * WEEK), State.FAILED, "no model is installed", 0.996),
    Fate(_commit(5, "Rebased", MONDAY + 3 * WEEK), State.UNSEEN, "made by rebase (pick)", 0.0),
    Fate(_commit(6, "Merge", MONDAY + 3 * WEEK), State.EMPTY),
]
REVIEWS = [
    {"at": MONDAY, "findings": [["f1", "low", "cost"], ["f2", "high", "secrets"]], "blocked": ["f2"], "seconds": 4.5},
    {"at": MONDAY + WEEK, "findings": [["f1", "low", "cost"], ["f3", "critical", "secrets"]], "blocked": ["f3"]},
    {"at": MONDAY - WEEK, "findings": [["f0", "high", "secrets"]], "seconds": 100},
]
NOW = datetime.fromtimestamp(MONDAY + 3 * WEEK, UTC)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("log.txt", RenderOptions(width=80)),
        ("log-color.txt", RenderOptions(width=80, color=True)),
        ("log-ascii.txt", RenderOptions(width=60, unicode=False)),
    ],
)
def test_log(name: str, options: RenderOptions, same_as_golden: Golden) -> None:
    """Every state, control characters spelt out, long subjects cut, shares never rounded to all or nothing."""
    same_as_golden(name, log.render(FATES, options))


def test_log_without_commits_and_without_gaps() -> None:
    """Nothing to list, and nothing left to do."""
    assert log.render([], RenderOptions()) == "no commits"
    assert log.render(FATES[:2], RenderOptions()).splitlines()[-1] == "2 commits, all read by a review"


def test_log_as_json(same_as_golden: Golden) -> None:
    """The same for programs."""
    text = log.render_json(FATES)
    assert text.isascii()
    same_as_golden("log.json", text)


@pytest.mark.parametrize(
    ("name", "options"),
    [("stats.txt", RenderOptions()), ("stats-ascii.txt", RenderOptions(unicode=False, color=False))],
)
def test_statistics(name: str, options: RenderOptions, same_as_golden: Golden) -> None:
    """A bar a week, weeks without commits too."""
    found = weeks(FATES, REVIEWS, datetime.fromtimestamp(MONDAY, UTC), NOW)
    same_as_golden(name, statistics.render(found, options))


def test_page(same_as_golden: Golden) -> None:
    """The same as a page: well formed, nothing loaded from elsewhere, a hostile name inert."""
    found = weeks(FATES, REVIEWS, datetime.fromtimestamp(MONDAY, UTC), NOW)
    text = statisticspage.render(found, "<script>alert(1)</script>")
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=|url\(|@import", text)
    open_tags: list[str] = []
    for closing, tag in re.findall(r"<(/?)(svg|table|tr|td|th|dl|div|dt|dd|p|span|text|rect|title)\b", text):
        if closing:
            assert open_tags.pop() == tag
        else:
            open_tags.append(tag)
    assert open_tags == []
    same_as_golden("stats.html", text)


def test_a_finding_counts_once() -> None:
    """Seen again in a later week, or first before the time that is looked at, it is no new finding."""
    found = weeks(FATES, REVIEWS, datetime.fromtimestamp(MONDAY, UTC), NOW)
    assert [dict(week.findings) for week in found] == [{"low": 1, "high": 1}, {"critical": 1}, {}, {}]
    assert [week.blocked for week in found] == [1, 1, 0, 0]
    assert [week.commits for week in found] == [1, 1, 0, 3]
    assert [week.share for week in found] == [1.0, 1.0, None, 0.0]
    assert json.loads(statistics.render_json(found))["total"]["reviewed"] == total(found).reviewed == 2


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.0001, "1 %"), (0.5, "50 %"), (0.9999, "99 %"), (1.0, "100 %")]
)
def test_shares_do_not_flatter(share: float, text: str) -> None:
    """Nearly all is not all, and hardly anything is not nothing."""
    assert percent(share) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (22, "22nd"), (113, "113th")],
)
def test_ordinals(number: int, text: str) -> None:
    """English counts oddly."""
    assert ordinal(number) == text
