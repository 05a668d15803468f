"""The page of pages: which recipes were run at which scale, and what became of their papers' claims."""

import re
from pathlib import Path

from tenor.files import atomic_file
from tenor.metrics.verdicts import Verdict
from tenor.report.tables import markdown_table

OVERVIEW = "README.md"
_INTRODUCTION = """# Results

What holds here of the claims of published systems, judged from intervals over seeds and test items. Each
page names its scale, its data and what differs from the paper; `tenor run NAME` computes it anew.
"""
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_SCALE = re.compile(r"^\| scale \| (\w+):", re.MULTILINE)
_CLAIMS = re.compile(r"^\d+ claims: (.+)\.$", re.MULTILINE)


def write_overview(folder: Path, names: list[str]) -> Path:
    """Write the overview of the pages in a folder, in the order of ``names``."""
    pages = [(name, folder / f"{name}.md") for name in names]
    rows = [_row(name, page.read_text(encoding="utf-8")) for name, page in pages if page.is_file()]
    table = markdown_table(["system", "scale", *map(str, Verdict)], rows, left=2)
    path = folder / OVERVIEW
    with atomic_file(path) as aside:
        aside.write_text(f"{_INTRODUCTION}\n{table}\n", encoding="utf-8")
    return path


def _row(name: str, page: str) -> list[str]:
    """Read back what ``page.py`` wrote: judging all claims anew would take minutes."""
    title, scale, claims = (pattern.search(page) for pattern in (_TITLE, _SCALE, _CLAIMS))
    counts = dict(part.rsplit(" ", 1) for part in claims[1].split(", ")) if claims else {}
    shown = f"[{title[1] if title else name}]({name}.md)"
    return [shown, scale[1] if scale else "", *(counts.get(str(kind), "0") for kind in Verdict)]
