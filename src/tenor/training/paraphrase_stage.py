"""A whole paraphrase stage: from a model folder and files of aligned pairs to the trained network."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tenor.assets.cache import sha256_of
from tenor.machine import use_huge_pages
from tenor.machine.devices import find_device
from tenor.model.fingerprint import fingerprint
from tenor.model.folder import read_folder
from tenor.model.network import Network
from tenor.tasks.phrases.aligned_file import AlignedFile
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.tasks.phrases.task import PhrasesData, PhrasesTask
from tenor.text.problems import Problems
from tenor.training.api import train_learner
from tenor.training.building import limited, prepare_encoder, sampler_of
from tenor.training.callbacks import Callback
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.config_dump import dump
from tenor.training.early_stopping import StopAtDecrease
from tenor.training.task_learner import TaskLearner

NAME = "stage"


PAPER = TrainingConfig(epochs=3, encoder_lr=5e-5, head_lr=5e-5)
"""As in the paper, for millions of pairs; some ten thousand want higher rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRun:
    """What is trained on what; ``batch_size`` counts pairs, each of which also gets a random partner.

    What is left out is as in the paper: up to 3 epochs of batches of 100 sequences of 128 tokens.
    """

    encoder: Path
    train: Path
    dev: Path
    config: PhrasesSpec = field(default_factory=PhrasesSpec)
    training: TrainingConfig = PAPER
    batch_size: int = 50
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
    stage: StageRun,
    *,
    out: str | Path,
    callbacks: Sequence[Callback] = (),
    device: str = "cpu",
    seed: int = 1,
) -> StageResult:
    """Train, or go on where a run in ``out`` stopped; pairs are streamed from their files."""
    use_huge_pages()
    settings = read_folder(stage.encoder)
    limits = [each for each in (stage.max_tokens, settings.max_tokens) if each is not None]
    settings = limited(settings, min(limits, default=None))
    tokenizer = settings.type.tokenizer(
        settings.encoder, max_tokens=settings.max_tokens, lower=settings.lower
    )
    encoder = settings.type.load(settings.encoder)
    prepare_encoder(encoder, stage.training)
    task = PhrasesTask(NAME, stage.config, hidden_size=encoder.hidden_size, seed=seed)
    network = Network(encoder, pooling=settings.pooling, tasks={NAME: task}).to(find_device(device))
    files = _files(stage, Path(out))
    data = {part: task.prepare(file, tokenizer) for part, file in files.items()}
    notes = tuple(note for part, file in files.items() for note in _notes(file, data[part]))
    for note in notes:
        for callback in callbacks:
            callback.note(note)
    learner = TaskLearner(
        network, {NAME: data["train"]}, dev={NAME: data["dev"]}, batches={NAME: stage.batch_size},
        sampler=sampler_of(stage.training), micro_batch_tokens=stage.training.micro_batch_tokens,
    )  # fmt: skip
    monitor = f"{NAME}.{task.metric.name}"
    every = -(-len(data["train"]) // stage.batch_size) // max(1, stage.evaluations)
    training = replace(stage.training, monitor=monitor, eval_steps=max(1, every))
    train_learner(
        learner,
        training,
        out=out,
        seed=seed,
        config=dump(
            RunConfig(encoder=stage.encoder.name, seed=seed, training=training),
            {
                "encoder": fingerprint(settings), "batch_size": stage.batch_size,
                "max_tokens": settings.max_tokens, "decreases": stage.decreases, **asdict(stage.config),
            },
        ),
        data={NAME: {part: _about(file.path) for part, file in files.items()}},
        callbacks=[*callbacks, StopAtDecrease(monitor, count=stage.decreases)],
        encoder=encoder,
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


def _notes(file: AlignedFile, data: PhrasesData) -> Iterator[str]:
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
