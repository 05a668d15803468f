"""Putting two texts together into a class: paraphrase or not, entailment, neutral or contradiction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tenor.tasks.config import Head
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.config import TwoTextsConfig
from tenor.tasks.texts.kind import TextKind
from tenor.tasks.texts.labels import LabelConfig, LabelSpec, label_faults, settle_labels
from tenor.tasks.texts.predictions import yes_or_no
from tenor.tasks.texts.spec import settled
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.file_profile import FileProfile
from tenor.text.names import LABEL, plain

if TYPE_CHECKING:
    from tenor.tasks.texts.task import TextTask

_ENOUGH_FOR_MLP = 2000


@dataclass(frozen=True, kw_only=True)
class PairConfig(TwoTextsConfig, LabelConfig):
    """The settings of a ``pair`` task."""

    kind: str = "pair"

    roles: ClassVar[tuple[str, ...]] = ("first", "second", "label")
    heads: ClassVar[tuple[Head, ...]] = ("mlp", "linear", "residual", "affine")
    metrics: ClassVar[tuple[str, ...]] = ("accuracy", "f1", "f1_macro", "f1_micro", "matthews")


@dataclass(frozen=True, kw_only=True)
class PairSpec(LabelSpec):
    """Of two labels one number, for the second, positive one; of more a number for each."""

    kind: ClassVar[str] = "pair"
    texts: ClassVar[int] = 2
    config = PairConfig

    @property
    def outputs(self) -> int:
        """One number for a yes-or-no, else one per label."""
        return len(self.labels) if len(self.labels) > 2 else 1

    def predictions(self, raw: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the probability of every label [n, labels]."""
        if self.outputs > 1:
            return super().predictions(raw)
        return yes_or_no(np.asarray(raw, dtype=np.float64)[:, 0])

    def chosen(self, predictions: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the label of each row; of two labels the second is given from one half on."""
        if self.outputs > 1:
            return super().chosen(predictions)
        return (predictions[:, 1] >= 0.5).astype(np.int64)


class PairKind(TextKind):
    """Puts pairs of texts into classes."""

    name = "pair"
    about = "predicts the label of a pair of texts"
    config = PairConfig
    spec = PairSpec

    @property
    def task(self) -> "type[TextTask]":
        """The torch task."""
        from tenor.tasks.pair.task import PairTask

        return PairTask

    def faults(
        self, config: PairConfig, train: ExampleStatistics, dev: ExampleStatistics | None
    ) -> list[str]:
        """Say what is wrong with the labels."""
        return label_faults(config, train, dev, several=None)

    def suggest(self, config: PairConfig, examples: Sequence[Any]) -> Mapping[str, tuple[Any, str]]:
        """Take the head that can be fitted, where rows are too few for one with a hidden layer."""
        free = config.share_head_with is None and not config.cross and config.hidden_size is None
        if free and config.head is None and len(examples) < _ENOUGH_FOR_MLP:
            return {"head": ("linear", "can be fitted")}
        return {}

    def fits(self, config: PairConfig) -> bool:
        """A linear layer over the features of two vectors can be fitted."""
        return config.head == "linear" and config.share_head_with is None and not config.cross

    def settle(self, config: PairConfig, examples: Sequence[Any], *, name: str) -> TaskSpec:
        """Find the labels."""
        return PairSpec(**settled(config, **settle_labels(config, examples, name=name)))

    def columns_of(self, survey: FileProfile) -> Mapping[str, str] | None:
        """Two texts and a label."""
        roles = survey.roles
        if roles.pair is None or roles.label is None:
            return None
        if roles.score is not None and plain(roles.label) not in LABEL:
            return None
        return dict(zip(self.config.roles, (*roles.pair, roles.label), strict=True))
