"""Figures of quality: as tables, as JSON, and as a page that loads nothing."""

import json
from html.parser import HTMLParser

from lrc.quality.cases import Way
from lrc.quality.judging import judge, measured, prompted
from lrc.quality.observing import Observation, Sight
from lrc.render.quality import render, render_calibration, render_json
from lrc.render.qualitypage import page
from lrc.reviewer.confidence import Calibration

CALIBRATION = Calibration({"is:closed": -3.0, "gain:closed": 1.0}, speak=0.5, block=0.9)


def seen(way: Way, gain: float, *, kind: str = "boundary") -> Observation:
    """A case with one suspicion; the classic way spoke on another line."""
    sight = Sight({"is:closed": 1.0, "gain:closed": gain}, way is not Way.CLEAN, "a.py:3", "a < b", "a <= b")
    kind = "" if way is Way.CLEAN else kind
    return Observation(way, kind, "python", "a.py <f>", 2, (sight,), prompted=("a.py:9",), seconds=4.0)


CASES = [seen(Way.ADDED, 9.0), seen(Way.ADDED, 1.0), seen(Way.MODIFIED, 6.0), seen(Way.CLEAN, 4.0), seen(Way.CLEAN, -4)]
JUDGED = [
    judge("measure", CASES, measured(CALIBRATION), lambda one: one.seconds),
    judge("prompt", CASES, prompted, lambda one: one.prompted_seconds),
]


def test_tables_name_every_share_with_its_interval() -> None:
    """Both reviewers stand side by side, with counts and intervals."""
    lines = render(JUDGED, CASES, CALIBRATION).splitlines()
    row = next(line for line in lines if line.startswith("added, operator"))
    assert row.split() == [
        "added,",
        "operator",
        "1/2",
        "=",
        "50%",
        "(9%",
        "to",
        "91%)",
        "0/2",
        "=",
        "0%",
        "(0%",
        "to",
        "66%)",
    ]
    assert any(line.split()[:5] == ["comments", "on", "them", "1", "(0.50"] for line in lines)
    assert any(line.split()[:3] == ["seconds", "a", "hunk"] for line in lines)


def test_json_holds_the_same_and_the_curve() -> None:
    """Programs get counts, shares and intervals, and a point a threshold."""
    document = json.loads(render_json(JUDGED, CASES, CALIBRATION))
    one, other = document["reviewers"]
    assert one["found"]["modified, operator"]["hits"] == 1
    assert other["comments"] == 2
    assert one["blocked"]["total"] == 2
    assert document["cases"] == len(CASES)
    assert [point["noise"] for point in document["curve"]] == sorted(
        (point["noise"] for point in document["curve"]), reverse=True
    )


def test_calibration_shows_before_and_now() -> None:
    """The thresholds in words, under the figures they give."""
    text = render_calibration(CASES, CALIBRATION, Calibration(CALIBRATION.weights, speak=0.8, block=1.01))
    assert "speaks at 0.5, blocks at 0.9" in " ".join(text.split())
    assert "speaks at 0.8, never blocks" in " ".join(text.split())


class _Page(HTMLParser):
    """Counts elements and keeps every attribute that could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.loads += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "srcset", "data", "action")]
        if tag not in ("meta", "rect", "line", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing() -> None:
    """Every element is closed, both charts and the curve are there, and nothing is fetched from anywhere."""
    text = page(JUDGED, CASES, CALIBRATION)
    parsed = _Page()
    parsed.feed(text)
    assert parsed.open == []
    assert parsed.loads == []
    assert "url(" not in text
    assert "<script" not in text
    assert parsed.seen.count("svg") == 3
    assert parsed.seen.count("polyline") == 1
    assert "<title>speaks at 0.5" in text
