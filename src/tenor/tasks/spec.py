"""A task with nothing left open: what its head is, which labels or scores it gives; free of files and torch.

A run file may leave most of it to the data (labels, range) and to defaults. What was settled is written into
the model folder (``tenor.json``), and the heads in torch and in numpy are both built from it.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin

from tenor.errors import TenorError, did_you_mean
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.config import (
    HEADS,
    JOINT_HEADS,
    METRICS,
    Encoding,
    Feature,
    Head,
    Kind,
    Loss,
    MetricName,
    Output,
    TaskConfig,
)
from tenor.tasks.sharing import check_share
from tenor.text.examples import Pair, Sentence

_SYMMETRIC: tuple[Feature, ...] = ("abs", "product", "cosine")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """What a task predicts and with which head.

    >>> spec = TaskSpec(kind="pair", labels=("0", "1"), features=("abs", "cosine", "jaccard"))
    >>> spec.inputs(width=8), spec.outputs
    (10, 1)
    """

    kind: Kind
    labels: tuple[str, ...] = ()
    separator: str | None = None
    """Between the labels of a text that may have several."""
    range: tuple[float, float] = (0.0, 1.0)
    head: Head = "linear"
    features: tuple[Feature, ...] = ()
    hidden: int | None = None
    blocks: int = 2
    dropout: float = 0.1
    encoding: Encoding = "siamese"
    both_orders: bool = False
    """Whether two texts encoded jointly are seen in both orders, and the numbers averaged."""
    pooling: str | None = None
    share: str | None = None
    output: Output = "linear"
    loss: Loss = "mse01"
    temperature: float = 0.05
    symmetric: bool = True
    smoothing: float = 0.0
    balanced: bool = False
    mine: int = 0
    metric: MetricName = "accuracy"
    points: tuple[tuple[float, float], ...] = ()
    """For a cosine fitted to people's scores: a line from cosine to score through these points."""

    @property
    def sides(self) -> Literal[1, 2]:
        """How many texts of a row are encoded by themselves."""
        return 2 if self.kind != "classify" and self.encoding == "siamese" else 1

    @property
    def apart(self) -> bool:
        """Whether two texts that are encoded as one sequence have a vector each, of their own tokens."""
        return self.encoding == "joint" and any(feature != "jaccard" for feature in self.features)

    @property
    def outputs(self) -> int:
        """How many numbers the head gives: one for a score or a yes-or-no, else one per label."""
        return len(self.labels) if self.kind == "classify" or len(self.labels) > 2 else 1

    def inputs(self, width: int) -> int:
        """How many numbers the head reads where a text's vector has ``width``."""
        if self.sides == 1 and not self.apart:
            return width + len(self.features)
        single = sum(feature in ("cosine", "jaccard") for feature in self.features)
        return width * (len(self.features) - single) + single

    def own_pooling(self, model: PoolingConfig) -> PoolingConfig:
        """Return the pooling that the head reads, the model's where it has none of its own."""
        return model if self.pooling is None else PoolingConfig.parse(self.pooling)

    def reads_default(self, model: PoolingConfig) -> bool:
        """Whether the head reads nothing but the vectors that the model gives for single texts."""
        return self.encoding == "siamese" and self.own_pooling(model) == model

    def to_json(self) -> dict[str, Any]:
        """Return what differs from the defaults."""
        told = asdict(self)
        return {
            each.name: told[each.name]
            for each in fields(self)
            if each.name == "kind" or getattr(self, each.name) != each.default
        }

    @classmethod
    def from_json(cls, table: Any, *, where: str) -> "TaskSpec":
        """Read what ``to_json`` wrote, trusting nothing."""
        if not isinstance(table, dict):
            raise TenorError(f"{where} must be a table of settings, not {str(table)[:60]!r}.")
        hints = {each.name: each.type for each in fields(cls)}
        for key, value in table.items():
            if key not in hints:
                raise TenorError(f"{where} has an unknown setting {key!r}.{did_you_mean(key, hints)}")
            if not _fits(value, hints[key]):
                raise TenorError(f"{where}: {key} is {str(value)[:60]!r}, which is not understood.")
        if "kind" not in table:
            raise TenorError(f"{where} does not say its kind.")
        spec = cls(**{key: _tuples(value) for key, value in table.items()})
        spec.check(where)
        return spec

    def check(self, where: str) -> None:
        """Refuse settings that no head could be built from."""
        heads = JOINT_HEADS if self.encoding == "joint" else HEADS[self.kind]
        wrong = None
        if self.head not in heads:
            wrong = f"a {self.kind} task has no head {self.head!r}"
        elif self.kind in ("classify", "pair") and (
            len(self.labels) < 2 or len(set(self.labels)) != len(self.labels)
        ):
            wrong = "it needs at least two different labels"
        elif self.metric not in METRICS[self.kind]:
            wrong = f"a {self.kind} task has no score {self.metric!r}"
        elif not (all(map(math.isfinite, self.range)) and self.range[0] < self.range[1]):
            wrong = f"the range {self.range} is empty"
        elif self.blocks < 0 or self.blocks > 1000 or not 0 < (self.hidden or 1) <= 1 << 16:
            wrong = "the size of the head makes no sense"
        elif self.sides == 2 and self.head in JOINT_HEADS and self.share is None and not self.features:
            wrong = "the head has no features to read"
        elif self.loss == "cross_entropy" and (self.head in ("cosine", "affine") or self.output != "sigmoid"):
            wrong = "the loss cross_entropy needs a head with a sigmoid"
        elif self.both_orders and (self.encoding != "joint" or self.kind == "classify"):
            wrong = "only two texts encoded jointly have two orders"
        elif "whole" in self.features and self.encoding != "joint":
            wrong = "two texts by themselves have no sequence of both"
        if wrong is not None:
            raise TenorError(f"{where}: {wrong}.")
        if self.pooling is not None:
            PoolingConfig.parse(self.pooling)


