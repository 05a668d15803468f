"""Tables and figures for readers: Markdown for pages of the repository, HTML for self-contained ones."""

import math
from collections.abc import Iterable, Sequence
from html import escape


def figure(value: float | None, *, signed: bool = False) -> str:
    """Show a number with three decimals, fewer where it is large; a dash where there is none.

    >>> figure(0.85432), figure(123.456), figure(0.02, signed=True), figure(float("nan")), figure(-0.0001)
    ('0.854', '123.5', '+0.020', '–', '0.000')
    """
    if value is None or not math.isfinite(value):
        return "–"
    decimals = 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1 if abs(value) < 10_000 else 0
    shown = f"{value:{'+' if signed else ''},.{decimals}f}"
    digits = shown.lstrip("+-")
    return digits if not digits.strip("0.,") and not signed else shown.replace("-", "−")


def duration(seconds: float) -> str:
    """Show a time as people say it.

    >>> duration(42.1), duration(130), duration(7500)
    ('42 s', '2 min 10 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def markdown_text(text: str) -> str:
    """Make a text safe inside a Markdown table: one line, no bars, no HTML.

    >>> markdown_text("a|b <i>\\nc")
    'a\\\\|b &lt;i&gt; c'
    """
    line = " ".join(text.split())
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, last_left: bool = False
) -> str:
    """Make a Markdown table; the first ``left`` columns, and the last on demand, are set left, others right.

    >>> print(markdown_table(["cell", "score"], [["a", "0.5"]]))
    | cell | score |
    | --- | ---: |
    | a | 0.5 |
    """
    alignment = ["---" if index < left else "---:" for index in range(len(header))]
    alignment[-1] = "---" if last_left else alignment[-1]
    lines = [header, alignment, *rows]
    body = lines[:2] + [[markdown_text(cell) for cell in row] for row in lines[2:]]
    return "\n".join("| " + " | ".join(row) + " |" for row in body)


def html_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, label: str = ""
) -> str:
    """Make an HTML table of plain texts, all escaped, in a box that scrolls sideways on a narrow screen.

    >>> html_table(["a"], [["<b>"]])
    '<div class="scroll"><table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td>...

    With a label the box can be reached and scrolled by keys, and is announced by that name.
    """
    cells = (f'<th scope="col"{_right(index, left)}>{escape(name)}</th>' for index, name in enumerate(header))
    body = "".join(f"<tr>{_cells(row, left)}</tr>" for row in rows)
    name = f' tabindex="0" role="region" aria-label="{escape(label)}"' if label else ""
    table = f"<table><thead><tr>{''.join(cells)}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll"{name}>{table}</div>'


def _cells(row: Sequence[str], left: int) -> str:
    return "".join(f"<td{_right(index, left)}>{escape(cell)}</td>" for index, cell in enumerate(row))


def _right(index: int, left: int) -> str:
    return "" if index < left else ' class="number"'
