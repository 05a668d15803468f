"""The figures of zero-resource-ner: what the gate says of words, and F1 by domain."""

from typing import Any

from tenor.recipes.results import Results
from tenor.recipes.zero_resource_ner.claims import VARIANTS, cell_name
from tenor.recipes.zero_resource_ner.data import DOMAINS, SCITECH
from tenor.recipes.zero_resource_ner.scoring import EXPERTS
from tenor.report.plots import line_plot, matrix_plot

_CELL = cell_name("both", frozen=True)


def gates_by_type(found: Results) -> str | None:
    """Draw the mean weight of each expert on SciTech's words of each gold type, in per cent."""
    tables = found.extras(_CELL, "gates by type")
    if not tables:
        return None
    return matrix_plot(
        _per_cent(tables), rows=EXPERTS, columns=EXPERTS, label="gates by type", titles=("gold", "expert")
    )


def gates_of_words(found: Results) -> str | None:
    """Draw the weight of each expert on the words of a sentence, in per cent."""
    sentences = found.extras(_CELL, "sentence")
    if not sentences:
        return None
    weights = _per_cent([one["gates"] for one in sentences])
    words = sentences[0]["words"]
    return matrix_plot(
        weights, rows=words, columns=EXPERTS, label="gates of words", titles=("word", "expert")
    )


def by_domain(found: Results) -> str | None:
    """Draw F1 on every test domain, a line for each variant with frozen vectors."""
    names = (SCITECH, *DOMAINS)
    curves = {}
    for variant in VARIANTS:
        points = [
            (float(x), found.mean(cell_name(variant, frozen=True), name)) for x, name in enumerate(names, 1)
        ]
        if all(y == y for _, y in points):
            curves[variant] = ([x for x, _ in points], [y for _, y in points])
    label = ", ".join(f"{number} {name}" for number, name in enumerate(names, 1))
    return line_plot(curves, x_label=label, y_label="F1") if curves else None


def _per_cent(tables: list[Any]) -> list[list[float]]:
    """Average tables over seeds."""
    rows, columns = len(tables[0]), len(tables[0][0])
    return [
        [100 * sum(table[row][column] for table in tables) / len(tables) for column in range(columns)]
        for row in range(rows)
    ]
