"""Phrasal and sentential paraphrases learned from aligned pairs: transfer fine-tuning (Arase & Tsujii, 2019).

The variants of the paper are settings of one implementation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.metrics.intervals import Interval
from tenor.metrics.of_sums import scores_of_sums
from tenor.tasks.config import TaskConfig, check_fraction, check_least
from tenor.tasks.kind import Kind
from tenor.tasks.phrases.spec import BINARY, THREE_WAY, PhraseFeatures, PhraseSpec
from tenor.tasks.spec import TaskSpec
from tenor.text.alignments import AlignedPair
from tenor.text.examples import Origin
from tenor.text.problems import Problems

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task

Phrasal = Literal["three_way", "binary", "none"]


@dataclass(frozen=True, kw_only=True)
class PhrasesConfig(TaskConfig):
    """The settings of a ``phrases`` task, whose files hold aligned pairs (``tenor align``)."""

    kind: str = "phrases"
    batch_size: int = 50
    """Pairs of texts in a step, each of which also gets a random partner."""
    sentential: bool = True
    phrasal: Phrasal = "three_way"
    features: PhraseFeatures = "elaborate"
    dropout: float = 0.2
    most: int = 16

    metrics: ClassVar[tuple[str, ...]] = ("phrasal_accuracy", "sentential_accuracy")

    def check(self) -> None:
        """Refuse what nothing could be learned by."""
        super().check()
        _check(self)


@dataclass(frozen=True, kw_only=True)
class PhrasesSpec(TaskSpec):
    """What is learned from aligned pairs; the default is the paper's main model.

    >>> PhrasesSpec(phrasal="binary", sentential=False).random
    False
    """

    metric: str = ""
    """Of the phrasal classifier, which is learned more slowly, where there is one."""
    sentential: bool = True
    """Whether two texts are told from a text and a random other one."""
    phrasal: Phrasal = "three_way"
    """three_way: paraphrase, random, in-paraphrase; binary: paraphrase and in-paraphrase; or none."""
    features: PhraseFeatures = "elaborate"
    dropout: float = 0.2
    """On what the classifiers read."""
    most: int = 16
    """Phrase pairs of each class from one pair of texts; more are drawn from."""
    seed: int = 1
    """Of the negatives that dev scores are measured on, the same each time."""

    kind: ClassVar[str] = "phrases"
    texts: ClassVar[int] = 2
    answers_rows: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check(self)
        metric = "sentential_accuracy" if self.phrasal == "none" else "phrasal_accuracy"
        object.__setattr__(self, "metric", self.metric or metric)

    @property
    def random(self) -> bool:
        """Whether texts are also paired at random."""
        return self.sentential or self.phrasal == "three_way"

    @property
    def phrase_head(self) -> PhraseSpec | None:
        """The phrasal classifier, or None."""
        if self.phrasal == "none":
            return None
        labels = THREE_WAY if self.phrasal == "three_way" else BINARY
        return PhraseSpec(features=self.features, labels=labels, dropout=self.dropout)

    @property
    def labels_shown(self) -> tuple[str, ...]:
        """The classes of phrase pairs."""
        return () if self.phrase_head is None else self.phrase_head.labels

    def targets(self, examples: Sequence[Any], *, name: str) -> NDArray[np.int64]:
        """Every pair is a paraphrase; what is not is drawn."""
        return np.ones(len(examples), dtype=np.int64)

    def scores(
        self, predictions: Any, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return the accuracy of both classifiers and the recall of each class of phrases, with intervals."""
        return scores_of_sums(self._figures, predictions, repeats=repeats, seed=seed)

    def _figures(self, sums: NDArray[np.float64]) -> dict[str, Any]:
        figures: dict[str, Any] = {}
        if self.sentential:
            sentences, sums = sums[..., :4], sums[..., 4:]
            figures["sentential_accuracy"] = _part(sentences[..., 0] + sentences[..., 3], sentences.sum(-1))
        if self.phrasal != "none":
            labels = self.labels_shown
            table = sums.reshape(*sums.shape[:-1], len(labels), len(labels))
            right = np.diagonal(table, axis1=-2, axis2=-1)
            figures["phrasal_accuracy"] = _part(right.sum(-1), table.sum((-2, -1)))
            for number, label in enumerate(labels):
                figures[f"recall_{label}"] = _part(right[..., number], table[..., number, :].sum(-1))
        return figures

    @property
    def gives(self) -> str:
        """Relations of phrases."""
        return "how phrases of two texts are related"


def _part(right: Any, total: Any) -> Any:
    return right / np.maximum(1, total)


def _check(settings: PhrasesConfig | PhrasesSpec) -> None:
    for name, value, known in (
        ("phrasal", settings.phrasal, get_args(Phrasal)),
        ("features", settings.features, get_args(PhraseFeatures)),
    ):
        if value not in known:
            raise TenorError(f"{name} is {value!r}; it must be one of {', '.join(known)}.")
    if not settings.sentential and settings.phrasal == "none":
        raise TenorError("sentential is false and phrasal is 'none'; nothing would be learned.")
    check_fraction(settings, "dropout")
    check_least(settings, most=1)


# The paper's names, but for the models that have no such stage.
VARIANTS: Mapping[str, PhrasesSpec] = {
    "transfer fine-tuning": PhrasesSpec(),
    "simple transfer fine-tuning": PhrasesSpec(features="simple"),
    "+sentence": PhrasesSpec(phrasal="none"),
    "+3way-pp elaborate": PhrasesSpec(sentential=False),
    "+3way-pp simple": PhrasesSpec(sentential=False, features="simple"),
    "+binary-pp": PhrasesSpec(sentential=False, phrasal="binary"),
}


class PhrasesKind(Kind):
    """Learns paraphrases of texts and of phrases."""

    name = "phrases"
    about = "learns phrasal and sentential paraphrases from aligned pairs"
    config = PhrasesConfig
    spec = PhrasesSpec

    def read(self, config: PhrasesConfig, file: Path, *, problems: Problems) -> Iterator[Any]:
        """Yield the aligned pairs of a file."""
        from tenor.tasks.phrases.aligned_file import AlignedFile

        return iter(AlignedFile(file, problems=problems))

    def example(self, row: Any, origin: Origin) -> Any:
        """Take aligned pairs as they are."""
        if not isinstance(row, AlignedPair):
            raise TenorError(f"A row of a 'phrases' task is {str(row)[:60]!r}; expected an aligned pair.")
        return row

    def settle(self, config: PhrasesConfig, examples: Sequence[Any], *, name: str) -> TaskSpec:
        """Take the settings over."""
        return PhrasesSpec(
            sentential=config.sentential,
            phrasal=config.phrasal,
            features=config.features,
            dropout=config.dropout,
            most=config.most,
        )

    def build(
        self,
        name: str,
        spec: Any,
        *,
        encoder: "Encoder",
        pooling: PoolingConfig,
        seed: int,
        tasks: Mapping[str, "Task"],
    ) -> "Task":
        """Build both classifiers."""
        from tenor.tasks.phrases.task import PhrasesTask

        return PhrasesTask(name, spec, hidden_size=encoder.hidden_size, seed=seed)
