"""A whole paraphrase stage: from a model folder and files of aligned pairs to the trained network."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tenor.assets.cache import sha256_of
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.encoders.bert.torch_engine import find_device
from tenor.encoders.stored import weight_files
from tenor.errors import TenorError
from tenor.machine import use_huge_pages
from tenor.model.fingerprint import fingerprint
from tenor.model.folder import read_folder
from tenor.model.network import Network
from tenor.objectives.paraphrase.config import ParaphraseConfig
from tenor.objectives.paraphrase.stage import ParaphraseData, ParaphraseTask
from tenor.objectives.paraphrase.streaming import AlignedFile
from tenor.text.problems import Problems
from tenor.text.tokenizer import Tokenizer
from tenor.training.building import freeze_parts, sampler_of, set_dropout
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.decreases import StopAtDecrease
from tenor.training.own_run import train_in_folder
from tenor.training.task_learner import TaskLearner
from tenor.training.watching import Listener

NAME = "stage"


PAPER = TrainingConfig(epochs=3, encoder_rate=5e-5, head_rate=5e-5)
"""As in the paper, for millions of pairs; some ten thousand want higher rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRun:
    """What is trained on what; ``batch`` counts pairs of texts, each of which also gets a random partner.

    What is left out is as in the paper: up to 3 epochs of batches of 100 sequences of 128 tokens.
    """

    encoder: Path
    train: Path
    dev: Path
    config: ParaphraseConfig = field(default_factory=ParaphraseConfig)
    training: TrainingConfig = PAPER
    batch: int = 50
    max_tokens: int | None = 128
    """The encoder's own limit where that is lower, or where this is None."""
    evaluations: int = 1
    """How often dev is scored in an epoch."""
    decreases: int = 2
    """Training ends when the watched score has fallen so often."""
    strict: bool = False
    """Whether a line that cannot be read ends the run; else it is left out, and told."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StageResult:
    """The network with its best weights, its scores on dev, and what a person should know of its data."""

    network: Network
    scores: dict[str, float]
    notes: tuple[str, ...] = ()


def run_stage(
    stage: StageRun, *, out: str | Path, listener: Listener | None = None, device: str = "cpu", seed: int = 1
) -> StageResult:
    """Train, or go on where a run in ``out`` stopped; pairs are streamed from their files."""
    use_huge_pages()
    listener = listener or Listener()
    settings = read_folder(stage.encoder)
    if settings.kind != "bert":
        raise TenorError(f"{stage.encoder} is a table of vectors, which is not trained; give a BERT encoder.")
    limit = min((each for each in (stage.max_tokens, settings.max_tokens) if each is not None), default=None)
    tokenizer = Tokenizer.load(settings.encoder, max_tokens=limit, lower=settings.lower)
    encoder = BertCheckpoint.load(settings.encoder).encoder
    if stage.training.dropout is not None:
        set_dropout(encoder, stage.training.dropout)
    freeze_parts(encoder, stage.training)
    task = ParaphraseTask(NAME, stage.config, width=encoder.config.width, seed=seed)
    network = Network(encoder, pooling=settings.pooling, tasks={NAME: task}).to(find_device(device))
    files = _files(stage, Path(out))
    data = {part: task.prepare(file, tokenizer) for part, file in files.items()}
    notes = tuple(note for part, file in files.items() for note in _notes(file, data[part]))
    for note in notes:
        listener.note(note)
    learner = TaskLearner(
        network, {NAME: data["train"]}, dev={NAME: data["dev"]}, batches={NAME: stage.batch},
        sampler=sampler_of(stage.training), tokens_per_pass=stage.training.tokens_per_pass,
    )  # fmt: skip
    monitor = f"{NAME}.{task.metric.name}"
    every = -(-len(data["train"]) // stage.batch) // max(1, stage.evaluations)
    training = replace(stage.training, monitor=monitor, evaluate_steps=max(1, every))
    train_in_folder(
        learner,
        RunConfig(encoder=stage.encoder.name, seed=seed, training=training),
        out=out,
        settings={
            "encoder": fingerprint(settings, weight_files(settings.encoder)), "batch": stage.batch,
            "max_tokens": limit, "decreases": stage.decreases, **asdict(stage.config),
        },
        data={NAME: {part: _about(file.path) for part, file in files.items()}},
        hooks=[StopAtDecrease(monitor, count=stage.decreases)],
        listener=listener,
    )  # fmt: skip
    network.eval()
    return StageResult(network=network, scores=dict(learner.evaluate()[NAME].scores), notes=notes)


def _files(stage: StageRun, out: Path) -> dict[str, AlignedFile]:
    """Return the pairs of train and dev; their arrays are kept beside the run."""
    cache = out.with_name(f"{out.name}-arrays")
    return {
        part: AlignedFile(path, cache=cache / part, problems=Problems(stage.strict))
        for part, path in (("train", stage.train), ("dev", stage.dev))
    }


def _notes(file: AlignedFile, data: ParaphraseData) -> Iterator[str]:
    """Say what of a file is not learned from."""
    if (wrong := file.problems.summary()) is not None:
        yield f"{file.path}: {wrong}"
    if left_out := data.aligned.left_out:
        yield (
            f"{file.path}: {left_out:,} aligned phrase pairs are left out: the vocabulary has no piece for "
            "one of their words (a lone control character)."
        )


def _about(path: Path) -> dict[str, Any]:
    return {"file": path.name, "sha256": sha256_of(path)}
