"""The encoders that are compared: the starter, one that was pre-trained here, and both after the stage.

Each is a model folder that several cells use, made once. Pre-training and stage are training runs: one that
is killed goes on where it was, and pre-training can be done in pieces, a cell each, to fit a budget of time.
"""

import json
import math
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from tenor.files import atomic_file, read_json, write_json
from tenor.recipes.recipe import Cell, Context, Settings
from tenor.recipes.transfer_fine_tuning.aligned import aligned_folder, starter_version
from tenor.recipes.transfer_fine_tuning.data import pretraining_texts
from tenor.tensors import Stored, read_safetensors, write_safetensors

VARIANTS = {
    "transferred": "transfer fine-tuning",
    "sentence": "+sentence",
    "3way": "+3way-pp elaborate",
    "3way-simple": "+3way-pp simple",
    "binary": "+binary-pp",
    "in-task": "transfer fine-tuning",
}
_DEV_EVERY = 200  # every so manieth paragraph measures the pre-training
_SEED = 1  # of the pre-training, which is run once
_TERMS = """
## Terms

Made by Tenor's recipe `transfer-fine-tuning`, to study what a stage of paraphrases adds to an encoder that
knows nothing of similarity. Some of the texts it was pre-trained on (Reuters-21578 among them) are for
research only, and so is this encoder. Its weights are kept in 16 bits.
"""


def encoder_folder(context: Context, encoder: str, stage: str | None = None) -> Path:
    """Return the folder of an encoder ("starter", "vanilla", "random"), after a stage where one is named."""
    bases = {"starter": starter, "vanilla": vanilla, "random": beginning}
    base = bases[encoder](context)
    return base if stage is None else transferred(context, encoder, base, stage) / "plain"


def starter(context: Context) -> Path:
    """Return the encoder that others have trained; at the tiny scale, a new one of two layers."""
    from tenor.assets import MODELS, find

    name: str = context.settings["starter"]
    if name != "new":
        return find(name, kinds=MODELS)

    def make(folder: Path) -> None:
        from tenor.model.fresh import FreshConfig

        fresh = FreshConfig(**context.settings["fresh"])
        fresh.write(folder / "encoder", pretraining_texts(context), seed=1)

    return context.shared("starter", make, settings={}) / "encoder"


def vanilla(context: Context) -> Path:
    """Return the encoder that was pre-trained here, or elsewhere by the same cell; else pre-train it."""
    made = context.made_by("pretraining")
    return (exported(context) if made is None else made) / "encoder"


def exported(context: Context) -> Path:
    """Pre-train, or go on with it, and return the folder that holds ``encoder``, its weights in 16 bits.

    The same weights whether they were made here or come with results from elsewhere: 16 bits are enough, and
    half as much to hand on.
    """
    run = pretrained(context)

    def make(folder: Path) -> None:
        shutil.copytree(run / "model", folder / "encoder")
        weights = folder / "encoder" / "model.safetensors"
        stored = read_safetensors(weights)
        halved = {name: Stored("F16", one.to_float32().astype("<f2")) for name, one in stored.items()}
        write_safetensors(weights, halved)
        with (folder / "encoder" / "README.md").open("a", encoding="utf-8") as card:
            card.write(_TERMS)

    return context.shared("vanilla", make, settings={})


def beginning(context: Context) -> Path:
    """Return the encoder that pre-training begins with: the same vocabulary, and random weights."""
    from tenor.model.fresh import FreshConfig

    with context.lasting("pretraining", settings={}) as folder:
        texts, place = _texts(context, folder)["train"], folder / "beginning"
        if not place.is_dir():
            with texts.open(encoding="utf-8") as lines:
                rows = (json.loads(line)["text"] for line in lines)
                FreshConfig(**context.settings["fresh"]).write(place, rows, seed=_SEED)
    return place


class Paused(Exception):
    """Pre-training has come as far as it should for now."""


def pretrained(context: Context, *, share: float = 1.0) -> Path:
    """Pre-train, or go on with it, up to a share of all steps; return the run folder.

    A run that goes beyond ``share`` is left as it is.
    """
    with context.lasting("pretraining", settings={}) as folder:
        run = folder / "run"
        if (run / "metrics.json").is_file():
            return run
        texts = _texts(context, folder)
        with suppress(Paused):
            _pretrain(context, texts, run, share)
        return run


def _texts(context: Context, folder: Path) -> dict[str, Path]:
    """Write the paragraphs to learn from and those to measure by."""
    files = {part: folder / f"{part}.jsonl" for part in ("train", "dev")}
    if not all(file.is_file() for file in files.values()):
        with (
            atomic_file(files["train"]) as train,
            atomic_file(files["dev"]) as dev,
            train.open("w", encoding="utf-8") as one,
            dev.open("w", encoding="utf-8") as two,
        ):
            for number, text in enumerate(pretraining_texts(context)):
                out = two if number % _DEV_EVERY == 5 else one
                out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    return files


