"""The page of pages: what each paper says first, what came of it here, and what that took.

It is made from the JSON files beside the pages, in which ``page.py`` has written the verdicts: judging all
claims anew would take minutes. A system has a row for each headline claim of its paper, and a sentence on
all its claims.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.metrics.verdicts import Verdict
from tenor.recipes.results import read_content, seconds_of
from tenor.report.tables import figure, markdown_table, markdown_text

OVERVIEW = "README.md"
_INTRODUCTION = """# Results

What published systems say first, and what came of it here. *Holds*: the 95% interval over seeds and test
items lies beyond 0 (or beyond the target named) in the claimed direction; *fails*: it excludes the smallest
effect of interest; *undecided*: it does neither; *at chance*: neither side is better than a trivial baseline.
The scales `small` and `full` are those of the recipe, on the data available, and smaller than in the papers;
each page says what differs. Minutes are those of computing all cells on two shared cores.
`tenor run NAME` computes a page anew.
"""
_HEADER = [
    "system",
    "the paper's headline",
    "paper",
    "ours [95%]",
    "verdict",
    "scale",
    "minutes",
    "in a sentence",
]
_SAID = (
    (Verdict.holds, "holds", "hold"),
    (Verdict.fails, "fails", "fail"),
    (Verdict.undecided, "is undecided", "are undecided"),
)


def write_overview(folder: Path, names: Sequence[str], *, versions: Mapping[str, int] | None = None) -> Path:
    """Write the overview of the pages in a folder, in the order of ``names``.

    ``versions`` are those of the recipes now: results of another one are said to be of that.
    """
    files = [(name, folder / f"{name}.json") for name in names]
    rows = [row for name, file in files if file.is_file() for row in _rows(name, file, versions or {})]
    path = folder / OVERVIEW
    with atomic_file(path) as aside:
        table = markdown_table(_HEADER, rows, left=2, last_left=True)
        aside.write_text(f"{_INTRODUCTION}\n{table}\n", encoding="utf-8")
    return path


def _rows(name: str, file: Path, versions: Mapping[str, int]) -> Iterator[list[str]]:
    content = read_content(file)
    shown = f"[{markdown_text(str(content.get('title', name)))}]({name}.md)"
    try:
        claims = content.get("claims") or []
        seconds, untimed = seconds_of(content["cells"])
        minutes = f"{'≥ ' if untimed else ''}{round(seconds / 60):,}"
        now = versions.get(name, content.get("version"))
        outdated = content.get("version") != now
        sentence = _sentence(claims)
        if outdated:
            sentence += f" Outdated: of version {content.get('version')} of the recipe, which is at {now}."
        headlines = [claim for claim in claims if claim["headline"]] or [None]
        for place, claim in enumerate(headlines):
            own = [str(content["scale"]), minutes, sentence] if place == 0 else ["", "", ""]
            yield [shown if place == 0 else "", *_headline(claim, outdated=outdated), *own]
    except (KeyError, TypeError, ValueError) as error:
        raise TenorError(f"{file} is damaged: its claims cannot be read. Write its page anew.") from error


def _headline(claim: Mapping[str, Any] | None, *, outdated: bool) -> list[str]:
    """Show a headline claim: its text, the paper's figure, ours, and the verdict, which may be outdated."""
    if claim is None:
        return ["–", "–", "–", "not judged"]
    paper, signed = claim.get("paper"), bool(claim.get("difference", True))
    printed = paper if isinstance(paper, str) else figure(paper, signed=signed)
    ours = "–"
    if claim["interval"] is not None:
        estimate, low, high = (figure(value, signed=signed) for value in claim["interval"])
        ours = f"{estimate} [{low}, {high}]"
    mark = f": {claim['mark']}" if claim["mark"] else ""
    verdict = f"outdated: {claim['verdict']}{mark}" if outdated else f"**{claim['verdict']}**{mark}"
    return [str(claim["claim"]), printed, ours, verdict]


def _sentence(claims: Sequence[Mapping[str, Any]]) -> str:
    """Count the verdicts on all claims in words."""
    verdicts = [Verdict(claim["verdict"]) for claim in claims]
    tested: list[Verdict] = [verdict for verdict in verdicts if verdict != Verdict.not_run]
    if not tested:
        return "No claim was tested."
    said = [
        f"{count} {one if count == 1 else many}" for kind, one, many in _SAID if (count := tested.count(kind))
    ]
    chance = sum(claim["mark"] == "at chance" for claim in claims)
    left = len(verdicts) - len(tested)
    return (
        f"Of {len(tested)} claims tested "
        + ", ".join(said)
        + (f" ({chance} at chance)" if chance else "")
        + (f"; {left} could not be tested." if left else ".")
    )
