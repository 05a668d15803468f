"""The encoders that are compared: the starter, those that were pre-trained here, and each after a stage.

Each is a model folder that several cells use, made once. A stage is a training run: one that is killed goes
on where it was.
"""

import shutil
from pathlib import Path
from typing import Any

from tenor.files import read_json, write_json
from tenor.recipes.recipe import Cell, Context, Settings
from tenor.recipes.transfer_fine_tuning.aligned import aligned_folder, starter_version
from tenor.recipes.transfer_fine_tuning.data import pretraining_texts
from tenor.recipes.transfer_fine_tuning.pretraining import paired, random_initialisation, vanilla

VARIANTS = {
    "transferred": "transfer fine-tuning",
    "sentence": "+sentence",
    "3way": "+3way-pp elaborate",
    "3way-simple": "+3way-pp simple",
    "binary": "+binary-pp",
    "in-task": "transfer fine-tuning",
    "simple": "simple transfer fine-tuning",
}
FORMAT = "format"
"""A stage that teaches nothing but to read two texts as one sequence: see ``joint_format``."""


def encoder_folder(
    context: Context, encoder: str, stage: str | None = None, stages: int | None = None
) -> Path:
    """Return the folder of an encoder ("starter", "vanilla", …), after a stage where one is named.

    ``stages`` says how many stages the seeds of a cell have, where that is not what the plan says.
    """
    bases = {"starter": starter, "vanilla": vanilla, "paired": paired, "random": random_initialisation}
    base = bases[encoder](context)
    return base if stage is None else transferred(context, encoder, base, stage, stages) / "plain"


def starter(context: Context) -> Path:
    """Return the encoder that others have trained; at the tiny scale, a new one of two layers."""
    from tenor.assets import MODELS, find

    name: str = context.settings["starter"]
    if name != "new":
        return find(name, kinds=MODELS)

    def make(folder: Path) -> None:
        from tenor.encoders.from_scratch import from_scratch_config

        fresh = from_scratch_config(context.settings["from_scratch"])
        fresh.write(folder / "encoder", pretraining_texts(context), seed=1)

    return context.shared("starter", make, settings={}) / "encoder"


def transferred(context: Context, encoder: str, base: Path, stage: str, stages: int | None = None) -> Path:
    """Run the stage, or go on with it, and return the folder of what it leaves: plain, explaining, run."""
    pairs = aligned_folder(context, str(starter(context)), in_task=stage == "in-task")
    seed = stage_seed(stage, context.seed, context.settings, stages)
    settings = {"encoder": encoder, "stage": stage, "seed": seed, **starter_version(context)}
    with context.lasting("stage", settings=settings) as folder:
        if not (folder / "plain").is_dir():
            run = _run_format if stage == FORMAT else _run_stage
            run(context, base, pairs, folder, encoder, stage, seed)
    return folder


def stage_seed(stage: str, seed: int, settings: Settings, stages: int | None = None) -> int:
    """Return the seed of the stage that a seed of fine-tuning follows.

    The variance between stages is part of what an interval must cover, so that no two seeds share one, unless
    there are more of them than stages; what depends on no seed takes the first.
    """
    count = stages or settings["stages" if stage == "transferred" else "stages_of_others"]
    return (max(seed, 1) - 1) % int(count) + 1


def shared_stage(cell: Cell, seed: int, settings: Settings) -> int | None:
    """Return which stage stands behind a seed of a cell, None where there is none: seeds of one stage are
    one draw, also where all of them have the same."""
    stage = cell.settings.get("stage")
    return None if stage is None else stage_seed(stage, seed, settings, cell.settings.get("stages"))


def _run_format(
    context: Context, base: Path, pairs: Path, folder: Path, encoder: str, stage: str, seed: int
) -> None:
    from tenor.recipes.transfer_fine_tuning.joint_format import run_format

    run_format(context, base, pairs, folder, rate=_rate(context, encoder), seed=seed)


def _rate(context: Context, encoder: str) -> float:
    """Return the stage's learning rate: encoders that were pre-trained here have that of the vanilla one."""
    learning_rates = context.settings["stage"]["learning_rates"]
    return float(learning_rates.get(encoder, learning_rates["vanilla"]))


def _run_stage(
    context: Context, base: Path, pairs: Path, folder: Path, encoder: str, stage: str, seed: int
) -> None:
    from tenor.model.folder import read_folder
    from tenor.objectives.paraphrase.exporting import export_encoder
    from tenor.recipes.fixed_training import fixed_training
    from tenor.tasks.phrases.kind import VARIANTS as CONFIGS
    from tenor.training.callbacks import StepProgress
    from tenor.training.paraphrase_stage import StageRun, run_stage

    settings: dict[str, Any] = dict(context.settings["stage"])
    del settings["learning_rates"]
    rate, batch, limit = _rate(context, encoder), settings.pop("batch_size"), settings.pop("max_tokens")
    stage_run = StageRun(
        encoder=base,
        train=pairs / "train.jsonl",
        dev=pairs / "dev.jsonl",
        config=CONFIGS[VARIANTS[stage]],
        training=fixed_training(encoder_lr=rate, **settings),
        batch_size=batch,
        max_tokens=limit,
        evaluations=context.settings["evaluations"],
    )
    callbacks = [StepProgress(context.progress)]
    found = run_stage(stage_run, out=folder / "run", callbacks=callbacks, seed=seed)
    told = read_folder(base)
    write_json(folder / "scores.json", found.scores)
    shutil.rmtree(folder / "explaining", ignore_errors=True)
    # The plain one last: it says that all is done.
    for name, heads in (("explaining", True), ("plain", False)):
        export_encoder(found.network, told, folder / name, name=encoder, heads=heads, scores=found.scores)
    shutil.rmtree(folder / "run" / "checkpoints", ignore_errors=True)


def stage_note(folder: Path) -> str:
    """Say how well a stage was learned, from a folder that ``encoder_folder`` gave."""
    scores = read_json(folder.parent / "scores.json")
    if "cosine" in scores:
        return (
            "The stage of the joint format: on the pairs held out, what the joint reading says has a "
            f"correlation of {scores['cosine']:.3f} with the encoder's own cosine, which it learned."
        )
    told = ", ".join(f"{name.replace('_', ' ')} {score:.3f}" for name, score in scores.items())
    return (
        f"On the pairs held out of the stage, by which its best weights were chosen: {told}. The paper's "
        "accuracies are 0.981 (phrasal) and 0.999."
    )
