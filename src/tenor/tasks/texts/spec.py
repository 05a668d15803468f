"""What a head over one vector per text is: features, sizes, encoding; the same for torch and for numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.config import NETWORKS, Head, HeadConfig
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.config import Encoding, Feature, TwoTextsConfig

_SYMMETRIC: tuple[Feature, ...] = ("abs", "product", "cosine")
_MOST_BLOCKS, _LARGEST = 1_000, 1 << 16


@dataclass(frozen=True, kw_only=True)
class TextSpec(TaskSpec):
    """A head over the vectors of one text or two."""

    head: Head = "linear"
    features: tuple[Feature, ...] = ()
    hidden_size: int | None = None
    blocks: int = 2
    dropout: float = 0.1
    encoding: Encoding = "bi"
    symmetrize: bool = False
    """Whether a cross-encoder sees the two texts in both orders, and the outputs are averaged."""
    pooling: str | None = None
    share_head_with: str | None = None

    config: ClassVar[type[HeadConfig]] = HeadConfig
    """The settings that it is settled from."""

    @property
    def shares_head_of(self) -> str | None:
        """The task whose head this one uses."""
        return self.share_head_with

    @property
    def sides(self) -> Literal[1, 2]:
        """How many texts of a row are encoded by themselves."""
        return 2 if self.texts == 2 and self.encoding == "bi" else 1

    @property
    def apart(self) -> bool:
        """Whether two texts that are encoded as one sequence have a vector each, of their own tokens."""
        return self.encoding == "cross" and any(feature != "jaccard" for feature in self.features)

    @property
    def of_cosine(self) -> bool:
        """Whether the head is a function of the cosine of two vectors, not a network over features."""
        return self.head not in NETWORKS

    @property
    def outputs(self) -> int:
        """How many numbers the head gives."""
        return 1

    def inputs(self, size: int) -> int:
        """How many numbers the head reads where a text's vector has ``size``."""
        if self.sides == 1 and not self.apart:
            return size + len(self.features)
        single = sum(feature in ("cosine", "jaccard") for feature in self.features)
        return size * (len(self.features) - single) + single

    def own_pooling(self, model: PoolingConfig) -> PoolingConfig:
        """Return the pooling that the head reads, the model's where it has none of its own."""
        return model if self.pooling is None else PoolingConfig.parse(self.pooling)

    def reads_default(self, model: PoolingConfig) -> bool:
        """Whether the head reads nothing but the vectors that the model gives for single texts."""
        return self.encoding == "bi" and self.own_pooling(model) == model

    def predictions(self, raw: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return what people read for the head's outputs [n, o]: probabilities [n, labels], or scores [n]."""
        return np.asarray(raw, dtype=np.float64)

    def weight_shapes(self, hidden_size: int, *, pooling: PoolingConfig) -> Mapping[str, tuple[int, ...]]:
        """Return the weights of the head, by the names that they have in torch."""
        from tenor.tasks.heads.in_numpy import weight_shapes

        return weight_shapes(self, hidden_size * len(self.own_pooling(pooling).kinds), hidden_size)

    def wrong(self) -> str | None:
        """Say why no head could be built from these settings."""
        heads = self.config.heads if self.encoding == "bi" else NETWORKS
        if self.head not in heads:
            return f"a {self.kind} task has no head {self.head!r}"
        if self.metric not in self.config.metrics:
            return f"a {self.kind} task has no score {self.metric!r}"
        if not 0 <= self.blocks <= _MOST_BLOCKS or not 0 < (self.hidden_size or 1) <= _LARGEST:
            return "the size of the head makes no sense"
        if not 0 <= self.dropout < 1:
            return "dropout must be at least 0 and below 1"
        if self.sides == 2 and not self.of_cosine and self.share_head_with is None and not self.features:
            return "the head has no features to read"
        if self.symmetrize and (self.encoding != "cross" or self.texts == 1):
            return "only a cross-encoder of two texts has two orders"
        if "whole" in self.features and self.encoding != "cross":
            return "two texts by themselves have no sequence of both"
        if self.pooling is not None:
            PoolingConfig.parse(self.pooling)
        return None


def settled(config: HeadConfig, **own: Any) -> dict[str, Any]:
    """Return the fields of a ``TextSpec`` that a config settles, defaults put in, with a kind's ``own``."""
    head = config.head or config.head_choices[0]
    common: dict[str, Any] = {
        "metric": config.metric or config.metrics[0],
        "head": head,
        "hidden_size": config.hidden_size,
        "blocks": 2 if config.blocks is None else config.blocks,
        "dropout": 0.1 if config.dropout is None else config.dropout,
        "pooling": config.pooling,
    }
    if isinstance(config, TwoTextsConfig):
        common |= {
            "features": _features(config, head, own.get("labels", ())),
            "encoding": config.encoding or "bi",
            "symmetrize": bool(config.symmetrize),
            "share_head_with": config.share_head_with,
        }
    return common | own


def _features(config: TwoTextsConfig, head: Head, labels: Sequence[str]) -> tuple[Feature, ...]:
    if config.features is not None or config.cross or head not in NETWORKS:
        return config.features or ()
    return ("u", "v", *_SYMMETRIC) if len(labels) > 2 else _SYMMETRIC


def taken_over(spec: TextSpec, names: Sequence[str]) -> dict[str, Any]:
    """Return some fields of a specification, to be put into another."""
    known = {each.name for each in fields(spec)}
    return {name: getattr(spec, name) for name in names if name in known}
