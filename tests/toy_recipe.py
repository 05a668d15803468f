"""A recipe for tests of the runner: it guesses labels, better or worse, and counts how often it was run.

``settings["act"]`` of a cell makes it misbehave. It lives where new processes can import it.
"""

import os
import signal
import time

import numpy as np

from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome
from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.recipe import Cell, CellResult, Composite, Context, DataFolder, Figure, Plan, Recipe
from tenor.report.plots import line_plot


def run(cell: Cell, context: Context) -> CellResult:
    (log := context.work.parent.parent.parent / "calls.txt").touch()
    with log.open("a") as calls:
        calls.write(f"{cell.name} {context.seed}\n")
    _act(cell.settings.get("act"), context)
    items = np.random.default_rng(0)  # the test set is the same whatever the seed
    gold = items.integers(0, 2, 200)
    skill = cell.settings["skill"] + 0.02 * context.generator().normal()
    right = items.random(200) < skill
    score = np.where(right, gold, 1 - gold)
    return CellResult(
        outcomes={
            "accuracy": Outcome.of("mean", right, items="test"),
            "correlation": Outcome.of("pearson", gold, score, items="test"),
        },
        notes=("Labels are guessed.",),
        series={"curve": {"step": [1, 2, 3], "accuracy": np.linspace(0.5, skill, 3)}},
        extras=_extras(cell, context),
        files=_files(context) if cell.settings.get("act") == "leave files" else {},
    )


def _extras(cell: Cell, context: Context):
    """What was read of other cells: by ``made_by`` of one without seeds, by ``result_of`` of those before."""
    if cell.settings.get("act") == "read":
        return {"read": _made(context)}
    before = {name: context.result_of(name) for name in cell.after}
    return {
        name: {
            "accuracy": result.outcomes["accuracy"].score,
            "files": {file: path.read_text() for file, path in result.files.items()},
            "seed": result.extras.get("seed"),
        }
        for name, result in before.items()
    } | ({"seed": context.seed} if cell.settings.get("chain") else {})


def _files(context: Context):
    file = context.work / "weights"
    file.write_text("some weights")
    return {"model/weights.txt": file, "card.md": file}


def _made(context: Context):
    made = context.made_by("maker")
    return None if made is None else (made / "model/weights.txt").read_text()


def _act(act: str | None, context: Context) -> None:
    marker = context.work / "was-here"
    if act == "raise":
        raise ValueError("the dog ate it")
    if act == "complain":
        raise TenorError(f"{context.work} is not to my taste.")
    if act == "once" and not marker.exists():
        marker.touch()
        raise ValueError("only the first time")
    if act == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if act == "interrupt":
        raise KeyboardInterrupt
    if act == "wait":
        marker.write_text(str(os.getpid()))
        time.sleep(120)


def _curves(results):
    curves = {cell.name: results.series(cell.name, "curve") for cell in results.cells}
    drawn = {name: (found[0]["step"], found[0]["accuracy"]) for name, found in curves.items() if found}
    return line_plot(drawn, x_label="step", y_label="accuracy") if drawn else None


def make(*cells: Cell, version: int = 1, seeds: int = 3, claims=None, settings=None) -> Recipe:
    plan = Plan(cells=cells or CELLS, seeds=seeds, settings=settings or {}, data=False, about="made-up data")
    return Recipe(
        name="toy",
        title="A toy",
        paper="Nobody, *Nothing*, 2026",
        spec=99,
        summary="Guesses labels.",
        version=version,
        scales={"tiny": plan, "small": Plan(cells=cells or CELLS, seeds=seeds)},
        run=run,
        data=(
            DataFolder(name="labels", files=("*.tsv",), about="the labels", advice="Ask for them."),
            DataFolder(name="more", about="more labels", optional=True),
        ),
        claims=CLAIMS if claims is None else claims,
        composites={"both": Composite.mean("accuracy", "correlation")},
        figures=(Figure(name="curves", caption="How it learns.", draw=_curves),),
        differs=("The data are made up | entirely.",),
    )


CELLS = (
    Cell(name="good", settings={"skill": 0.9}),
    Cell(name="bad", settings={"skill": 0.6}),
    Cell(name="fixed", settings={"skill": 0.75}, seeded=False, title="A fixed one"),
)
CLAIMS = (
    Claim(
        text="good beats bad",
        contrast=Contrast.difference("good", "bad", metric="accuracy"),
        smallest=0.05,
        paper=0.25,
    ),
    Claim(
        text="bad beats good, on both",
        contrast=Contrast.difference("bad", "good", metric="both"),
        smallest=0.05,
        paper="“clearly”",
    ),
    Claim(text="good passes 0.7", contrast=Contrast.mean("good", metric="accuracy"), reference=0.7),
    Claim(
        text="the fixed one lies within 0.2 of good",
        contrast=Contrast.difference("fixed", "good", metric="accuracy"),
        direction="same",
        smallest=0.2,
    ),
    Claim(text="translation improves", reason="no parallel text"),
)
MAKER = Cell(name="maker", seeded=False, settings={"skill": 0.7, "act": "leave files"})
READER = Cell(name="reader", seeded=False, settings={"skill": 0.7, "act": "read"})
# A student after its teacher and a corpus without seeds; it stands before them in the plan.
TEACHER = Cell(name="teacher", settings={"skill": 0.8, "act": "leave files", "chain": True})
CORPUS = Cell(name="corpus", settings={"skill": 0.7, "act": "leave files"}, seeded=False)
STUDENT = Cell(name="student", settings={"skill": 0.9, "chain": True}, after=("teacher", "corpus"))
GRAND_STUDENT = Cell(name="grand-student", settings={"skill": 0.9}, after=("student",))
RECIPE = make()
CHAIN = make(GRAND_STUDENT, STUDENT, CELLS[0], TEACHER, CORPUS, claims=())
DEADLY_CHAIN = make(
    STUDENT, Cell(name="teacher", settings={"skill": 0.5, "act": "die"}), CORPUS, GRAND_STUDENT, claims=()
)
DEADLY = make(CELLS[0], Cell(name="deadly", settings={"skill": 0.5, "act": "die"}), CELLS[1])
SLOW = make(Cell(name="slow", settings={"skill": 0.5, "act": "wait"}))
