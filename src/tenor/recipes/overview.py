"""The page of pages: which recipes were run at which scale, and what became of their papers' claims.

It is made from the JSON files beside the pages, in which ``page.py`` has written the verdicts: judging all
claims anew would take minutes.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.metrics.verdicts import Verdict
from tenor.recipes.results import read_content
from tenor.report.tables import markdown_table, markdown_text

OVERVIEW = "README.md"
_INTRODUCTION = """# Results

What holds here of the claims of published systems, judged from intervals over seeds and test items. Each
page names its scale, its data and what differs from the paper; `tenor run NAME` computes it anew. *Holds
(Holm)* counts the claims that hold still when all claims of a page are tested together; *headline* shows how
many of the paper's headline claims hold, of how many.
"""
_HEADER = ["system", "scale", "headline", "holds", "holds (Holm)", "small", "fails", "undecided", "not run"]


def write_overview(folder: Path, names: list[str]) -> Path:
    """Write the overview of the pages in a folder, in the order of ``names``."""
    files = [(name, folder / f"{name}.json") for name in names]
    rows = [_row(name, file) for name, file in files if file.is_file()]
    path = folder / OVERVIEW
    with atomic_file(path) as aside:
        aside.write_text(f"{_INTRODUCTION}\n{markdown_table(_HEADER, rows, left=2)}\n", encoding="utf-8")
    return path


def _row(name: str, file: Path) -> list[str]:
    content = read_content(file)
    shown = f"[{markdown_text(str(content.get('title', name)))}]({name}.md)"
    try:
        counts = _counts(content.get("claims"))
        return [shown, str(content["scale"]), *counts]
    except (KeyError, TypeError) as error:
        raise TenorError(f"{file} is damaged: its claims cannot be read. Write its page anew.") from error


def _counts(claims: list[Mapping[str, Any]] | None) -> list[str]:
    """Count the verdicts for the columns; results whose page was never written have none."""
    if claims is None:
        return ["–"] * (len(_HEADER) - 2)
    verdicts = [claim["verdict"] for claim in claims]
    headlines = [claim["verdict"] for claim in claims if claim["headline"]]
    holds, fails, undecided, not_run = (str(verdicts.count(kind.value)) for kind in Verdict)
    adjusted = str(sum(bool(claim["adjusted"]) for claim in claims))
    small = str(sum(claim["mark"] == "small" for claim in claims))
    headline = f"{headlines.count(Verdict.holds.value)} of {len(headlines)}"
    return [headline, holds, adjusted, small, fails, undecided, not_run]