def settle(config: TaskConfig, examples: Sequence[Sentence] | Sequence[Pair], *, name: str) -> TaskSpec:
    """Settle what a section of a run file leaves open, by defaults and by the examples to train on."""
    labels = _labels(config, examples, name) if config.kind in ("classify", "pair") else ()
    joint = config.encoding == "joint"
    head = config.head or (JOINT_HEADS if joint else HEADS[config.kind])[0]
    metric = config.metric or ("f1_micro" if config.multi_label else METRICS[config.kind][0])
    if metric == "f1" and len(labels) > 2:
        raise TenorError(
            f"Task {name}: the metric f1 is for two labels, here are {len(labels)}; use f1_macro."
        )
    features = config.features or ()
    if (
        config.features is None
        and not joint
        and head in JOINT_HEADS
        and config.kind in ("pair", "similarity")
    ):
        features = ("u", "v", *_SYMMETRIC) if len(labels) > 2 else _SYMMETRIC
    return TaskSpec(
        kind=config.kind,
        labels=labels,
        separator=config.multi_label,
        range=_range(config, examples, name) if config.kind == "similarity" else (0.0, 1.0),
        head=head,
        features=features,
        hidden=config.hidden,
        blocks=2 if config.blocks is None else config.blocks,
        dropout=0.1 if config.dropout is None else config.dropout,
        encoding=config.encoding or "siamese",
        both_orders=bool(config.both_orders),
        pooling=config.pooling,
        share=config.share,
        output=config.output or ("sigmoid" if config.kind == "similarity" else "linear"),
        loss=config.loss or "mse01",
        temperature=config.temperature or 0.05,
        symmetric=config.symmetric is not False,
        smoothing=config.smoothing or 0.0,
        balanced=bool(config.balanced),
        mine=config.mine or 0,
        metric=metric,
    )


def labels_of(example: Sentence | Pair, separator: str | None) -> list[str]:
    """Return the label of an example, or the labels that the separator parts.

    >>> from tenor.text.examples import Origin
    >>> labels_of(Sentence("…", Origin("a", 1), label="news | sport"), "|")
    ['news', 'sport']
    """
    label = (example.label or "").strip()
    if separator is None:
        return [label] if label else []
    return [part.strip() for part in label.split(separator) if part.strip()]


def _labels(config: TaskConfig, examples: Sequence[Sentence | Pair], name: str) -> tuple[str, ...]:
    found = Counter(label for each in examples for label in labels_of(each, config.multi_label))
    if config.labels is not None:
        return config.labels
    if len(found) < 2:
        only = next(iter(found), "")
        raise TenorError(
            f"Task {name}: every label is {only!r}; there is nothing to tell apart. At least two values are "
            f"needed in the column {config.columns.get('label')!r}."
        )
    return tuple(sorted(found, key=_in_order))


def _in_order(label: str) -> tuple[int, float, str]:
    """Sort numbers by value and before words."""
    try:
        number = float(label)
        return (0, number, label) if math.isfinite(number) else (1, 0.0, label)
    except ValueError:
        return (1, 0.0, label)


def _range(config: TaskConfig, examples: Sequence[Sentence | Pair], name: str) -> tuple[float, float]:
    if config.scale is not None:
        return (0.0, config.scale)
    if config.range is not None:
        return config.range
    scores = [each.score for each in examples if each.score is not None and math.isfinite(each.score)]
    if not scores or min(scores) == max(scores):
        found = f"every score is {scores[0]:g}" if scores else "there is no score"
        raise TenorError(
            f"Task {name}: {found}; scores must differ, or range = [lowest, highest] must be given."
        )
    # Whole numbers around what was found: a sample of a scale of 0 to 5 need not hold a 5.
    return (float(math.floor(min(scores))), float(math.ceil(max(scores))))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value out of JSON has the type of a field."""
    if get_origin(hint) is Literal:
        return value in get_args(hint) and isinstance(value, str)
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        if not isinstance(value, list) or (inner[-1] is not Ellipsis and len(value) != len(inner)):
            return False
        return all(_fits(each, inner[0]) for each in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if get_args(hint):  # a union with None
        return any(_fits(value, each) for each in get_args(hint) if each is not type(None))
    return isinstance(value, hint)


def joined(specs: Mapping[str, TaskSpec]) -> dict[str, TaskSpec]:
    """Give every task that shares a head the settings of the head that it shares, or say why it cannot."""
    found = {}
    for name, spec in specs.items():
        if spec.share is None:
            found[name] = spec
            continue
        check_share(name, spec.share, {task: each.share for task, each in specs.items()})
        other = specs[spec.share]
        if other.sides != 2 and other.encoding != "joint":
            raise TenorError(
                f"Task {name}: {spec.share!r} is about single texts; a pair cannot share its head."
            )
        if other.head in ("cosine", "affine"):
            raise TenorError(f"Task {name}: the head {other.head!r} of {spec.share!r} cannot be shared.")
        taken = ("head", "features", "hidden", "blocks", "dropout", "encoding", "both_orders", "pooling")
        shared = replace(spec, **{key: getattr(other, key) for key in taken})
        if shared.outputs != other.outputs:
            raise TenorError(
                f"Task {name}: its head would give {shared.outputs} numbers, that of {spec.share!r} gives "
                f"{other.outputs}; only a score and a yes-or-no can share a head, or tasks with equal labels."
            )
        found[name] = shared
    return found
