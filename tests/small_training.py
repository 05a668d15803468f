"""A small network with tasks of its own, for the tests of the loop: seconds, not minutes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.encoder import BertEncoder
from tenor.layers.pooling import pool_mean
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.network import Network
from tenor.tasks.task import EncoderOutput, Metric, Task, TaskBatch, TaskData
from tenor.text.examples import Origin, Pair, Sentence
from tenor.text.tokens import Tokens
from tenor.training.config import TrainingConfig
from tenor.training.optimizers import build_optimizer
from tenor.training.task_learner import TaskLearner

VOCABULARY, WIDTH = 60, 16


def encoder(*, layers: int = 2, dropout: float = 0.0, seed: int = 0) -> BertEncoder:
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=WIDTH, num_hidden_layers=layers, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32,
        hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout,
    )  # fmt: skip
    return BertEncoder(config)


class Mood(Task):
    """Whether a text holds more even than odd ids; one text a row."""

    def __init__(self, name: str = "mood", *, weight: float = 1.0, dropout: float = 0.0) -> None:
        super().__init__(name, weight=weight)
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(WIDTH, 2)

    def prepare(self, examples: Sequence[Any], tokenizer: Any) -> TaskData:
        tokens = Tokens.from_lists([each.text for each in examples])
        labels = np.array([int(each.label) for each in examples], dtype=np.int64)
        return TaskData(examples=examples, tokens=tokens, targets=labels)

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        return self.linear(self.dropout(pool_mean(seen.last, seen.packing)))

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        return {"cross_entropy": functional.cross_entropy(output, batch.targets)}

    def predict(self, output: Tensor, batch: TaskBatch) -> NDArray[Any]:
        return output.softmax(-1).detach().numpy()

    def score(self, predictions: NDArray[Any], data: TaskData) -> dict[str, float]:
        return {"accuracy": float((predictions.argmax(1) == data.targets).mean())}


class Near(Task):
    """How many ids two texts share; two texts a row."""

    metric = Metric("error", higher_is_better=False)

    def __init__(self, name: str = "near", *, weight: float = 1.0) -> None:
        super().__init__(name, weight=weight)
        self.scale = nn.Parameter(torch.ones(()))

    def prepare(self, examples: Sequence[Any], tokenizer: Any) -> TaskData:
        tokens = Tokens.from_lists([side for each in examples for side in (each.first, each.second)])
        scores = np.array([each.score for each in examples], dtype=np.float32)
        return TaskData(examples=examples, tokens=tokens, sides=2, targets=scores)

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        first, second = pool_mean(seen.last, seen.packing).chunk(2)
        return self.scale * functional.cosine_similarity(first, second)

    def losses(self, output: Tensor, batch: TaskBatch) -> dict[str, Tensor]:
        return {"squared": functional.mse_loss(output, batch.targets)}

    def predict(self, output: Tensor, batch: TaskBatch) -> NDArray[Any]:
        return output.detach().numpy()

    def score(self, predictions: NDArray[Any], data: TaskData) -> dict[str, float]:
        return {"error": float(((predictions - data.targets) ** 2).mean())}


class Coupled(Mood):
    """The same with batch statistics, so that a row's loss depends on the others."""

    couples_rows = True

    def __init__(self, name: str = "coupled") -> None:
        super().__init__(name)
        self.norm = nn.BatchNorm1d(WIDTH)

    def forward(self, seen: EncoderOutput, batch: TaskBatch) -> Tensor:
        return self.linear(self.norm(pool_mean(seen.last, seen.packing)))


def moods(count: int, seed: int = 0) -> list[Any]:
    random = np.random.default_rng(seed)
    texts = [random.integers(5, VOCABULARY, size=random.integers(2, 12)).tolist() for _ in range(count)]
    return [
        Sentence(text, Origin("moods.tsv", n + 2), label=str(int(np.mean(np.array(text) % 2 == 0) > 0.5)))
        for n, text in enumerate(texts)
    ]


def nears(count: int, seed: int = 1) -> list[Any]:
    random = np.random.default_rng(seed)
    rows = []
    for n in range(count):
        first = random.integers(5, VOCABULARY, size=random.integers(2, 10)).tolist()
        second = [id_ if random.random() < 0.5 else int(random.integers(5, VOCABULARY)) for id_ in first]
        shared = len(set(first) & set(second)) / len(set(first) | set(second))
        rows.append(Pair(first, second, Origin("nears.tsv", n + 2), score=shared))
    return rows


def make_network(*tasks: Task, dropout: float = 0.0, layers: int = 2, seed: int = 0) -> Network:
    torch.manual_seed(seed + 1)
    chosen = tasks or (Mood(), Near())
    for task in chosen:  # drawn here, so that the seed decides
        for module in task.modules():
            if isinstance(module, nn.Linear):
                module.reset_parameters()
    body = encoder(dropout=dropout, layers=layers, seed=seed)
    return Network(body, pooling=PoolingConfig(), tasks={task.name: task for task in chosen})


def make_learner(*tasks: Task, rows: int = 24, dropout: float = 0.0, **settings: Any) -> TaskLearner:
    network = make_network(*tasks, dropout=dropout)
    train, dev = {}, {}
    for name in network.tasks:
        make = nears if isinstance(network.task(name), Near) else moods
        train[name] = network.task(name).prepare(make(rows, seed=3), None)
        dev[name] = network.task(name).prepare(make(10, seed=4), None)
    return TaskLearner(network, train, dev=dev, batches=dict.fromkeys(train, 4), **settings)


def make_optimizer(learner: Any, rate: float = 1e-2, **settings: Any) -> torch.optim.Optimizer:
    groups = learner.groups()
    return build_optimizer(groups, learning_rates=dict.fromkeys(groups, rate), **settings)


def quick(**settings: Any) -> TrainingConfig:
    return TrainingConfig(
        **{"epochs": 2, "schedule": "constant", "warmup": 0.0, "precision": "fp32"} | settings
    )


def weights(learner: Any) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in learner.module.named_parameters()}


def same(one: dict[str, Tensor], two: dict[str, Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)
