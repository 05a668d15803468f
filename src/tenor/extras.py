"""Optional dependencies: imported when needed, and missed in a sentence that says how to get them."""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from tenor.errors import TenorError

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "fast": ("openvino",),
    "tables": ("pyarrow",),
    "excel": ("openpyxl",),
    "languages": ("py3langid",),
    "search": ("lancedb", "pyarrow"),
    "hub": ("huggingface_hub",),
    "words": ("gensim",),
    "serve": ("starlette", "uvicorn", "orjson", "httptools"),
    "spacy": ("spacy",),
    "sklearn": ("sklearn",),
    "mteb": ("mteb",),
}
"""The modules that each extra of the package brings; those for building Tenor itself are left out."""


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional module, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        top = module.partition(".")[0]
        raise TenorError(
            f"{purpose} needs the package {top!r}, which is not installed ({error}). "
            f"Install it with: pip install 'tenor[{extra}]'"
        ) from error


def keep_openvino_private() -> None:
    """Keep OpenVINO from reporting its use: merely importing it would call an analytics server, by a fork.

    Call it before the first import of openvino, which does without the package that is hidden here.
    """
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
