"""A model where a function takes one: opened already, or a name or folder to open it by."""

from pathlib import Path

from tenor.model.loading import load
from tenor.model.model import Model

ModelLike = Model | str | Path
"""A :class:`Model`, or what :func:`tenor.load` takes. Opening takes a moment: keep a model for many calls."""


def given_model(model: ModelLike) -> Model:
    """Return the model, opened if it is not yet."""
    return load(model) if isinstance(model, str | Path) else model