def _pretrain(context: Context, texts: dict[str, Path], run: Path, share: float) -> None:
    from tenor.model.fresh import FreshConfig
    from tenor.tasks.config import TaskConfig
    from tenor.training.config import RunConfig, TrainingConfig
    from tenor.training.running import train_run
    from tenor.training.watching import Listener

    settings: dict[str, Any] = dict(context.settings["pretraining"])
    tokens, batch = settings.pop("tokens"), settings.pop("batch")
    steps = _steps(texts["train"], tokens, batch)
    pieces = int(settings.pop("pieces"))
    task = TaskConfig(
        kind="language", train=texts["train"], dev=texts["dev"], batch=batch, columns={"text": "text"}
    )
    config = RunConfig(
        encoder="fresh",
        fresh=FreshConfig(**context.settings["fresh"]),
        seed=_SEED,
        tasks={"text": task},
        training=TrainingConfig(
            epochs=1_000, steps=steps, evaluate_steps=max(1, steps // 20),
            checkpoint_steps=max(1, steps // pieces),
            dropout=0.0,  # of the pre-training alone: texts are seen some four times, and it costs a tenth
            **settings,
        ),
    )  # fmt: skip
    until = math.ceil(share * pieces) * max(1, steps // pieces)

    class Pausing(Listener):
        def step(self, report: Any, progress: Any) -> None:
            context.progress(report.step, progress.steps)
            # The step after the checkpoint is lost, and made again when the run goes on.
            if share < 1 and report.step > until:
                raise Paused

    train_run(config, out=run, listener=Pausing())


def _steps(file: Path, tokens: int, batch: int) -> int:
    """Return how many steps it takes to see so many tokens, by a low guess of the tokens of a word."""
    paragraphs = words = 0
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            paragraphs, words = paragraphs + 1, words + len(line.split()) - 1  # the name of the column
    # A paragraph longer than the limit becomes several rows, of 97 tokens on average here.
    return math.ceil(tokens / (batch * min(90.0, 1.25 * words / max(1, paragraphs))))


def transferred(context: Context, encoder: str, base: Path, stage: str) -> Path:
    """Run the stage, or go on with it, and return the folder of what it leaves: plain, explaining, run."""
    pairs = aligned_folder(context, str(starter(context)), in_task=stage == "in-task")
    seed = stage_seed(stage, context.seed, context.settings)
    settings = {"encoder": encoder, "stage": stage, "seed": seed, **starter_version(context)}
    with context.lasting("stage", settings=settings) as folder:
        if not (folder / "plain").is_dir():
            _run_stage(context, base, pairs, folder, encoder, stage, seed)
    return folder


def stage_seed(stage: str, seed: int, settings: Settings) -> int:
    """Return the seed of the stage that a seed of fine-tuning follows.

    The luck of a stage is part of what an interval must hold, so that no two seeds share one, unless there
    are more of them than stages; what depends on no seed takes the first.
    """
    stages = settings["stages" if stage == "transferred" else "stages_of_others"]
    return (max(seed, 1) - 1) % int(stages) + 1


def shared_stage(cell: Cell, seed: int, settings: Settings) -> int | None:
    """Return which stage stands behind a seed of a cell, None where all its seeds have the same or none."""
    stage = cell.settings.get("stage")
    count = settings["stages" if stage == "transferred" else "stages_of_others"]
    return stage_seed(stage, seed, settings) if stage is not None and int(count) > 1 else None


def _run_stage(
    context: Context, base: Path, pairs: Path, folder: Path, encoder: str, stage: str, seed: int
) -> None:
    from tenor.model.folder import read_folder
    from tenor.objectives.paraphrase.config import VARIANTS as CONFIGS
    from tenor.objectives.paraphrase.exporting import export_encoder
    from tenor.training.config import TrainingConfig
    from tenor.training.paraphrase_stage import StageRun, run_stage

    settings: dict[str, Any] = dict(context.settings["stage"])
    rate, batch, limit = settings.pop("rates")[encoder], settings.pop("batch"), settings.pop("max_tokens")
    stage_run = StageRun(
        encoder=base,
        train=pairs / "train.jsonl",
        dev=pairs / "dev.jsonl",
        config=CONFIGS[VARIANTS[stage]],
        training=TrainingConfig(encoder_rate=rate, **settings),
        batch=batch,
        max_tokens=limit,
        evaluations=context.settings["evaluations"],
    )
    found = run_stage(stage_run, out=folder / "run", progress=context.progress, seed=seed)
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
    told = ", ".join(f"{name.replace('_', ' ')} {score:.3f}" for name, score in scores.items())
    return (
        f"On the pairs held out of the stage, by which its best weights were chosen: {told}. The paper's "
        "accuracies are 0.981 (phrasal) and 0.999."
    )


def loss_curve(run: Path) -> dict[str, dict[str, list[float]]]:
    """Return the curves of a pre-training run: loss of hidden tokens in training, averaged, and on dev."""
    from tenor.report.run_log import read_log

    log = read_log(run / "log.jsonl")
    steps, perplexities = log.scores.get(("text", "perplexity"), ([], []))
    found = {
        "train": log.train.get("text", ([], [])),
        "dev": (steps, [math.log(value) for value in perplexities]),
    }
    return {f"loss on {name}": {"step": curve[0], "loss": curve[1]} for name, curve in found.items()}


def pretraining_note(run: Path) -> str:
    """Say how long the pre-training was and what it came to."""
    metrics = read_json(run / "metrics.json")
    scores = metrics["tasks"]["text"]["scores"]
    return (
        f"Pre-training: {metrics['tokens']:,} tokens in {metrics['steps']:,} steps, "
        f"{metrics['tokens_per_second']:,.0f} tokens a second; on paragraphs held out, by which its best "
        f"weights were chosen, the perplexity of hidden tokens is {scores['perplexity']['estimate']:.1f}, "
        f"and {scores['accuracy']['estimate']:.1%} of them are guessed."
    )
