"""A whole paraphrase stage: from a model folder and files of aligned pairs to the trained network."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tenor.assets.cache import sha256_of
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.errors import TenorError
from tenor.machine import use_huge_pages
from tenor.model.folder import read_folder
from tenor.model.network import Network
from tenor.objectives.paraphrase.config import ParaphraseConfig
from tenor.objectives.paraphrase.stage import ParaphraseTask
from tenor.objectives.paraphrase.streaming import AlignedFile
from tenor.text.tokenizer import Tokenizer
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.decreases import StopAtDecrease
from tenor.training.own_run import train_in_folder
from tenor.training.task_learner import TaskLearner
from tenor.training.watching import Listener

NAME = "stage"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRun:
    """What is trained on what; ``batch`` counts pairs of texts, each of which also gets a random partner."""

    encoder: Path
    train: Path
    dev: Path
    config: ParaphraseConfig = field(default_factory=ParaphraseConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    batch: int = 100
    max_tokens: int | None = None
    evaluations: int = 1
    """How often dev is scored in an epoch."""
    decreases: int = 2
    """Training ends when the watched score has fallen so often."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StageResult:
    """The network with its best weights, and its scores on dev."""

    network: Network
    scores: dict[str, float]


def run_stage(
    stage: StageRun, *, out: str | Path, progress: Callable[[int, int], None] | None = None, seed: int = 1
) -> StageResult:
    """Train, or go on where a run in ``out`` stopped; pairs are streamed from their files."""
    use_huge_pages()
    settings = read_folder(stage.encoder)
    if settings.kind != "bert":
        raise TenorError(f"{stage.encoder} is a table of vectors, which is not trained; give a BERT encoder.")
    tokenizer = Tokenizer.load(
        settings.encoder, max_tokens=stage.max_tokens or settings.max_tokens, lower=settings.lower
    )
    encoder = BertCheckpoint.load(settings.encoder).encoder
    task = ParaphraseTask(NAME, stage.config, width=encoder.config.width, seed=seed)
    network = Network(encoder, pooling=settings.pooling, tasks={NAME: task})
    cache = Path(out).with_name(f"{Path(out).name}-arrays")
    train, dev = (
        task.prepare(AlignedFile(path, cache=cache / part), tokenizer)
        for part, path in (("train", stage.train), ("dev", stage.dev))
    )
    learner = TaskLearner(
        network, {NAME: train}, dev={NAME: dev}, batches={NAME: stage.batch},
        tokens_per_pass=stage.training.tokens_per_pass,
    )  # fmt: skip
    monitor = f"{NAME}.{task.metric.name}"
    every = -(-len(train) // stage.batch) // max(1, stage.evaluations)
    training = replace(stage.training, monitor=monitor, evaluate_steps=max(1, every))
    train_in_folder(
        learner,
        RunConfig(encoder=stage.encoder.name, seed=seed, training=training),
        out=out,
        settings={"batch": stage.batch, "max_tokens": stage.max_tokens, **asdict(stage.config)},
        data={NAME: {part: _about(path) for part, path in (("train", stage.train), ("dev", stage.dev))}},
        hooks=[StopAtDecrease(monitor, count=stage.decreases)],
        listener=_listener(progress),
    )
    network.eval()
    return StageResult(network=network, scores=dict(learner.evaluate()[NAME].scores))


def _about(path: Path) -> dict[str, Any]:
    return {"file": path.name, "sha256": sha256_of(path)}


def _listener(progress: Callable[[int, int], None] | None) -> Listener:
    class Passing(Listener):
        def step(self, report: Any, at: Any) -> None:
            if progress is not None:
                progress(report.step, at.steps)

    return Passing()
