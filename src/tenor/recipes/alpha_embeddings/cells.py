"""The cells of the recipe on alpha embeddings: model, dimensions, reference, metric and α of each."""

from dataclasses import replace
from typing import Any

from tenor.recipes.alpha_embeddings.documents import DOCUMENTS
from tenor.recipes.recipe import Cell


def _cell(name: str, title: str, **settings: Any) -> Cell:
    plain = {"model": "glove", "label": "U+V", "reference": "0", "norm": "I", "product": None}
    return Cell(name=name, title=title, settings={**plain, **settings})


def _combination(width: int, reference: str, norm: str, model: str = "glove") -> tuple[Cell, ...]:
    end = f"{width}-{reference}-{norm}"
    start, name = ("", "") if model == "glove" else ("sg-", "skip-gram, ")
    point = {"model": model, "width": width, "reference": reference, "norm": norm}
    limit = {"alpha": "limit", "top": 1, "weighted": False}
    return (
        _cell(f"{start}E-{end}-a1", f"{name}E-{end}, α = 1", alpha=1.0, **point),
        _cell(f"{start}E-{end}-a-1", f"{name}E-{end}, α = −1", alpha=-1.0, **point),
        _cell(f"{start}E-{end}-tuned", f"{name}E-{end}, α chosen", alpha="tuned", **point),
        _cell(f"{start}LE-{end}", f"{name}LE-{end}", **limit, **point),
    )


def _raw(width: int, model: str = "glove") -> tuple[Cell, ...]:
    start, name = ("", "") if model == "glove" else ("sg-", "skip-gram, ")
    return tuple(
        _cell(
            f"{start}{label}-{width}",
            f"{name}{label}, {width}",
            alpha="raw",
            model=model,
            width=width,
            label=label,
        )
        for label in ("U", "U+V")
    )


def _several(width: int, reference: str, norm: str, top: int) -> Cell:
    name = f"LE-{width}-{reference}-{norm}-t{top}-w"
    point = {"width": width, "reference": reference, "norm": norm}
    return _cell(name, name, alpha="limit", top=top, weighted=True, **point)


def _mixed(width: int, reference: str) -> tuple[Cell, ...]:
    point = {"width": width, "reference": reference, "norm": "F", "product": "I"}
    end = f"{width}-{reference}-nF-pI"
    return (
        _cell(f"E-{end}-tuned", f"E-{end}, α chosen", alpha="tuned", **point),
        _cell(f"LE-{end}", f"LE-{end}", alpha="limit", top=1, weighted=False, **point),
    )


def classified(name: str, width: int, architecture: str = "linear") -> tuple[Cell, ...]:
    """Give the cells of a set of documents: U+V, two with a chosen α, and a limit."""
    short = {"AG News": "ag", "MR": "mr"}[name] + ("" if architecture == "linear" else "-lstm")
    title = f"{name}, {width}" + ("" if architecture == "linear" else ", BiLSTM")
    task = {"documents": name, "architecture": architecture, "width": width}
    limit = {"alpha": "limit", "top": 1, "weighted": False}
    cells = (
        _cell(f"{short}-{width}-U+V", f"{title}: U+V", alpha=1.0, **task),
        _cell(f"{short}-{width}-0", f"{title}: E-0-F, α chosen", alpha="tuned", norm="F", **task),
        _cell(
            f"{short}-{width}-ud",
            f"{title}: E-ud-F, α chosen",
            alpha="tuned",
            norm="F",
            reference="ud",
            **task,
        ),
        _cell(f"{short}-{width}-LE", f"{title}: LE-ud-F", norm="F", reference="ud", **limit, **task),
    )
    # Version 2 changed the scores of word similarity and the plain vectors; neither is used here.
    return tuple(replace(cell, since=1) for cell in cells)


WIDTHS = (50, 150)
MAIN = tuple(
    cell
    for width in WIDTHS
    for cell in (
        *_raw(width),
        *(
            one
            for how in (("0", "I"), ("0", "F"), ("u", "F"), ("ud", "F"))
            for one in _combination(width, *how)
        ),
        _several(width, "ud", "F", 3),
    )
)
SKIP_GRAM = (
    *_raw(50, "skip-gram"),
    *_combination(50, "0", "I", "skip-gram"),
    *_combination(50, "ud", "F", "skip-gram"),
)
CLASSIFIED = tuple(cell for name in DOCUMENTS for width in WIDTHS for cell in classified(name, width))
REST = tuple(
    cell
    for width in WIDTHS
    for cell in (
        *(one for reference in ("u", "ud") for one in _combination(width, reference, "I")),
        *(one for reference in ("0", "u") for one in _mixed(width, reference)),
        *(_several(width, reference, "F", top) for reference, top in (("0", 3), ("u", 3), ("ud", 5))),
    )
)

TINY = {"epochs": 3, "document_alphas": [-1.0, 1.0]}
# The paper's grid: steps of 0.2 within [-1, 1], of 0.4 within [-3, 3], of 1 within [-4, 4].
PAPER_ALPHAS = [
    *(-4.0, -3.0, -2.6, -2.2, -1.8, -1.4, -1.0, -0.8, -0.6, -0.4, -0.2, 0.0),
    *(0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 1.8, 2.2, 2.6, 3.0, 4.0),
]
