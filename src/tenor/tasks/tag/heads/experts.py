"""``experts``: a mixture of entity experts with a supervised gate (Liu et al., 2020).

There is one expert for each type of entity and one for no entity; for plain tags, one for each tag. The gate
learns the type of each word by cross-entropy, beside the loss of the labels, and its weights are part of the
predictions: "PER 0.5, ORG 0.4" for a word. Labels are decoded as by ``crf`` for spans, else by softmax.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tenor.tasks.tag.heads.emissions import emission_shapes
from tenor.tasks.tag.heads.head import Floats, HeadType, linear_shapes

if TYPE_CHECKING:
    from tenor.tasks.tag.heads.module import TagHead
    from tenor.tasks.tag.kind import TagSpec

OUTSIDE = "O"


def expert_names(spec: "TagSpec") -> tuple[str, ...]:
    """Return what each expert stands for: no entity, then the types; the tags where they are plain."""
    return (OUTSIDE, *spec.labels_shown) if spec.spans else spec.labels


def expert_of(spec: "TagSpec") -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the expert of every label [k]."""
    names = {name: number for number, name in enumerate(expert_names(spec))}
    types = (label.partition("-")[2] or OUTSIDE if spec.spans else label for label in spec.labels)
    return np.array([names[each] for each in types], dtype=np.int64)


class ExpertsType(HeadType):
    """Experts of entity types, mixed by a gate that learns the types."""

    name = "experts"
    about = "a mixture of one expert for each type of entity, whose gate is supervised"
    keys = ("expert_size", "gate_weight")

    def weight_shapes(self, spec: "TagSpec", hidden_size: int) -> Mapping[str, tuple[int, ...]]:
        """Return the weights of experts, gate and what reads their mixture."""
        count = len(expert_names(spec))
        return {
            **linear_shapes("mixture.experts", hidden_size, count * spec.expert_size),
            **linear_shapes("mixture.gate", hidden_size, count),
            **{
                f"labels.{name}": shape
                for name, shape in emission_shapes(spec, spec.expert_size, crf=spec.spans).items()
            },
        }

    def build(self, spec: "TagSpec", hidden_size: int) -> "TagHead":
        """Build experts and gate."""
        from tenor.tasks.tag.heads.experts_module import ExpertsHead

        return ExpertsHead(spec, hidden_size)

    def gates(self, spec: "TagSpec", row: Floats) -> tuple[dict[str, float], ...]:
        """Return the weight of each expert for every word."""
        names = expert_names(spec)
        weights = row[:, 1 + len(spec.labels) :].tolist()
        return tuple(dict(zip(names, word, strict=True)) for word in weights)
