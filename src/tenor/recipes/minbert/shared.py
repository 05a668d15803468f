"""One BERT for sentiment, paraphrase and similarity, with one network for both pair tasks (spec 01).

The grid of the report: sentence embedding by the pooler's [CLS] or by the mean, pair tasks with a shared or a
separate network, weighted or plain losses, extra data or not. The network of a task is a residual one with
batch norm; the pair network reads u - v and the overlap of the two texts' tokens, and its logit is the
paraphrase's or, through 5 · sigmoid, the similarity. Beside the grid: the two baselines with at most one
linear layer per task, only the last layers trained, no overlap feature, and all rows in every epoch.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

from tenor.metrics.verdicts import Claim, Contrast
from tenor.recipes.minbert.data import DIFFERS, FOLDERS
from tenor.recipes.minbert.training import TASKS, Setup, train_and_score
from tenor.recipes.recipe import Cell, CellResult, Composite, Context, Plan, Recipe, with_weights

WEIGHTED = {"sentiment": 0.5, "paraphrase": 0.25, "similarity": 0.25}
PLAIN = dict.fromkeys(TASKS, 1 / 3)
FACTORS = ("cls", "shared", "weighted", "extra")


def _name(cls: bool, shared: bool, weighted: bool, extra: bool) -> str:
    words = (
        "cls" if cls else "mean",
        "shared" if shared else "separate",
        "weighted" if weighted else "plain",
    )
    return "-".join((*words, "extra") if extra else words)


def _grid_cell(*levels: bool) -> Cell:
    settings = dict(zip(FACTORS, levels, strict=True))
    return Cell(name=_name(*levels), settings=settings, needs=("sick", "nltk") if settings["extra"] else ())


ALL = [_grid_cell(*levels) for levels in product((False, True), repeat=4)]
# Half of the grid in which every main effect is free of every interaction of two factors.
HALF = [cell for cell in ALL if sum(map(bool, cell.settings.values())) % 2 == 1]
CHOSEN = {"cls": False, "shared": True, "weighted": True, "extra": False}
BESIDE = [
    Cell(
        name="baseline-frozen", settings={"baseline": True, "frozen": True}, title="baseline, encoder frozen"
    ),
    Cell(name="baseline-trained", settings={"baseline": True}, title="baseline, all trained"),
    Cell(name="last-layers", settings=CHOSEN | {"last": 2}, title="chosen, only the last two layers trained"),
    Cell(name="no-jaccard", settings=CHOSEN | {"jaccard": False}, title="chosen, without token overlap"),
    Cell(name="all-rows", settings=CHOSEN | {"all": True}, title="chosen, all rows in every epoch"),
]


def run(cell: Cell, context: Context) -> CellResult:
    """Train and score a cell."""
    settings = cell.settings
    training: dict[str, Any] = {"examples_per_epoch": context.settings["examples"], "task_sampling": "joint"}
    if settings.get("all"):
        training["examples_per_epoch"] = None
        # As many steps as the others: the question is which rows are seen, not for how long.
        steps = (
            -(-context.settings["examples"] // context.settings["batch_size"]) * context.settings["epochs"]
        )
        training["steps"] = steps
        training["eval_steps"] = steps // context.settings["epochs"]
    if settings.get("frozen"):
        training["freeze"] = "encoder"
    if settings.get("last"):
        training["train_last"] = settings["last"]
    tasks = _baseline() if settings.get("baseline") else _networks(settings)
    pooling = "pooler" if settings.get("cls") or settings.get("baseline") else "mean"
    setup = Setup(tasks=tasks, training=training, pooling=pooling, extra=bool(settings.get("extra")))
    return train_and_score(context, setup)


def _networks(settings: Any) -> dict[Any, dict[str, Any]]:
    weights = WEIGHTED if settings["weighted"] else PLAIN
    features = ("diff", "jaccard") if settings.get("jaccard", True) else ("diff",)
    network = {"head": "residual", "blocks": 2, "dropout": 0.3}
    graded = {"scale": 5.0, "loss": "mse"}
    if settings["shared"]:
        similarity = graded | {"share_head_with": "paraphrase"}
    else:
        similarity = graded | network | {"features": features, "output": "sigmoid"}
    tasks = {"sentiment": network, "paraphrase": network | {"features": features}, "similarity": similarity}
    return {name: task | {"weight": weights[name]} for name, task in tasks.items()}


def _baseline() -> dict[Any, dict[str, Any]]:
    weight = 1 / 3
    return {
        "sentiment": {"head": "linear", "dropout": 0.0, "weight": weight},
        "paraphrase": {"head": "linear", "features": ("diff",), "dropout": 0.0, "weight": weight},
        "similarity": {"head": "affine", "scale": 5.0, "loss": "mse", "weight": weight},
    }


def _effect(cells: Sequence[Cell], factor: str, metric: str) -> Contrast:
    """The mean of the half with a factor minus that of the half without."""
    with_, without = ([cell.name for cell in cells if cell.settings[factor] is on] for on in (True, False))
    return Contrast.difference(with_, without, metric=metric)


def _main_effects(cells: Sequence[Cell]) -> list[Claim]:
    return [
        Claim(
            text="A shared pair network raises the mean of the three scores.", headline=True,
            contrast=_effect(cells, "shared", "mean"), smallest=0.01, paper=0.065,
        ),
        Claim(
            text="A shared pair network raises similarity.",
            contrast=_effect(cells, "shared", "similarity"), smallest=0.01, paper=0.227,
        ),
        Claim(
            text="A shared pair network costs some paraphrase accuracy.",
            contrast=_effect(cells, "shared", "paraphrase"), direction="less", smallest=0.005, paper=-0.029,
        ),
        Claim(
            text="Averaging tokens beats [CLS] on the mean of the three scores.",
            contrast=_effect(cells, "cls", "mean").times(-1), smallest=0.005, paper=0.032,
        ),
        Claim(
            text="Extra data raises the mean of the three scores.",
            contrast=_effect(cells, "extra", "mean"), smallest=0.005, paper=0.009,
        ),
        Claim(
            text="Weighting the losses changes the mean of the three scores by less than a point.",
            contrast=_effect(cells, "weighted", "mean"), direction="same", smallest=0.01, paper=-0.004,
        ),
    ]  # fmt: skip


_CHOSEN = _name(**CHOSEN)
CLAIMS = (
    *_main_effects(ALL),
    Claim(
        text="The chosen model beats the trained baseline on the mean of the three scores.", headline=True,
        contrast=Contrast.difference(_CHOSEN, "baseline-trained", metric="mean"), smallest=0.01, paper=0.32,
    ),
    Claim(
        text="Training the encoder lifts the baseline's mean score.",
        contrast=Contrast.difference("baseline-trained", "baseline-frozen", metric="mean"), smallest=0.01,
        paper=0.173,
    ),
    Claim(
        text="Training only the last layers is worse.",
        contrast=Contrast.difference("last-layers", _CHOSEN, metric="mean"), direction="less", smallest=0.005,
        paper="worse, no figure",
    ),
    Claim(
        text="Without the overlap of tokens, paraphrase accuracy is lower.",
        contrast=Contrast.difference("no-jaccard", _CHOSEN, metric="paraphrase"), direction="less",
        smallest=0.005, paper="no figure",
    ),
    Claim(
        text="Drawing from all rows instead of small random epochs is of similar quality.",
        paper="similar, no figure",
        reason="both cells take the same number of steps here, so they differ in next to nothing",
    ),
)  # fmt: skip

_SMALL = {"encoder": "minilm", "epochs": 2, "examples": 1024, "batch_size": 16, "encoder_lr": 5e-5}
_FULL = {
    "encoder": "hub:bert-base-uncased",
    "epochs": 25,
    "examples": 4096,
    "batch_size": 16,
    "encoder_lr": 1e-5,
    "max_tokens": 128,
}
_TINY = {"encoder": "new", "epochs": 1, "examples": 32, "batch_size": 8, "encoder_lr": 1e-3}


RECIPE = Recipe(
    name="minbert-shared",
    title="minBERT for three tasks, with one network for both pair tasks",
    paper="Mejia, Harvill and Xue, 2023 (report)",
    spec=1,
    summary=(
        "Trains one encoder for sentiment, paraphrase and similarity at once and takes apart, in a grid of "
        "16 configurations, what helps: mean pooling, a shared pair network, weighted losses, extra data."
    ),
    version=3,
    scales={
        "tiny": Plan(
            cells=tuple(
                Cell(name=each.name, settings=each.settings) for each in (*HALF[:2], BESIDE[1], BESIDE[2])
            ),
            seeds=1, settings=_TINY, data=False, about="Made-up rows and a new encoder of two layers.",
        ),
        "small": Plan(
            cells=with_weights([*HALF, *BESIDE, *(cell for cell in ALL if cell not in HALF)], "minilm"),
            seeds=3, settings=_SMALL,
            about="2 epochs of 1,024 random examples per task instead of 25 epochs of 4,096.",
        ),
        "full": Plan(cells=(*ALL, *BESIDE), seeds=3, settings=_FULL, about="The report's own settings."),
    },
    run=run,
    data=FOLDERS,
    claims=CLAIMS,
    trivial=dict.fromkeys(TASKS, "baseline-frozen"),
    composites={"mean": Composite.mean(*TASKS)},
    differs=(
        *DIFFERS,
        "The extra sentiment data are 3,806 graded sentences of Amazon product reviews (Hu and Liu, 2004), "
        "not the report's 18,000 reviews; the extra similarity data are SICK's train and trial parts.",
    ),
)  # fmt: skip
