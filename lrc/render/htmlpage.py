"""The frame that all pages share: one file that loads nothing from anywhere."""

from collections.abc import Iterable
from html import escape

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: currentColor; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem .2rem 0; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr + tr { border-top: 1px solid #8884; }
.axis { stroke: currentColor; stroke-width: 1; }
.key span { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
"""


def document(title: str, body: Iterable[str], style: str = "") -> str:
    """A whole page: `title` is text and is escaped, `body` is lines of HTML, `style` further rules of it."""
    shown = escape(title)
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{shown}</title><style>{_STYLE}{style}</style></head><body>",
            f"<h1>{shown}</h1>",
            *body,
            "</body></html>",
        )
    )
