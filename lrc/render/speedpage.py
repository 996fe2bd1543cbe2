"""How fast the engine is, as one HTML page that loads nothing from anywhere."""

from collections.abc import Iterator, Sequence
from html import escape

from lrc.render.htmlpage import document
from lrc.render.speed import COLUMNS, Speed, cells, remarks
from lrc.speculative.bench import Result

_STYLE = ".one { stroke: currentColor; stroke-dasharray: 4 3; }"
_WIDTH, _LABEL, _ROW, _HEIGHT = 760, 170, 20, 220


def page(speed: Speed) -> str:
    """The whole page."""
    parts = [("Review comments, one at a time", speed.comments), ("Code written again, one at a time", speed.copies)]
    parts += [(f"{width} review comments", results) for width, results in speed.together.items()]
    body = [line for title, results in parts for line in _part(title, results, speed)]
    left_out = [f"<li>{escape(name)}: {escape(reason)}</li>" for name, reason in speed.left_out.items()]
    settings = ", ".join(f"{name} {value}" for name, value in speed.settings.items())
    return document(
        "lrc: speed of the engine",
        (
            f"<p>Target {escape(speed.target)}, draft {escape(speed.draft or 'none')}, {escape(settings)}; peak memory "
            f"{speed.memory / 2**30:.1f} GiB. Bars are ratios to plain decoding in the same run.</p>",
            *body,
            "<h2>Cost of an evaluation by its rows, v(n)</h2>",
            *_costs(speed),
            *(f"<p>{escape(line)}</p>" for line in remarks(speed)),
            *(["<h2>Not run</h2><ul>", *left_out, "</ul>"] if left_out else []),
        ),
        _STYLE,
    )


def _part(title: str, results: Sequence[Result], speed: Speed) -> Iterator[str]:
    yield f"<h2>{escape(title)}</h2>"
    widest = max([1.0, *(result.ratio for result in results)])
    scale = (_WIDTH - _LABEL - 60) / widest
    yield f'<svg viewBox="0 0 {_WIDTH} {len(results) * _ROW + 8}" role="img" aria-label="Ratios to plain decoding">'
    for place, result in enumerate(results):
        top = place * _ROW + 4
        yield f'<text x="0" y="{top + 11}">{escape(result.name)}</text>'
        colour = "#2e7d32" if result.ratio >= 1 else "#c62828"
        yield f'<rect x="{_LABEL}" y="{top}" width="{result.ratio * scale:.1f}" height="14" fill="{colour}"/>'
        yield f'<text x="{_LABEL + result.ratio * scale + 6:.1f}" y="{top + 11}">{result.ratio:.2f}</text>'
    yield f'<line class="one" x1="{_LABEL + scale:.1f}" x2="{_LABEL + scale:.1f}" y1="0" y2="{len(results) * _ROW}"/>'
    yield "</svg>"
    yield f"<table><tr><th></th>{''.join(f'<th>{column}</th>' for column in COLUMNS)}</tr>"
    for result in results:
        row = "".join(f"<td>{cell}</td>" for cell in cells(result, speed))
        yield f"<tr><td>{escape(result.name)}</td>{row}</tr>"
    yield "</table>"


def _costs(speed: Speed) -> Iterator[str]:
    """v(n) as a line over the number of rows."""
    one = speed.costs.get(1, 0.0)
    if not one:
        return
    widest, most = max(speed.costs), max(speed.costs.values()) / one
    points = [
        (40 + rows / widest * (_WIDTH - 80), _HEIGHT - cost / one / most * (_HEIGHT - 20))
        for rows, cost in speed.costs.items()
    ]
    yield f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + 30}" role="img" aria-label="Cost in single rows by number of rows">'
    yield f'<line class="axis" x1="40" x2="{_WIDTH - 20}" y1="{_HEIGHT}" y2="{_HEIGHT}"/>'
    yield f'<line class="axis" x1="40" x2="40" y1="10" y2="{_HEIGHT}"/>'
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="#1565c0" stroke-width="2"/>'
    for (x, y), (rows, cost) in zip(points, speed.costs.items(), strict=True):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1565c0"><title>{rows}: {cost / one:.2f}</title></circle>'
        yield f'<text x="{x - 4:.1f}" y="{_HEIGHT + 16}">{rows}</text>'
    yield "</svg>"
