"""From a run's settings and examples to a learner: encoder, heads, tokenised examples, objectives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from tenor.encoders.encoder import Encoder
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import ModelFolder
from tenor.model.loading import find_model
from tenor.model.network import Adapter, Network
from tenor.objectives.objective import Objective
from tenor.tasks.table import build_tasks, check_on_encoder
from tenor.text.tokenizer import Tokenizer
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.loss_weighting import FixedWeights, UncertaintyWeights
from tenor.training.optimizers import freeze
from tenor.training.reading import TaskExamples
from tenor.training.sampling import SAMPLERS, Sampler
from tenor.training.task_learner import TaskLearner


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built:
    """A learner, and what it was made from."""

    learner: TaskLearner
    tokenizer: Tokenizer
    settings: ModelFolder
    """Of the folder that the encoder comes from."""

    @property
    def network(self) -> Network:
        """The network that is trained."""
        return self.learner.network


def build_learner(
    run: RunConfig,
    examples: Mapping[str, TaskExamples],
    *,
    device: torch.device | str = "cpu",
    objectives: Sequence[Objective] = (),
    adapter: Adapter | None = None,
) -> Built:
    """Load the encoder, put heads on it, tokenise all examples."""
    settings = limited(find_model(run.encoder), run.max_tokens)
    tokenizer = settings.type.tokenizer(
        settings.encoder, max_tokens=settings.max_tokens, lower=settings.lower
    )
    check_on_encoder(run.tasks, settings.type)
    encoder = settings.type.load(settings.encoder)
    training = run.training
    pooling = settings.pooling if run.pooling is None else PoolingConfig.parse(run.pooling)
    prepare_encoder(encoder, training)
    rows = {name: each.train for name, each in examples.items()}
    tasks = build_tasks(run.tasks, rows, encoder=encoder, pooling=pooling, seed=run.seed)
    network = Network(encoder, pooling=pooling, tasks=tasks, adapter=adapter).to(device)
    weigh = UncertaintyWeights if training.loss_weighting == "uncertainty" else FixedWeights
    learner = TaskLearner(
        network,
        # A task that weighs nothing is not trained, only scored.
        {
            name: tasks[name].prepare(each.train, tokenizer)
            for name, each in examples.items()
            if run.tasks[name].weight
        },
        dev={name: tasks[name].prepare(each.dev, tokenizer) for name, each in examples.items() if each.dev},
        batches={name: task.batch_size for name, task in run.tasks.items()},
        sampler=sampler_of(training),
        objectives=[*(config.build(name) for name, config in run.objectives.items()), *objectives],
        loss_weighting=weigh({name: task.weight for name, task in run.tasks.items()}).to(device),
        micro_batch_tokens=training.micro_batch_tokens,
        tokenizer=tokenizer,
        own_groups=[name for name, task in run.tasks.items() if task.lr is not None],
        seed=run.seed,
    )
    learner.module.to(device)
    return Built(learner=learner, tokenizer=tokenizer, settings=replace(settings, pooling=pooling))


def limited(settings: ModelFolder, most: int | None) -> ModelFolder:
    """Return the settings of a folder with a lower limit of tokens, where one is asked for."""
    if most is None:
        return settings
    if settings.max_tokens is not None and most > settings.max_tokens:
        raise TenorError(f"max_tokens is {most}, but the encoder goes up to {settings.max_tokens} only.")
    return replace(settings, max_tokens=most)


def prepare_encoder(encoder: Encoder, training: TrainingConfig) -> None:
    """Set the dropout of an encoder and take out of training what the settings say."""
    if training.dropout is not None:
        encoder.set_dropout(training.dropout)
    last = 0 if training.freeze == "encoder" else training.train_last
    freeze(encoder, embeddings=training.freeze == "embeddings", first=training.freeze_first, last=last)


def sampler_of(training: TrainingConfig) -> Sampler:
    """Return the sampler that the settings describe."""
    return SAMPLERS[training.task_sampling](training)


def with_found_encoder(run: RunConfig, folder: Path) -> RunConfig:
    """Return the run with an encoder's folder that was named from the run file's own folder."""
    named = folder / run.encoder
    if run.from_scratch is not None or run.encoder.startswith("hub:") or not named.is_dir():
        return run
    return replace(run, encoder=str(named.resolve()))
