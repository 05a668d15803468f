"""The figures of embedding dimensions: how many components are needed, what each knows, which part wins."""

from tenor.recipes.embedding_dimensions.claims import TABLES
from tenor.recipes.embedding_dimensions.sentence_tasks import TASKS
from tenor.recipes.embedding_dimensions.syntax_tasks import TASKS as SYNTAX_TASKS
from tenor.recipes.results import Results
from tenor.report.plots import bar_plot, line_plot

KEPT = (10, 20, 50, 100, 150, 200, 250)
"""Numbers of components that are kept, for the curves."""

_CONTESTS = {"M > T": ("M", "T"), "B > M": ("B", "M"), "B > T": ("B", "T"), "full > PPA": ("full", "ppa-5")}


def curves(found: Results) -> str | None:
    """Draw mean similarity and mean accuracy by the number of components kept, for GloVe."""
    drawn = {}
    for name in ("similarity", "sentences"):
        points = [(float(k), found.mean(f"glove-first-{k}", name)) for k in KEPT]
        points.append((300.0, found.mean("glove-ppa-0", name)))
        kept = [(x, y) for x, y in points if y == y]
        if len(kept) > 1:
            drawn[f"{name} (mean)"] = ([x for x, _ in kept], [y for _, y in kept])
    return line_plot(drawn, x_label="components kept", y_label="score") if drawn else None


def components(found: Results) -> str | None:
    """Draw what every component knows by itself."""
    drawn = {}
    for task in SYNTAX_TASKS:
        for one in found.series("glove-components", task)[:1]:
            drawn[task] = (one["component"], one["accuracy"])
    return line_plot(drawn, x_label="component", y_label="accuracy of it alone") if drawn else None


def counts(found: Results) -> str | None:
    """Draw in how many comparisons (tables × tasks) one variant beats another."""
    shares = {}
    for name, (first, second) in _CONTESTS.items():
        pairs = [
            (found.mean(f"{table}-{first}", task), found.mean(f"{table}-{second}", task))
            for table in TABLES
            for task in TASKS
        ]
        kept = [one > two for one, two in pairs if one == one and two == two]
        if kept:
            shares[f"{name} ({sum(kept)} of {len(kept)})"] = (sum(kept) / len(kept), 0.0)
    return bar_plot(shares, x_label="share of comparisons") if shares else None
