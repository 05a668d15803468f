"""Tenor: models that turn text into vectors which keep its meaning.

``import tenor`` is light: torch and the engines are imported when a model is loaded.
"""

from typing import TYPE_CHECKING, Any

from tenor.errors import TenorError
from tenor.version import VERSION as __version__

if TYPE_CHECKING:
    from tenor.model import Model, load

__all__ = ["Model", "TenorError", "__version__", "load"]


def __getattr__(name: str) -> Any:
    if name in ("load", "Model"):
        from tenor import model

        return getattr(model, name)
    raise AttributeError(f"module 'tenor' has no attribute {name!r}")
