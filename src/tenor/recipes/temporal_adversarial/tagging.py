"""The taggers: a BiLSTM-CRF over the vectors of all languages, with or without a map and a discriminator.

    E(x) a frozen vector      F(x) = tanh(Wᵀ E(x))      dropout, BiLSTM, CRF over F(x)

Without the map the BiLSTM reads E(x). The discriminator reads F(x) of sentences without tags. No dev score
chooses anything.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tenor.encoders.embedded.encoder import EmbeddedEncoder
from tenor.encoders.embedded.word_embeddings.combined import CombinedEmbeddings
from tenor.encoders.from_scratch import FromScratch, from_scratch_config
from tenor.layers.pooling_config import PoolingConfig
from tenor.metrics.outcomes import Outcome
from tenor.metrics.overlaps import KINDS, count_overlaps
from tenor.model.feature_map import FeatureMap
from tenor.model.folder import read_folder
from tenor.model.network import Network
from tenor.objectives.domain_adversarial import DomainAdversarial
from tenor.objectives.domain_adversarial_config import DomainAdversarialConfig
from tenor.recipes.fixed_training import fixed_training
from tenor.recipes.temporal_adversarial.data import TYPES, Data, Rows
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

TASK, ADVERSARY = "expressions", "languages"
LABELS = ("O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI"))
Settings = Mapping[str, Any]
Tags = list[list[str]]


class TemporalTagger:
    """A network of a cell's settings, not yet trained."""

    def __init__(
        self, cell: Settings, plan: Settings, data: Data, *, vectors: Path, work: Path, seed: int
    ) -> None:
        self.cell, self.plan, self.data, self.seed = cell, plan, data, seed
        self.training = training_settings(cell, plan)
        folder = work / "encoder"
        if not folder.is_dir():
            new_encoder(plan, vectors).write(folder, [], seed=seed)
        found = read_folder(folder)
        self.tokenizer: Tokenizer = found.type.tokenizer(found.encoder, max_tokens=None, lower=False)
        encoder = found.type.load(found.encoder)
        assert isinstance(encoder, EmbeddedEncoder)
        prepare_encoder(encoder, self.training)
        self.encoder = encoder
        sizes = {"hidden_size": encoder.hidden_size, "num_layers": encoder.num_layers}
        self.task = TagTask(TASK, tag_spec(), seed=seed, **sizes)
        self.map = None
        if cell.get("map"):
            self.map = FeatureMap(
                encoder.config.embedding_size, initialisation=plan["initialisation"], seed=seed
            )
        self.network = Network(encoder, pooling=PoolingConfig(), tasks={TASK: self.task}, adapter=self.map)

    def learner(self) -> TaskLearner:
        """Return what is trained: the tagger's loss and, where the cell has it, the discriminator's."""
        return TaskLearner(
            self.network,
            {TASK: self.task.prepare(self.data.train, self.tokenizer)},
            batches={TASK: self.plan["batch_size"]},
            sampler=sampler_of(self.training),
            objectives=self._objectives(),
            tokenizer=self.tokenizer,
            seed=self.seed,
        )

    def _objectives(self) -> list[DomainAdversarial]:
        languages = self.cell.get("told_apart", ())
        if not languages:
            return []
        config = DomainAdversarialConfig(
            weight=self.plan["weight"],
            every=self.plan["every"],
            hidden_size=self.plan["discriminator_size"],
            batch_size=self.plan["batch_size"],
            reads="embeddings",
        )
        texts = {language: self.data.texts[language] for language in languages}
        return [DomainAdversarial(ADVERSARY, config, texts)]

    def fit(self, work: Path, *, callbacks: Sequence[Callback] = ()) -> None:
        """Train, or go on."""
        train_learner(
            self.learner(), self.training, out=work / "run", seed=self.seed, callbacks=callbacks,
            encoder=self.encoder,
        )  # fmt: skip

    def tag(self, sentences: Rows) -> Tags:
        """Tag sentences."""
        plain = [TaggedSentence(each.words, each.origin) for each in sentences]
        data = self.task.prepare(plain, self.tokenizer)
        rows, _ = predict_task(self.network, TASK, data, budget=16_384)
        return self.task.spec.tags_of(rows)

    @torch.no_grad()
    def features(self, words: Sequence[str]) -> np.ndarray[Any, Any]:
        """Return what the BiLSTM reads of each word [n, d]."""
        assert isinstance(self.encoder.embeddings, CombinedEmbeddings)
        vectors = self.encoder.embeddings.of_words(list(words))
        return (vectors if self.map is None else self.map(vectors)).numpy()


def new_encoder(plan: Settings, vectors: Path) -> FromScratch:
    """Return the settings of a BiLSTM over frozen vectors."""
    return from_scratch_config(
        {
            "model_type": "lstm",
            "hidden_size": plan["hidden_size"],
            "num_layers": 1,
            "dropout": 0.0,
            "input_dropout": plan["input_dropout"],
            "embeddings": ({"type": "static", "vectors": str(vectors), "freeze": True},),
        }
    )


def tag_spec() -> TagSpec:
    """Return the specification of the task; the shape of a word would be that of its language's name too."""
    return TagSpec(labels=LABELS, scheme="bio", head="crf", casing=False, dropout=0.0, subwords="first")


def training_settings(cell: Settings, plan: Settings) -> TrainingConfig:
    """Return the settings of training: Adam with one learning rate for all."""
    return fixed_training(
        epochs=plan["epochs"],
        encoder_lr=plan["lr"],
        head_lr=plan["lr"],
        optimizer="adam",
        weight_decay=0.0,
        warmup=0.0,
        max_grad_norm=5.0,
        freeze="encoder" if cell.get("untrained") else "none",
        micro_batch_tokens=16_384,
        bucket_batches=20,
        precision="fp32",
    )


def most_frequent_tags(train: Rows, sentences: Rows) -> Tags:
    """Give every word its most frequent tag in training, in whatever language; O to words that are new."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        for word, tag in zip(sentence.words, sentence.tags or (), strict=True):
            counts[_plain(word)][tag] += 1
    best = {word: own.most_common(1)[0][0] for word, own in counts.items()}
    return [[best.get(_plain(word), "O") for word in sentence.words] for sentence in sentences]


def _plain(word: str) -> str:
    return word.partition(":")[2].lower()


def outcomes(name: str, sentences: Rows, tags: Tags) -> dict[str, Outcome]:
    """Return strict, relaxed and type F1 of a test set; sentences are the items."""
    counts = count_overlaps([list(sentence.tags or ()) for sentence in sentences], tags)
    return {
        f"{name} {kind}": Outcome.of(
            "f1_of_matches", counts[:, 0], counts[:, 1], counts[:, 2 + 2 * n], counts[:, 3 + 2 * n],
            items=name,
        )
        for n, kind in enumerate(KINDS)
    }  # fmt: skip
