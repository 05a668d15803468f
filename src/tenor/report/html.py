"""A self-contained HTML page: its style inside it, no script, no request to anywhere.

Light or dark as the reader's system is, readable on a phone. The policy in its head forbids the browser to
load or run anything, so even a text that slipped through unescaped could do nothing.
"""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from tenor.report.visible import visible

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

# The same head and foot as those of the page that `tenor serve` shows.
_BRAND = (
    '<header><span class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M4 7h16M12 25h16"/>'
    '<path class="link" d="M12 7c0 9 8 9 8 18"/></svg>Tenor</span></header>'
)
_FOOTER = "<footer>This file holds all that it shows, and asks for nothing from anywhere.</footer>"

_STYLE = Path(__file__).with_name("page.css")


def page(title: str, parts: Iterable[str]) -> str:
    """Put parts that are HTML already into a whole page; the title is plain text.

    >>> "<script" in page("<script>", [])
    False
    """
    head = (
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style>",
    )
    body = ("<body>", _BRAND, "<main>", *parts, "</main>", _FOOTER, "</body>")
    lines = ("<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", *body)
    return visible("\n".join((*lines, "</html>")) + "\n")


def heading(text: str, level: int = 2) -> str:
    """Make a heading of plain text."""
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, *, soft: bool = False) -> str:
    """Make a paragraph of plain text."""
    return f"<p{' class=soft' if soft else ''}>{escape(text)}</p>"


def tiles(values: Iterable[tuple[str, str, str]]) -> str:
    """Show a few figures large: name, figure, what stands below it."""
    made = (
        f'<div class="tile">{escape(name)}<b>{escape(value)}</b>'
        f'<span class="soft">{escape(below)}</span></div>'
        for name, value, below in values
    )
    return f'<div class="tiles">{"".join(made)}</div>'


def framed(svg: str, caption: str, *, kind: str = "") -> str:
    """Put a picture (SVG of ours) into a frame with a caption of plain text."""
    name = f' class="{kind}"' if kind else ""
    return f"<figure{name}><figcaption>{escape(caption)}</figcaption>{svg}</figure>"


def side_by_side(parts: Iterable[str]) -> str:
    """Set parts beside one another where the screen is wide enough."""
    return f'<div class="pair">{"".join(parts)}</div>'


def folded(summary: str, text: str) -> str:
    """Show a plain text only when the reader asks for it."""
    return (
        f"<details><summary>{escape(summary)}</summary>"
        f'<pre tabindex="0" role="region" aria-label="{escape(summary)}">{escape(text)}</pre></details>'
    )
