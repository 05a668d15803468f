"""The second plan of minbert-best: teachers for all three tasks, a lower rate, and tokens where they tell.

What the first plan left open, and what answers it here:

- sentiment saw its whole sentences 1.2 times a run, among phrases half of which are neutral: sentences are
  now half of its rows, and their labels are softened by teachers;
- paraphrase took 48% of the tokens for the last thousandth: it now has about a quarter;
- similarity lost in the joint run what a lower rate keeps: 7e-5 in place of 1.5e-4, lower still in the lower
  layers, and near pairs of graded texts with the scores of two teachers who read both texts as one sequence.

Trials leave one part out, once each, for a third of the steps, and are scored on the validation split.
"""

from collections.abc import Mapping
from typing import Any

from tenor.recipes.minbert.softening import Softening
from tenor.recipes.minbert.teaching import Teachers
from tenor.recipes.minbert.training import Setup

BATCHES = {"sentiment": 40, "valence": 12, "paraphrase": 9, "taught": 9, "similarity": 14, "graded": 8}
PARTS = {
    "whole-sentences": "without half of sentiment's rows being whole sentences",
    "softening": "without teachers of sentiment",
    "graders": "without teachers of similarity",
    "teachers": "without teachers of paraphrase",
    "lower-rate": "at the learning rate of the first plan",
    "layer-decay": "without layer-wise decay",
    "joint-similarity": "similarity by cosine, not as one sequence",
}
STEPS, TRIAL_STEPS = 1_400, 470
RATE, FIRST_RATE, LAYER_DECAY = 7e-5, 1.5e-4, 0.9
FEATURES = ("abs", "product", "cosine", "jaccard")
PARAPHRASE = {
    "head": "mlp", "dropout": 0.1, "features": (*FEATURES, "whole"), "encoding": "cross", "symmetrize": True,
    "calibrate": True,
}  # fmt: skip
GRADED = {
    "head": "mlp", "dropout": 0.1, "features": (*FEATURES, "whole"), "encoding": "cross", "symmetrize": True,
    "range": (0.0, 5.0), "loss": "mse", "output": "sigmoid",
}  # fmt: skip


def setup(without: str | None, settings: Mapping[str, Any], *, steps: int, trial: bool) -> Setup:
    """Return what is trained, but for one part."""
    has = {part: part != without for part in PARTS}
    batches = dict(settings.get("lean_batches", BATCHES))
    sizes = {name: {"batch_size": batches[name]} for name in batches}
    if not has["teachers"]:
        sizes["paraphrase"]["batch_size"] += batches["taught"]
    if not has["graders"]:
        sizes["similarity"]["batch_size"] += batches["graded"]
    graded = GRADED if has["joint-similarity"] else {"head": "cosine", "scale": 5.0, "loss": "mse"}
    sentiment = {"head": "linear", "dropout": 0.1, "calibrate": True}
    teaching = settings["teachers"]
    return Setup(
        tasks={
            "sentiment": sentiment | sizes["sentiment"],
            "paraphrase": PARAPHRASE | sizes["paraphrase"],
            "similarity": graded | {"weight": 0.3} | sizes["similarity"],
        },
        training=schedule(steps, settings["ema"])
        | {
            "encoder_lr": RATE if has["lower-rate"] else FIRST_RATE,
            "layer_decay": LAYER_DECAY if has["layer-decay"] else 1.0,
        },
        further={"sentiment": "half" if has["whole-sentences"] else 3, "similarity": 2, "paraphrase": 1},
        valence=sentiment_of_raters(batches["valence"]),
        teachers=_teachers(teaching, batches["taught"]) if has["teachers"] else None,
        graders=_graders(teaching, batches["graded"]) if has["graders"] else None,
        softening=_softening(teaching) if has["softening"] else None,
        usual_marks=True,
        scored_on="choose" if trial else "test",
    )


def sentiment_of_raters(batch: int) -> dict[str, Any]:
    """Return the settings of rated sentiment, which is learned beside the three tasks."""
    return {"head": "linear", "dropout": 0.1, "weight": 0.5, "batch_size": batch}


def schedule(steps: int, average: float, *, evaluations: int = 6) -> dict[str, Any]:
    """Return the training settings of students and teachers, but for their learning rates."""
    return {
        "epochs": 1_000, "steps": steps, "eval_steps": max(1, steps // evaluations), "task_sampling": "joint",
        "epoch_end": "longest", "schedule": "linear", "warmup": 0.06, "max_grad_norm": 1.0,
        "weight_decay": 0.01, "head_lr": 1e-3, "ema": average,
    }  # fmt: skip


def _alone(settings: Mapping[str, Any], share: float) -> dict[str, Any]:
    """Return the training of teachers, a share of the steps of those of paraphrase."""
    steps = max(2, round(share * settings["steps"]))
    return schedule(steps, settings["ema"], evaluations=4) | {"encoder_lr": settings["encoder_lr"]}


def _teachers(settings: Mapping[str, Any], batch: int) -> Teachers:
    return Teachers(
        count=settings["count"], task=PARAPHRASE | {"batch_size": settings["batch_size"]},
        training=_alone(settings, 1.0), pairs=settings["pairs"],
        student={"batch_size": batch, "weight": 1.5},
    )  # fmt: skip


def _graders(settings: Mapping[str, Any], batch: int) -> Teachers:
    return Teachers(
        name="similarity", count=settings["count"],
        task=GRADED | {"batch_size": max(2, 3 * settings["batch_size"] // 4)},
        training=_alone(settings, 0.5), pairs=settings["pairs"] // 3,
        student={"batch_size": batch, "weight": 0.3},
    )  # fmt: skip


def _softening(settings: Mapping[str, Any]) -> Softening:
    own = {"head": "linear", "dropout": 0.1, "batch_size": settings["batch_size"]}
    return Softening(count=settings["count"], task=own, training=_alone(settings, 0.5))
