"""The taggers of zero-resource-ner: networks that are trained on the source alone, and trivial ones.

A network is the product's own: an LSTM over static vectors, and a task ``tag`` with the head ``crf`` or
``experts``, with or without the loss of boundaries; or one of the two baselines that know descriptions.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tenor.encoders.embedded.encoder import EmbeddedEncoder
from tenor.encoders.embedded.word_embeddings.combined import CombinedEmbeddings
from tenor.encoders.from_scratch import FromScratch, from_scratch_config
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import read_folder
from tenor.model.network import Network
from tenor.recipes.fixed_training import fixed_training
from tenor.recipes.zero_resource_ner.data import TYPES, Data, Sentences
from tenor.recipes.zero_resource_ner.described import DESCRIPTIONS, DescribedTask, frequent_examples
from tenor.tasks.tag.kind import TagSpec
from tenor.tasks.tag.task import TagTask
from tenor.text.examples import TaggedSentence
from tenor.text.tokenizer import Tokenizer
from tenor.training.api import train_learner
from tenor.training.building import prepare_encoder, sampler_of
from tenor.training.callbacks import Callback
from tenor.training.config import TrainingConfig
from tenor.training.evaluation import predict_task
from tenor.training.task_learner import TaskLearner

TASK = "entities"
LABELS = ("O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI"))
Tags = list[list[str]]
Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tagged:
    """The tags of sentences and, where there are experts, the weights of the gate [words, E] of each."""

    tags: Tags
    gates: list[NDArray[np.float32]] | None = None


def all_outside(sentences: Sequence[TaggedSentence]) -> Tagged:
    """Say of every word that it is no entity."""
    return Tagged([["O"] * len(sentence.words) for sentence in sentences])


def most_frequent_tags(train: Sentences, sentences: Sequence[TaggedSentence]) -> Tagged:
    """Give every word its most frequent tag in the train sentences; O to words that are new."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        for word, tag in zip(sentence.words, sentence.tags or (), strict=True):
            counts[word][tag] += 1
    best = {word: own.most_common(1)[0][0] for word, own in counts.items()}
    return Tagged([[best.get(word, "O") for word in sentence.words] for sentence in sentences])


class NetworkTagger:
    """A network of a cell's settings, not yet trained."""

    def __init__(self, cell: Settings, plan: Settings, data: Data, *, work: Path, seed: int) -> None:
        self.data, self.plan, self.seed = data, plan, seed
        self.training = training_settings(cell, plan)
        folder = work / "encoder"
        if not folder.is_dir():
            new_encoder(cell, plan, data).write(folder, [], seed=seed)
        found = read_folder(folder)
        self.tokenizer: Tokenizer = found.type.tokenizer(
            found.encoder, max_tokens=found.max_tokens, lower=found.lower
        )
        encoder = found.type.load(found.encoder)
        assert isinstance(encoder, EmbeddedEncoder)
        prepare_encoder(encoder, self.training)
        self.task = build_task(cell, plan, data, encoder, seed=seed)
        self.network = Network(encoder, pooling=PoolingConfig(), tasks={TASK: self.task})

    def fit(self, work: Path, *, callbacks: Sequence[Callback] = ()) -> None:
        """Train on the source, or go on; the weights are those with the best F1 on the source's dev part."""
        learner = TaskLearner(
            self.network,
            {TASK: self.task.prepare(self.data.train, self.tokenizer)},
            dev={TASK: self.task.prepare(self.data.dev, self.tokenizer)},
            batches={TASK: self.plan["batch_size"]},
            sampler=sampler_of(self.training),
            tokenizer=self.tokenizer,
            seed=self.seed,
        )
        encoder = self.network.encoder
        train_learner(
            learner, self.training, out=work / "run", seed=self.seed, callbacks=callbacks, encoder=encoder
        )

    def tag(self, sentences: Sequence[TaggedSentence]) -> Tagged:
        """Tag sentences."""
        plain = [TaggedSentence(each.words, each.origin) for each in sentences]
        data = self.task.prepare(plain, self.tokenizer)
        rows, _ = predict_task(self.network, TASK, data, budget=16_384)
        spec = self.task.spec
        gates = None
        if spec.head_type.gates(spec, np.zeros((0, rows[0].shape[1]), dtype=np.float32)) is not None:
            gates = [row[:, 1 + len(spec.labels) :] for row in rows]
        return Tagged(spec.tags_of(rows), gates)


def new_encoder(cell: Settings, plan: Settings, data: Data) -> FromScratch:
    """Return the settings of the BiLSTM over static vectors, frozen or updated."""
    settings = {
        "model_type": "lstm",
        "hidden_size": plan["hidden_size"],
        "num_layers": 2,
        "dropout": plan["dropout"],
        "input_dropout": plan["dropout"],
        "embeddings": ({"type": "static", "vectors": str(data.vectors), "freeze": cell["freeze"]},),
    }
    return from_scratch_config(settings)


def build_task(cell: Settings, plan: Settings, data: Data, encoder: EmbeddedEncoder, *, seed: int) -> TagTask:
    """Build the head that a cell names."""
    spec = tag_spec(cell, plan)
    size = encoder.hidden_size
    if cell["tagger"] == "network":
        return TagTask(TASK, spec, hidden_size=size, num_layers=encoder.num_layers, seed=seed)
    assert isinstance(encoder.embeddings, CombinedEmbeddings)
    examples = None
    with torch.no_grad():
        descriptions = encoder.embeddings.of_words([DESCRIPTIONS[kind] for kind in TYPES])
        if cell["tagger"] == "robust":
            words = frequent_examples(data.train, TYPES, plan["examples"])
            examples = encoder.embeddings.of_words(words).view(len(TYPES), plan["examples"], -1)
    return DescribedTask(
        TASK, spec, hidden_size=size, seed=seed, descriptions=descriptions, examples=examples,
        lstm_size=plan["hidden_size"],
    )  # fmt: skip


def tag_spec(cell: Settings, plan: Settings) -> TagSpec:
    """Return the specification of the task: experts, and the loss of boundaries, where the cell has them."""
    return TagSpec(
        labels=LABELS,
        scheme="bio",
        head="experts" if cell.get("experts") else "crf",
        boundary_weight=1.0 if cell.get("boundaries") else 0.0,
        expert_size=plan["expert_size"],
        gate_weight=1.0,
        casing=False,
        dropout=0.0,  # the encoder's last states have theirs
        subwords="first",
    )


def training_settings(cell: Settings, plan: Settings) -> TrainingConfig:
    """Return the settings of training: Adam with one learning rate for all."""
    return fixed_training(
        epochs=plan["epochs"],
        encoder_lr=plan["lr"],
        head_lr=plan["lr"],
        optimizer="adam",
        weight_decay=0.0,
        schedule="constant",
        warmup=0.0,
        max_grad_norm=5.0,
        patience=plan["patience"],
        freeze="encoder" if cell.get("untrained") else "none",
        micro_batch_tokens=16_384,
        bucket_batches=plan["bucket_batches"],
        precision="fp32",
    )
