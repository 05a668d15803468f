"""The vanilla encoder: pre-trained here on texts alone, in pieces, a cell each, to fit a budget of time.

The paired encoder is pre-trained alike, but as BERT was on two paragraphs as one sequence, the second of
which follows the first or does not (next sentence), so that its pooler has learned something, too.

Its folder is a plain BERT with the head of its language model, its weights in 16 bits; it goes with the
results of the cell ``pretraining``, so that it need not be made again elsewhere.
"""

import json
import math
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from tenor.files import atomic_file, read_json
from tenor.recipes.recipe import Context
from tenor.recipes.transfer_fine_tuning.data import pretraining_texts
from tenor.tensors import Stored, read_safetensors, write_safetensors

_DEV_EVERY = 200  # every so manieth paragraph measures the pre-training
_NEIGHBOURS = 8  # paragraphs in a row that measure next sentences
_SEED = 1  # of the pre-training, which is run once
_TERMS = """
## Terms

Made by Tenor's recipe `transfer-fine-tuning`, to study what a stage of paraphrases adds to an encoder that
knows nothing of similarity. Some of the texts it was pre-trained on (Reuters-21578 among them) are for
research only, and so is this encoder. Its weights are kept in 16 bits.
"""


def vanilla(context: Context) -> Path:
    """Return the encoder that was pre-trained here, or elsewhere by the same cell; else pre-train it."""
    made = context.made_by("pretraining")
    return (exported(context) if made is None else made) / "encoder"


def paired(context: Context) -> Path:
    """Return the encoder that was pre-trained with next sentences, as ``vanilla`` does."""
    made = context.made_by("paired-pretraining")
    return (exported(context, pairs=True) if made is None else made) / "encoder"


def exported(context: Context, *, pairs: bool = False) -> Path:
    """Pre-train, or go on with it, and return the folder that holds ``encoder``, its weights in 16 bits.

    The same weights whether they were made here or come with results from elsewhere: 16 bits are enough, and
    half as much to hand on.
    """
    run = pretrained(context, pairs=pairs)

    def make(folder: Path) -> None:
        shutil.copytree(run / "model", folder / "encoder")
        _halve(folder / "encoder")

    return context.shared("paired" if pairs else "vanilla", make, settings={})


def _halve(encoder: Path) -> None:
    """Keep the weights of a model folder in 16 bits; its card and settings then tell what they are."""
    from tenor.model.fingerprint import fingerprint
    from tenor.model.folder import read_folder

    weights = encoder / "model.safetensors"
    stored = read_safetensors(weights)
    halved = {name: Stored("F16", one.to_float32().astype("<f2")) for name, one in stored.items()}
    del stored  # the file is mapped
    write_safetensors(weights, halved)
    before, after = (
        read_json(encoder / "tenor.json")["fingerprint"],
        fingerprint(read_folder(encoder)),
    )
    for name, more in (("tenor.json", ""), ("README.md", _TERMS)):
        text = (encoder / name).read_text(encoding="utf-8").replace(before, after) + more
        (encoder / name).write_text(text, encoding="utf-8")


def random_initialisation(context: Context) -> Path:
    """Return the encoder that pre-training begins with: the same vocabulary, and random weights."""
    from tenor.encoders.from_scratch import from_scratch_config

    with context.lasting("pretraining", settings={}) as folder:
        texts, place = _texts(context, folder)["train"], folder / "beginning"
        if not place.is_dir():
            with texts.open(encoding="utf-8") as lines:
                rows = (json.loads(line)["text"] for line in lines)
                from_scratch_config(context.settings["from_scratch"]).write(place, rows, seed=_SEED)
    return place


class Paused(Exception):
    """Pre-training has come as far as it should for now."""


def pretrained(context: Context, *, share: float = 1.0, pairs: bool = False) -> Path:
    """Pre-train, or go on with it, up to a share of all steps; return the run folder.

    A run that goes beyond ``share`` is left as it is. With ``pairs`` it learns next sentences, too.
    """
    with context.lasting("pretraining", settings={"pairs": True} if pairs else {}) as folder:
        run = folder / "run"
        if (run / "metrics.json").is_file():
            return run
        texts = _texts(context, folder, pairs=pairs)
        with suppress(Paused):
            _pretrain(context, texts, run, share, pairs)
        return run


