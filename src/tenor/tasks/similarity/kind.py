"""Giving two texts a score on a range, such as 0 to 5: textual similarity, relatedness, soft labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.correlation import pearson, spearman
from tenor.metrics.intervals import Interval, bootstrap
from tenor.tasks.answer import Answer, ScoreAnswer
from tenor.tasks.config import NETWORKS, Head, check_positive
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.config import TwoTextsConfig
from tenor.tasks.texts.kind import TextKind
from tenor.tasks.texts.predictions import sigmoid
from tenor.tasks.texts.spec import TextSpec, settled
from tenor.tasks.texts.targets import score_targets
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.file_profile import FileProfile
from tenor.text.names import LABEL, plain

if TYPE_CHECKING:
    from tenor.tasks.texts.task import TextTask

Loss = Literal["mse", "mse01", "cross_entropy", "cosent"]
Output = Literal["sigmoid", "linear"]


@dataclass(frozen=True, kw_only=True)
class SimilarityConfig(TwoTextsConfig):
    """The settings of a ``similarity`` task."""

    kind: str = "similarity"
    range: tuple[float, float] | None = None
    """Lowest and highest score. Default: from the train examples."""
    scale: float | None = None
    """Short for range = [0, scale]."""
    output: Output | None = None
    """How a linear, mlp or residual head's number becomes a score: sigmoid keeps it within the range."""
    loss: Loss | None = None
    """mse: squared error on the range; mse01: on 0 to 1; cross_entropy: scores as probabilities, such as the
    soft labels of a teacher; cosent: only the order counts. Default: mse01."""
    temperature: float | None = None
    """Divides scores of 0 to 1 in cosent. Default: 0.05."""

    roles: ClassVar[tuple[str, ...]] = ("first", "second", "score")
    heads: ClassVar[tuple[Head, ...]] = ("cosine", "affine", "mlp", "linear", "residual")
    metrics: ClassVar[tuple[str, ...]] = ("pearson", "spearman")
    of_networks: ClassVar[tuple[str, ...]] = ("features", "hidden_size", "blocks", "dropout", "output")

    @property
    def probabilities(self) -> bool:
        """Whether its scores are probabilities."""
        return self.loss == "cross_entropy" and (self.range == (0.0, 1.0) or self.scale == 1.0)

    def check(self) -> None:
        """Refuse a range that is none, and losses that the head cannot have."""
        super().check()
        check_positive(self, "temperature", "scale")
        if self.temperature is not None and self.loss != "cosent":
            raise TenorError('temperature is for the loss "cosent" only.')
        if self.loss == "cross_entropy" and self.share_head_with is None:
            if (self.head or self.head_choices[0]) not in NETWORKS:
                raise TenorError('loss "cross_entropy" needs a head with a sigmoid, such as head = "mlp".')
            if self.output == "linear":
                raise TenorError('loss "cross_entropy" is for output = "sigmoid".')
        if self.range is not None:
            low, high = self.range
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise TenorError(f"range is {list(self.range)}; it must be a lower and a higher number.")
            if self.scale is not None:
                raise TenorError("scale is short for a range from 0; give only one of the two.")


