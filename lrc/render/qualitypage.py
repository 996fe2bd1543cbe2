"""How good a reviewer is as one HTML page that loads nothing from anywhere: shares with intervals, and the curve."""

from collections.abc import Iterator, Sequence
from html import escape

from lrc.quality.fitting import Point, curve
from lrc.quality.intervals import Share
from lrc.quality.judging import Judgement
from lrc.quality.observing import Observation
from lrc.render.htmlpage import document
from lrc.render.quality import rows
from lrc.reviewer.confidence import Calibration

_COLOURS = ("#2e7d32", "#8d6e63", "#1565c0")
_WIDTH, _HEIGHT, _LEFT = 760, 300, 60
_ROW, _LABEL = 34, 190


def page(judged: Sequence[Judgement], seen: Sequence[Observation], calibration: Calibration) -> str:
    """The whole page."""
    points = curve(seen, calibration)
    return document(
        "lrc: quality of review",
        (
            f"<p>{len(seen):,} cases: real code with one planted defect each, and ordinary commits taken for clean. "
            "Lines are 95 % intervals (Wilson).</p>",
            *_summary(judged),
            "<h2>Found, by group</h2>",
            *_bars(judged, "found"),
            "<h2>Found, by kind of defect</h2>",
            *_bars(judged, "kinds"),
            "<h2>Recall against comments on a clean commit</h2>",
            *_curve(points, calibration),
        ),
    )


def _summary(judged: Sequence[Judgement]) -> Iterator[str]:
    heads = "".join(f"<th>{escape(one.name)}</th>" for one in judged)
    yield f"<table><tr><th></th>{heads}</tr>"
    for name, cells in rows(judged):
        yield f"<tr><td>{escape(name)}</td>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _bars(judged: Sequence[Judgement], field: str) -> Iterator[str]:
    """A bar with its interval for each group and reviewer."""
    keys = "".join(
        f'<span style="background:{colour}"></span>{escape(one.name)}'
        for one, colour in zip(judged, _COLOURS, strict=False)
    )
    yield f'<p class="key">{keys}</p>'
    names = list(dict.fromkeys(name for one in judged for name in getattr(one, field)))
    yield f'<svg viewBox="0 0 {_WIDTH} {len(names) * _ROW + 8}" role="img" aria-label="Shares found, with intervals">'
    for place, name in enumerate(names):
        top = place * _ROW + 4
        yield f'<text x="0" y="{top + 16}">{escape(name)}</text>'
        for number, (one, colour) in enumerate(zip(judged, _COLOURS, strict=False)):
            share = getattr(one, field).get(name)
            if share is not None:
                yield from _bar(share, top + number * 14, colour)
    yield "</svg>"


def _bar(share: Share, top: int, colour: str) -> Iterator[str]:
    scale = _WIDTH - _LABEL - 130
    low, high = (scale * end for end in share.interval)
    middle = top + 5
    yield f'<rect x="{_LABEL}" y="{top}" width="{scale * share.value:.1f}" height="10" fill="{colour}"/>'
    yield f'<line class="axis" x1="{_LABEL + low:.1f}" x2="{_LABEL + high:.1f}" y1="{middle}" y2="{middle}"/>'
    yield f'<text x="{_LABEL + scale + 10}" y="{top + 9}">{share.hits}/{share.total} = {share.value:.0%}</text>'


def _curve(points: Sequence[Point], calibration: Calibration) -> Iterator[str]:
    """Recall over noise, the chosen threshold marked."""
    widest = max([0.1, *(point.noise for point in points if point.threshold >= 0.05)])
    yield f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + 50}" role="img" aria-label="Recall over comments a clean commit">'
    yield f'<line class="axis" x1="{_LEFT}" y1="10" x2="{_LEFT}" y2="{_HEIGHT}"/>'
    yield f'<line class="axis" x1="{_LEFT}" y1="{_HEIGHT}" x2="{_WIDTH - 10}" y2="{_HEIGHT}"/>'
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield f'<text x="8" y="{_up(share) + 4:.1f}">{share:.0%}</text>'
        noise = share * widest
        yield f'<text x="{_across(noise, widest) - 10:.1f}" y="{_HEIGHT + 18}">{noise:.2f}</text>'
    yield f'<text x="{_LEFT}" y="{_HEIGHT + 38}">comments on a clean commit</text>'
    shown = [point for point in points if point.noise <= widest]
    path = " ".join(f"{_across(point.noise, widest):.1f},{_up(point.recall):.1f}" for point in shown)
    yield f'<polyline points="{path}" fill="none" stroke="{_COLOURS[0]}" stroke-width="2"/>'
    chosen = next((point for point in shown if point.threshold >= calibration.speak), None)
    if chosen is not None:
        title = (
            f"speaks at {calibration.speak:g}: {chosen.recall:.0%} found, {chosen.noise:.2f} comments a clean commit"
        )
        place = f'cx="{_across(chosen.noise, widest):.1f}" cy="{_up(chosen.recall):.1f}"'
        yield f'<circle {place} r="5" fill="{_COLOURS[0]}"><title>{title}</title></circle>'
    yield "</svg>"


def _across(noise: float, widest: float) -> float:
    return _LEFT + noise / widest * (_WIDTH - _LEFT - 30)


def _up(share: float) -> float:
    return _HEIGHT - share * (_HEIGHT - 20)
