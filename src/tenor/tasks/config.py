"""What a task is, as a run file states it: its kind, its data, its head, its share of a step."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tenor.errors import TenorError, did_you_mean
from tenor.layers.pooling_config import PoolingConfig

Kind = Literal["classify", "pair", "similarity", "match", "language"]
Head = Literal["linear", "mlp", "residual", "cosine", "affine"]
Feature = Literal["u", "v", "diff", "abs", "product", "cosine", "jaccard", "whole"]
Encoding = Literal["siamese", "joint"]
Loss = Literal["mse", "mse01", "cross_entropy", "cosent"]
Output = Literal["sigmoid", "linear"]
MetricName = Literal[
    "accuracy", "f1", "f1_macro", "f1_micro", "matthews", "pearson", "spearman", "mrr", "recall_at_1"
]

# The columns that each kind of task reads.
ROLES: dict[Kind, tuple[str, ...]] = {
    "classify": ("text", "label"),  # a class of a text
    "pair": ("first", "second", "label"),  # a class of two texts together
    "similarity": ("first", "second", "score"),  # a number for two texts
    "match": ("first", "second"),  # two texts that belong together, against all others of the batch
    "language": (),  # hidden tokens of texts: what an encoder is pre-trained by
}
# Columns that a kind reads where they are named.
OPTIONAL_ROLES: dict[Kind, tuple[str, ...]] = {"match": ("negative",), "language": ("text",)}

# The heads of each kind, its default first; a pair encoded jointly is one text and has the heads of one.
HEADS: dict[Kind, tuple[Head, ...]] = {
    "classify": ("linear", "mlp", "residual"),
    "pair": ("mlp", "linear", "residual", "affine"),
    "similarity": ("cosine", "affine", "mlp", "linear", "residual"),
    "match": ("cosine",),
    "language": (),
}
JOINT_HEADS: tuple[Head, ...] = ("linear", "mlp", "residual")
METRICS: dict[Kind, tuple[MetricName, ...]] = {
    "classify": ("accuracy", "f1_macro", "f1_micro", "f1", "matthews"),
    "pair": ("accuracy", "f1", "f1_macro", "f1_micro", "matthews"),
    "similarity": ("pearson", "spearman"),
    "match": ("mrr", "recall_at_1"),
    "language": (),
}
_OF_HEAD = ("head", "features", "hidden", "blocks", "dropout", "encoding", "both_orders", "pooling")
_PREDICTING: tuple[Kind, ...] = ("classify", "pair", "similarity", "match")
# Keys that only some kinds of tasks have.
_ONLY: Mapping[str, tuple[Kind, ...]] = {
    **dict.fromkeys((*_OF_HEAD, "metric"), _PREDICTING),
    "features": ("pair", "similarity"),
    "encoding": ("pair", "similarity"),
    "both_orders": ("pair", "similarity"),
    "share": ("pair", "similarity"),
    "labels": ("classify", "pair"),
    "multi_label": ("classify",),
    "balanced": ("classify", "pair"),
    "smoothing": ("classify", "pair"),
    "calibrate": ("classify", "pair"),
    "range": ("similarity",),
    "scale": ("similarity",),
    "output": ("similarity",),
    "loss": ("similarity",),
    "temperature": ("match", "similarity"),
    "symmetric": ("match",),
    "mine": ("match",),
    "masking": ("language",),
    "whole_words": ("language",),
    "next_sentence": ("language",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskConfig:
    """One ``[tasks.NAME]`` section of a run file; only kind, train and, mostly, columns must be given.

    >>> TaskConfig(kind="match", train=Path("a.tsv"), columns={"first": 1, "second": 2}).batch
    16
    """

    kind: Kind
    train: Path
    dev: Path | None = None
    columns: Mapping[str, str | int] = field(default_factory=dict)
    """Which column holds what: names, or 0-based numbers."""
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    """Delimiter, quote and header are found out from the content of a file when left out."""
    batch: int = 16
    """Examples of this task in a step."""
    weight: float = 1.0

    head: Head | None = None
    """linear; mlp (two layers); residual (batch norm, dropout, skip connections); for similarity also cosine
    and affine, a · cosine + c. Default: linear for classify, mlp for pair, cosine for similarity."""
    features: tuple[Feature, ...] | None = None
    """What the head sees of two vectors u and v: u, v, diff (u - v), abs (|u - v|), product (u ∗ v), cosine,
    jaccard (the overlap of the two texts' tokens). Default: abs, product, cosine; for more than two labels
    also u and v, which tell which text comes first. Of two texts encoded jointly, u and v are the vectors of
    their parts of the sequence, and whole is that of all of it, which alone the head reads by default."""
    hidden: int | None = None
    """Width of the head's inner layers. Default: that of the encoder."""
    blocks: int | None = None
    """Residual blocks. Default: 2."""
    dropout: float | None = None
    """Default: 0.1."""
    encoding: Encoding | None = None
    """siamese: each text by itself; joint: both as one sequence. Default: siamese."""
    both_orders: bool | None = None
    """Of two texts encoded jointly: whether it does not count which comes first. The order is drawn in
    training, and in use the head's numbers of both orders are averaged, at twice the cost. Default: false."""
    pooling: str | None = None
    """The head's own pooling, such as "cls", "pooler", "mean@mix". Default: the model's."""
    share: str | None = None
    """The name of a task whose head this one uses."""
    labels: tuple[str, ...] | None = None
    """All labels, in order; of two labels of a pair the second is the positive one. Default: those of the
    train file, sorted."""
    multi_label: str | None = None
    """What separates the labels where a text may have several."""
    balanced: bool | None = None
    """Whether rare labels weigh more in the loss, so that all weigh the same in all."""
    smoothing: float | None = None
    """The share of the target that is spread over all labels. Default: 0."""
    calibrate: bool | None = None
    """Whether, after training, the head's slope and offsets are fitted to the dev rows, so that of what it
    says with 80% four in five are right. Default: false."""
    range: tuple[float, float] | None = None
    """Lowest and highest score. Default: from the train file."""
    scale: float | None = None
    """Short for range = [0, scale]."""
    output: Output | None = None
    """How a linear, mlp or residual head's number becomes a score: sigmoid keeps it within the range."""
    loss: Loss | None = None
    """mse: squared error on the range; mse01: on 0 to 1; cross_entropy: scores as chances, those of a teacher
    for instance; cosent: only the order counts. Default: mse01."""
    temperature: float | None = None
    """Divides cosines in match (default 0.05) and scores of 0 to 1 in cosent (default 0.05)."""
    symmetric: bool | None = None
    """Whether the second text must find the first as well. Default: true."""
    mine: int | None = None
    """Hard negatives per row, found anew with the model as it stands before every epoch. Default: 0."""
    metric: MetricName | None = None
    """The score that the best checkpoint is chosen by. Default: accuracy (f1_micro for several labels),
    pearson, mrr; of a language task always the perplexity."""
    masking: float | None = None
    """The share of tokens that is hidden. Default: 0.15."""
    whole_words: bool | None = None
    """Whether all pieces of a word are hidden together. Default: false."""
    next_sentence: bool | None = None
    """Whether it is also told if a text follows another in the file. Default: false."""

    def __post_init__(self) -> None:
        self._check_columns()
        self._check_kind()
        if self.kind != "language":  # which has one head, and no choice of it
            self._check_head()
        self._check_numbers()
        self._check_range()

    def _check_columns(self) -> None:
        roles, more = ROLES[self.kind], OPTIONAL_ROLES.get(self.kind, ())
        for role in self.columns:
            if role not in roles + more:
                near = did_you_mean(role, roles + more)
                known = _listed(roles or more)
                raise TenorError(f"columns names {role!r}, but {self.kind!r} reads {known}.{near}")
        missing = [role for role in roles if role not in self.columns]
        if missing:
            raise TenorError(f"columns does not say where {_listed(missing)} stands; {self.kind!r} needs it.")
        if any(isinstance(column, int) and column < 0 for column in self.columns.values()):
            raise TenorError("columns holds a negative number; columns are counted from 0.")

    def _check_kind(self) -> None:
        for key, kinds in _ONLY.items():
            if getattr(self, key) is not None and self.kind not in kinds:
                raise TenorError(
                    f"{key} is for {_listed(kinds, 'or')} tasks; this one is of the kind {self.kind!r}."
                )
        if self.metric is not None and self.metric not in METRICS[self.kind]:
            known = ", ".join(METRICS[self.kind])
            raise TenorError(f"metric is {self.metric!r}, but a {self.kind!r} task has {known}.")
        if self.calibrate:
            for key in ("multi_label", "share"):
                if getattr(self, key) is not None:
                    raise TenorError(f"calibrate cannot be asked for beside {key}; leave one of them out.")
            if self.dev is None:
                raise TenorError("calibrate is fitted to dev rows, but the task has no dev file; give one.")
        if self.temperature is not None and self.kind == "similarity" and self.loss != "cosent":
            raise TenorError('temperature is for the loss "cosent" only.')
        if self.loss == "cross_entropy" and self.share is None:
            if (self.head or HEADS[self.kind][0]) in ("cosine", "affine") and self.encoding != "joint":
                raise TenorError(
                    'the loss "cross_entropy" needs a head with a sigmoid, such as head = "mlp".'
                )
            if self.output == "linear":
                raise TenorError('the loss "cross_entropy" is for output = "sigmoid".')

    def _check_head(self) -> None:
        if self.share is not None and (given := [key for key in _OF_HEAD if getattr(self, key) is not None]):
            raise TenorError(
                f"{given[0]} cannot be chosen beside share: the whole head is that of {self.share!r}."
            )
        joint = self.encoding == "joint"
        heads = JOINT_HEADS if joint else HEADS[self.kind]
        if self.head is not None and self.head not in heads:
            what = "two texts encoded jointly" if joint else f"a {self.kind!r} task"
            raise TenorError(f"head is {self.head!r}, but {what} can have {', '.join(heads)}.")
        head = self.head or heads[0]
        if head not in JOINT_HEADS and self.share is None:
            for key in ("features", "hidden", "blocks", "dropout", "output"):
                if getattr(self, key) is not None:
                    raise TenorError(
                        f"{key} is not for the head {head!r}; choose head = 'mlp', for instance."
                    )
        if self.blocks is not None and head != "residual":
            raise TenorError(f"blocks is for the head 'residual', not {head!r}.")
        self._check_features(joint=joint)
        if self.pooling is not None:
            try:
                PoolingConfig.parse(self.pooling)
            except TenorError as error:
                raise TenorError(f"pooling is not understood: {error}") from error

    def _check_features(self, *, joint: bool) -> None:
        if self.features is not None and "whole" in self.features and not joint:
            raise TenorError("the feature 'whole' is for two texts encoded jointly: encoding = 'joint'.")
        if self.both_orders and not joint:
            raise TenorError("both_orders is for two texts encoded jointly: encoding = 'joint'.")
        if self.features is not None and len(set(self.features)) != len(self.features):
            raise TenorError("features names one of them twice.")
        if self.features == () and not joint:
            raise TenorError("features is empty; name at least one, such as 'abs'.")

    def _check_numbers(self) -> None:
        for name, least in (("batch", 1), ("hidden", 1), ("blocks", 0), ("mine", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise TenorError(f"{name} is {value}; it must be at least {least}.")
        for name in ("dropout", "smoothing"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < 1:
                raise TenorError(f"{name} is {value}; it must be at least 0 and below 1.")
        if self.masking is not None and not 0 < self.masking < 1:
            raise TenorError(f"masking is {self.masking}; it must be above 0 and below 1.")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise TenorError(f"weight is {self.weight}; it must be a number of at least 0.")
        for name in ("temperature", "scale"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise TenorError(f"{name} is {value}; it must be above 0.")
        if self.labels is not None and (len(set(self.labels)) != len(self.labels) or len(self.labels) < 2):
            raise TenorError("labels must name at least two labels, each once.")
        if self.multi_label == "":
            raise TenorError("multi_label is empty; it is what separates two labels, such as '|'.")

    def _check_range(self) -> None:
        if self.range is not None:
            low, high = self.range
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise TenorError(f"range is {list(self.range)}; it must be a lower and a higher number.")
            if self.scale is not None:
                raise TenorError("scale is short for a range from 0; give only one of the two.")


def _listed(names: tuple[str, ...] | list[str], last: str = "and") -> str:
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