@dataclass(frozen=True, kw_only=True)
class SimilaritySpec(TextSpec):
    """A score on a range: of the cosine, of a · cosine + c, or of a network's output."""

    metric: str = "pearson"
    head: Head = "cosine"
    range: tuple[float, float] = (0.0, 1.0)
    output: Output = "sigmoid"
    loss: Loss = "mse01"
    temperature: float = 0.05
    points: tuple[tuple[float, float], ...] = ()
    """For a cosine fitted to people's scores: a line from cosine to score through these points."""

    kind: ClassVar[str] = "similarity"
    texts: ClassVar[int] = 2
    config = SimilarityConfig

    def wrong(self) -> str | None:
        """Say why no head could be built from these settings."""
        if not (all(map(math.isfinite, self.range)) and self.range[0] < self.range[1]):
            return f"the range {self.range} is empty"
        if self.loss == "cross_entropy" and (self.of_cosine or self.output != "sigmoid"):
            return "the loss cross_entropy needs a head with a sigmoid"
        return super().wrong()

    def predictions(self, raw: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return scores [n]: low + (high - low) · x with x the cosine, a · cosine + c or a sigmoid."""
        values, (low, high) = np.asarray(raw, dtype=np.float64)[:, 0], self.range
        if self.points:
            cosines, scores = zip(*self.points, strict=True)
            return np.asarray(np.interp(values, cosines, scores))
        if self.of_cosine:
            return low + (high - low) * values
        return low + (high - low) * sigmoid(values) if self.output == "sigmoid" else values

    def targets(self, examples: Sequence[Any], *, name: str) -> NDArray[np.float32]:
        """Return the score of each example [n]."""
        return score_targets(self.range, examples, name=name)

    def scores(
        self, predictions: Any, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return Pearson's and Spearman's correlations with their intervals."""
        kinds = {"pearson": pearson, "spearman": spearman}
        return {
            name: bootstrap(kind, targets, predictions, repeats=repeats, seed=seed)
            for name, kind in kinds.items()
        }

    def plain_scores(self, predictions: Any, targets: Any) -> dict[str, float]:
        """Return the correlations."""
        found = {"pearson": pearson(targets, predictions), "spearman": spearman(targets, predictions)}
        return {name: float(value) for name, value in found.items()}

    def answers(self, predictions: Any) -> list[Answer]:
        """Return the score of each row."""
        return [ScoreAnswer(float(score)) for score in predictions]

    def gold(self, example: Any) -> Any:
        """Return the score."""
        return example.score

    @property
    def gives(self) -> str:
        """A score."""
        return f"a score from {self.range[0]:g} to {self.range[1]:g}"


class SimilarityKind(TextKind):
    """Scores pairs of texts."""

    name = "similarity"
    about = "predicts the score of a pair of texts"
    config = SimilarityConfig
    spec = SimilaritySpec

    @property
    def task(self) -> "type[TextTask]":
        """The torch task."""
        from tenor.tasks.similarity.task import SimilarityTask

        return SimilarityTask

    def faults(
        self, config: SimilarityConfig, train: ExampleStatistics, dev: ExampleStatistics | None
    ) -> list[str]:
        """Say which scores lie outside of the range, or that all are equal."""
        wrong = []
        for tally, file in ((train, "train"), (dev, "dev")):
            scores = tally.scores() if tally is not None else None
            if scores is None:
                continue
            low, high = _asked_range(config) or (scores.min, scores.max)
            if scores.min < low or scores.max > high:
                wrong.append(
                    f"the {file} file has scores from {scores.min:g} to {scores.max:g}, outside of the "
                    f"range {low:g} to {high:g}"
                )
            if file == "train" and scores.min == scores.max:
                wrong.append(f"every score is {scores.min:g}; at least two values are needed")
        return wrong

    def settle(self, config: SimilarityConfig, examples: Sequence[Any], *, name: str) -> TaskSpec:
        """Find the range."""
        return SimilaritySpec(
            **settled(
                config,
                range=_asked_range(config) or _found_range(examples, name),
                output=config.output or "sigmoid",
                loss=config.loss or "mse01",
                temperature=config.temperature or 0.05,
            )
        )

    def columns_of(self, survey: FileProfile) -> Mapping[str, str] | None:
        """Two texts and a score."""
        roles = survey.roles
        named = roles.label is not None and plain(roles.label) in LABEL
        if roles.pair is None or roles.score is None or named:
            return None
        return dict(zip(self.config.roles, (*roles.pair, roles.score), strict=True))


def _asked_range(config: SimilarityConfig) -> tuple[float, float] | None:
    return (0.0, config.scale) if config.scale is not None else config.range


def _found_range(examples: Sequence[Any], name: str) -> tuple[float, float]:
    scores = [each.score for each in examples if each.score is not None and math.isfinite(each.score)]
    if not scores or min(scores) == max(scores):
        found = f"every score is {scores[0]:g}" if scores else "there is no score"
        raise TenorError(
            f"Task {name}: {found}; scores must differ, or range = [lowest, highest] must be given."
        )
    # Whole numbers around what was found: a sample of a scale of 0 to 5 need not hold a 5.
    return (float(math.floor(min(scores))), float(math.ceil(max(scores))))
