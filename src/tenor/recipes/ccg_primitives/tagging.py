"""One tagger of the grid: trained by the product's own loop, opened again, and asked for the test labels."""

from pathlib import Path
from typing import Any

from tenor.recipes.ccg_primitives.data import GridCorpus, Labelled, Splits
from tenor.recipes.recipe import Context, Settings
from tenor.tasks.tag.kind import TagConfig

TASK = "labels"


def predicted_labels(
    context: Context,
    cell: Settings,
    corpus: GridCorpus,
    splits: Splits,
    *,
    epochs: int,
    files: Path,
    out: Path,
) -> list[list[str]]:
    """Train a tagger on a corpus, or go on with one that was stopped, and tag the test sentences."""
    import tenor
    from tenor.encoders.from_scratch import from_scratch_config
    from tenor.model.predicting import predict
    from tenor.recipes.fixed_training import fixed_training
    from tenor.training.callbacks import StepProgress
    from tenor.training.config import RunConfig
    from tenor.training.running import train_run

    run = RunConfig(
        pooling="mean",
        seed=context.seed,
        from_scratch=from_scratch_config(encoder_settings(context.settings, corpus)),
        tasks={TASK: task_of(context.settings, cell, files)},
        training=fixed_training(**training_settings(context.settings, cell, epochs=epochs)),
    )
    if not (out / "metrics.json").is_file():
        train_run(run, out=out, callbacks=[StepProgress(context.progress)])
    model = tenor.load(out / "model", precision="fp32")
    task = model.tasks[TASK]
    spec: Any = task.spec
    labels: list[list[str]] = spec.tags_of(predict(model, task, _sentences(splits["test"])))
    return labels


def encoder_settings(plan: Settings, corpus: GridCorpus) -> dict[str, Any]:
    """Return a BiLSTM of one layer over the corpus's embeddings; its output has no dropout."""
    return {
        "model_type": "lstm",
        "hidden_size": plan["size"],
        "num_layers": 1,
        "dropout": 0.0,
        "input_dropout": plan["input_dropout"],
        "weight_dropout": plan["dropout"],
        "embeddings": plan.get("embeddings", corpus.embeddings),
    }


def task_of(plan: Settings, cell: Settings, files: Path) -> TagConfig:
    """Return the head: what labels are made of, and whether they depend on those before."""
    return TagConfig(
        train=files / "train.jsonl",
        dev=files / "dev.jsonl",
        scheme="plain",
        head="spelled",
        label_units=cell["units"],
        history=cell["history"],
        decoder_size=plan["size"],
        decoder_dropout=plan["dropout"],
        beam=plan["beam"],
        casing=False,
        dropout=0.0,
        metric="accuracy",
        batch_size=plan["batch_size"],
    )


def training_settings(plan: Settings, cell: Settings, *, epochs: int) -> dict[str, Any]:
    """Return the settings of training; a cell without a trained encoder leaves all of it as it was drawn."""
    return {
        "epochs": epochs,
        "encoder_lr": plan["lr"],
        "head_lr": plan["lr"],
        "weight_decay": 0.0,
        "optimizer": "adam",
        "max_grad_norm": 1.0,
        "bucket_batches": 4,
        "precision": "fp32",
        "freeze": "none" if cell.get("trained", True) else "encoder",
    }


def _sentences(test: list[Labelled]) -> list[dict[str, list[str]]]:
    return [{"words": words} for words, _ in test]
