"""Where entities are, whatever their type: the second task of a tagger (Liu et al., 2020), for training only.

Its labels follow from those of the tagger: ``O`` stays, every other tag loses its type (``B-PER`` becomes
``B-ENTITY``). A CRF of its own reads the same vectors of words.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tenor.tasks.tag.heads.emissions import emission_shapes

if TYPE_CHECKING:
    from tenor.tasks.tag.heads.module import EmissionHead
    from tenor.tasks.tag.kind import TagSpec

ENTITY = "ENTITY"


def untyped(tag: str) -> str:
    """Take the type out of a tag.

    >>> untyped("B-PER"), untyped("O"), untyped("B-ENTITY")
    ('B-ENTITY', 'O', 'B-ENTITY')
    """
    prefix, dash, _ = tag.partition("-")
    return f"{prefix}-{ENTITY}" if dash else tag


def boundary_spec(spec: "TagSpec") -> "TagSpec":
    """Return the specification of the task of boundaries: the same scheme with one type."""
    labels = tuple(dict.fromkeys(untyped(label) for label in spec.labels))
    return replace(spec, labels=labels, head="crf", boundary_weight=0.0)


def boundary_of(labels: Sequence[str], boundary_labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of the boundary label of every label [k]."""
    return np.array([boundary_labels.index(untyped(label)) for label in labels], dtype=np.int64)


def boundary_shapes(spec: "TagSpec", hidden_size: int) -> dict[str, tuple[int, ...]]:
    """Return the weights that a file holds of the task of boundaries."""
    shapes = emission_shapes(boundary_spec(spec), hidden_size, crf=True)
    return {f"boundaries.{name}": shape for name, shape in shapes.items()}


def build_boundaries(spec: "TagSpec", hidden_size: int) -> "EmissionHead":
    """Build the CRF of boundaries."""
    from tenor.tasks.tag.heads.module import EmissionHead

    return EmissionHead(boundary_spec(spec), hidden_size, crf=True)
