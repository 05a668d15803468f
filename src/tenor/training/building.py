"""From a run's settings and examples to a learner, its optimiser and a trainer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

from tenor.assets import MODELS, find
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.encoders.bert.encoder import BertEncoder
from tenor.errors import TenorError
from tenor.layers.attention import PackedAttention
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import ModelFolder, read_folder
from tenor.model.network import Network
from tenor.tasks.building import build_tasks
from tenor.tasks.config import TaskConfig
from tenor.tasks.language import LanguageConfig, LanguageTask
from tenor.tasks.masking import MaskingConfig
from tenor.tasks.sharing import check_shares
from tenor.tasks.task import Task
from tenor.text.tokenizer import Tokenizer
from tenor.training.averaging import AveragedWeights
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.distributed import World
from tenor.training.hooks import Hook
from tenor.training.learner import Learner
from tenor.training.loop import Trainer, Watcher
from tenor.training.optimisers import build_optimiser, freeze
from tenor.training.reading import TaskExamples
from tenor.training.sampling import MixedSampler
from tenor.training.task_learner import Objective, TaskLearner
from tenor.training.weighing import FixedWeights, UncertaintyWeights


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
) -> Built:
    """Load the encoder, put heads on it, tokenise all examples."""
    settings = read_folder(find(run.encoder, kinds=MODELS))
    if settings.kind != "bert":
        raise TenorError(f"{run.encoder} is a table of vectors, which is not trained; choose a BERT encoder.")
    settings = _limited(settings, run.max_tokens)
    tokenizer = Tokenizer.load(settings.encoder, max_tokens=settings.max_tokens, lower=settings.lower)
    encoder = BertCheckpoint.load(settings.encoder).encoder
    training, pooling = run.training, PoolingConfig.parse(run.pooling)
    if training.dropout is not None:
        set_dropout(encoder, training.dropout)
    freeze_parts(encoder, training)
    rows = {name: each.train for name, each in examples.items()}
    check_shares(run.tasks)
    tasks = _tasks_on(encoder, run, rows, pooling)
    network = Network(encoder, pooling=pooling, tasks=tasks).to(device)
    weigh = UncertaintyWeights if training.weighing == "uncertainty" else FixedWeights
    learner = TaskLearner(
        network,
        # A task that weighs nothing is not trained, only scored.
        {
            name: tasks[name].prepare(each.train, tokenizer)
            for name, each in examples.items()
            if run.tasks[name].weight
        },
        dev={name: tasks[name].prepare(each.dev, tokenizer) for name, each in examples.items() if each.dev},
        batches={name: task.batch for name, task in run.tasks.items()},
        sampler=sampler_of(training),
        objectives=objectives,
        weighing=weigh({name: task.weight for name, task in run.tasks.items()}).to(device),
        tokens_per_pass=training.tokens_per_pass,
    )
    return Built(learner=learner, tokenizer=tokenizer, settings=settings)


def _limited(settings: ModelFolder, most: int | None) -> ModelFolder:
    """Return the settings of a folder with a lower limit of tokens, where one is asked for."""
    if most is None:
        return settings
    if settings.max_tokens is not None and most > settings.max_tokens:
        raise TenorError(f"max_tokens is {most}, but the encoder goes up to {settings.max_tokens} only.")
    return replace(settings, max_tokens=most)


def _tasks_on(
    encoder: BertEncoder, run: RunConfig, rows: Mapping[str, Sequence[Any]], pooling: PoolingConfig
) -> dict[str, Task]:
    """Build the heads of all tasks; that of a language task has the encoder's own word embeddings in it."""
    config = encoder.config
    language = {name: task for name, task in run.tasks.items() if task.kind == "language"}
    others = {name: task for name, task in run.tasks.items() if name not in language}
    found: dict[str, Task] = dict(
        build_tasks(others, rows, width=config.width, layers=config.layers, pooling=pooling, seed=run.seed)
    )
    for name, task in language.items():
        settings = _language_config(task)
        found[name] = LanguageTask(name, settings, encoder, weight=task.weight, seed=run.seed)
    return {name: found[name] for name in run.tasks}


def _language_config(task: TaskConfig) -> LanguageConfig:
    usual = MaskingConfig()
    share = usual.share if task.masking is None else task.masking
    masking = MaskingConfig(share=share, whole_words=bool(task.whole_words))
    return LanguageConfig(masking=masking, next_sentence=bool(task.next_sentence))


def build_trainer(
    learner: Learner,
    run: RunConfig,
    *,
    hooks: Sequence[Hook] = (),
    watcher: Watcher | None = None,
    world: World | None = None,
    precision: Literal["fp32", "bf16"] = "fp32",
) -> Trainer:
    """Make the optimiser that a run asks for, and the trainer."""
    training, groups = run.training, learner.groups()
    rates = dict.fromkeys(groups, training.head_rate) | {"encoder": training.encoder_rate}
    optimiser = build_optimiser(
        groups,
        rates=rates,
        kind=training.optimiser,
        weight_decay=training.weight_decay,
        layer_decay=training.layer_decay,
    )
    if training.average:
        hooks = (*hooks, AveragedWeights(training.average))
    return Trainer(
        learner, optimiser, settings=training, seed=run.seed, hooks=hooks, watcher=watcher, world=world,
        precision=precision,
    )  # fmt: skip


def sampler_of(training: TrainingConfig) -> MixedSampler:
    """Return the sampler that the settings describe."""
    return MixedSampler(
        mixing=training.mixing,
        end=training.epoch_end,
        examples_per_epoch=training.examples_per_epoch,
        temperature=training.temperature,
        bucket=training.bucket,
        epochs=training.epochs,
    )


def freeze_parts(encoder: nn.Module, training: TrainingConfig) -> None:
    """Take out of training what the settings say."""
    last = 0 if training.freeze == "encoder" else training.train_last
    freeze(encoder, embeddings=training.freeze == "embeddings", first=training.freeze_first, last=last)


def set_dropout(encoder: nn.Module, share: float) -> None:
    """Set all dropout of an encoder."""
    for module in encoder.modules():
        if isinstance(module, nn.Dropout):
            module.p = share
        elif isinstance(module, PackedAttention):
            module.dropout = share


def with_found_encoder(run: RunConfig, folder: Path) -> RunConfig:
    """Return the run with an encoder's folder that was named from the run file's own folder."""
    named = folder / run.encoder
    if run.fresh is not None or run.encoder.startswith("hub:") or not named.is_dir():
        return run
    return replace(run, encoder=str(named.resolve()))