def _texts(context: Context, folder: Path, *, pairs: bool = False) -> dict[str, Path]:
    """Write the paragraphs to learn from and those to measure by; for pairs neighbours stay together."""
    together = _NEIGHBOURS if pairs else 1
    files = {part: folder / f"{part}.jsonl" for part in ("train", "dev")}
    if not all(file.is_file() for file in files.values()):
        with (
            atomic_file(files["train"]) as train,
            atomic_file(files["dev"]) as dev,
            train.open("w", encoding="utf-8") as one,
            dev.open("w", encoding="utf-8") as two,
        ):
            for number, text in enumerate(pretraining_texts(context, share=0.5 if pairs else 1.0)):
                out = two if number // together % _DEV_EVERY == 5 else one
                out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    return files


def _pretrain(context: Context, texts: dict[str, Path], run: Path, share: float, pairs: bool) -> None:
    from tenor.encoders.from_scratch import from_scratch_config
    from tenor.recipes.fixed_training import POOLING, fixed_training
    from tenor.tasks.mlm.kind import MlmConfig
    from tenor.training.callbacks import Callback
    from tenor.training.config import RunConfig
    from tenor.training.running import train_run

    settings: dict[str, Any] = dict(context.settings["pretraining"])
    tokens, batch = settings.pop("tokens"), settings.pop("batch_size")
    steps = _steps(texts["train"], tokens, batch, paragraphs_of_row=2 if pairs else 1)
    pieces = int(settings.pop("pieces"))
    task = MlmConfig(
        train=texts["train"], dev=texts["dev"], batch_size=batch, columns={"text": "text"},
        next_sentence=pairs or None,
    )  # fmt: skip
    config = RunConfig(
        encoder="from_scratch",
        from_scratch=from_scratch_config(context.settings["from_scratch"]),
        pooling=POOLING,
        seed=_SEED,
        tasks={"text": task},
        training=fixed_training(
            epochs=1_000, steps=steps, eval_steps=max(1, steps // 20),
            checkpoint_steps=max(1, steps // pieces),
            dropout=0.0,  # of the pre-training alone: texts are seen some four times, and it costs a tenth
            **settings,
        ),
    )  # fmt: skip
    until = math.ceil(share * pieces) * max(1, steps // pieces)

    class Pausing(Callback):
        def on_step_end(self, learner: Any, progress: Any, report: Any) -> None:
            context.progress(report.step, progress.steps)
            # The step after the checkpoint is lost, and made again when the run goes on.
            if share < 1 and report.step > until:
                raise Paused

    train_run(config, out=run, callbacks=[Pausing()])


def _steps(file: Path, tokens: int, batch: int, *, paragraphs_of_row: int = 1) -> int:
    """Return how many steps it takes to see so many tokens, by a low guess of the tokens of a word."""
    paragraphs = words = 0
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            paragraphs, words = paragraphs + 1, words + len(line.split()) - 1  # the name of the column
    # A paragraph longer than the limit becomes several rows, of 97 tokens on average here.
    return math.ceil(tokens / (batch * min(90.0, 1.25 * paragraphs_of_row * words / max(1, paragraphs))))


def loss_curve(run: Path) -> dict[str, dict[str, list[float]]]:
    """Return the curves of a pre-training run: loss of masked tokens in training, averaged, and on dev."""
    from tenor.report.run_log import read_log

    log = read_log(run / "log.jsonl")
    steps, perplexities = log.scores.get(("text", "perplexity"), ([], []))
    found = {
        "train": log.train.get("text", ([], [])),
        "dev": (steps, [math.log(value) for value in perplexities]),
    }
    return {f"loss on {name}": {"step": curve[0], "loss": curve[1]} for name, curve in found.items()}


def perplexity(run: Path) -> float:
    """Return the perplexity of masked tokens on the paragraphs held out."""
    return float(read_json(run / "metrics.json")["tasks"]["text"]["scores"]["perplexity"]["estimate"])


def pretraining_note(run: Path) -> str:
    """Say how long the pre-training was and what it came to."""
    metrics = read_json(run / "metrics.json")
    scores = metrics["tasks"]["text"]["scores"]
    return (
        f"Pre-training: {metrics['tokens']:,} tokens in {metrics['steps']:,} steps, "
        f"{metrics['tokens_per_second']:,.0f} tokens a second; on paragraphs held out, by which its best "
        f"weights were chosen, the perplexity of masked tokens is {perplexity(run):.1f}, "
        f"and {scores['accuracy']['estimate']:.1%} of them are predicted."
    )
