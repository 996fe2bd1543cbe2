"""Weeks of reviewing: how many commits a review read, what it found, what was overridden. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from lrc.ledger.fate import Fate, State


@dataclass(slots=True)
class Week:
    """What happened in one week, from Monday (UTC) on."""

    monday: date
    states: Counter[State] = field(default_factory=Counter)
    """Commits by what became of them, those with nothing to review left out."""
    reviewed: int = 0
    """Commits of which a review read every line."""
    findings: Counter[str] = field(default_factory=Counter)
    """Distinct findings that reviews first saw in this week, by severity."""
    blocked: int = 0
    """Of these the ones that blocked."""
    reviews: int = 0
    seconds: float = 0.0
    """What the reviews took, all together."""

    @property
    def commits(self) -> int:
        """Commits that had something to review."""
        return sum(self.states.values())

    @property
    def share(self) -> float | None:
        """Reviewed commits among them; None without any."""
        return self.reviewed / self.commits if self.commits else None


def weeks(fates: Iterable[Fate], reviews: Sequence[Mapping[str, Any]], first: datetime, now: datetime) -> list[Week]:
    """One entry for each week from `first` to `now`, oldest first, empty ones too."""
    start = _monday(first)
    found = {
        start + timedelta(weeks=number): Week(start + timedelta(weeks=number)) for number in range(_count(start, now))
    }
    for fate in fates:
        week = found.get(_monday(_time(fate.commit.at)))
        if week is not None and fate.state is not State.EMPTY:
            week.states[fate.state] += 1
            week.reviewed += not fate.unreviewed
    known: set[str] = set()
    for review in reviews:
        week = found.get(_monday(_time(review["at"])))
        blocking = set(review.get("blocked", ()))
        for finding in review.get("findings", ()):
            fingerprint, severity = str(finding[0]), str(finding[1])
            if fingerprint not in known and week is not None:
                week.findings[severity] += 1
                week.blocked += fingerprint in blocking
            known.add(fingerprint)
        if week is not None:
            week.reviews += 1
            week.seconds += float(review.get("seconds", 0))
    return list(found.values())


def total(parts: Sequence[Week]) -> Week:
    """All weeks as one, beginning with the first."""
    whole = Week(parts[0].monday)
    for week in parts:
        whole.states += week.states
        whole.findings += week.findings
        whole.reviewed += week.reviewed
        whole.blocked += week.blocked
        whole.reviews += week.reviews
        whole.seconds += week.seconds
    return whole


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _monday(moment: datetime) -> date:
    day = moment.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def _count(start: date, now: datetime) -> int:
    return max(1, (_monday(now) - start).days // 7 + 1)
