"""The figures: score by the number of rows trained on, and the curve of the pre-training."""

from functools import partial

from tenor.recipes.recipe import Figure
from tenor.recipes.results import Results
from tenor.recipes.transfer_fine_tuning.claims import EQUIVALENCE
from tenor.recipes.transfer_fine_tuning.scoring import MAIN
from tenor.report.plots import line_plot


def by_rows(task: str, found: Results) -> str | None:
    """Draw a task's score by the number of rows, for plain and transferred encoders."""
    drawn = {}
    for encoder in ("starter", "vanilla"):
        for kind in ("plain", "transferred"):
            named = [cell.name for cell in found.cells if cell.name.startswith(f"{encoder}-{kind}-")]
            # A task that has fewer rows than a cell asks for has one point at all of its rows.
            points = {
                float(told[0]["rows"]): found.mean(name, MAIN[task])
                for name in named
                if (told := found.extras(name, task))
            }
            if len(points) > 1:
                rows = sorted(points)
                drawn[f"{encoder}, {kind}"] = (rows, [points[count] for count in rows])
    return line_plot(drawn, x_label="rows trained on", y_label=MAIN[task]) if drawn else None


def pretraining(found: Results) -> str | None:
    """Draw the loss of the pre-training."""
    drawn = {
        name: (curve["step"], curve["loss"])
        for name in ("loss on train", "loss on dev")
        for curve in found.series("pretraining", name)[:1]
    }
    return line_plot(drawn, x_label="step", y_label="loss of masked tokens") if drawn else None


FIGURES = (
    *(
        Figure(
            name=f"rows-{task}",
            caption=f"{MAIN[task]} by the number of rows trained on, mean over seeds.",
            draw=partial(by_rows, task),
        )
        for task in EQUIVALENCE
    ),
    Figure(name="pretraining", caption="Pre-training of the vanilla encoder.", draw=pretraining),
)
