"""The table of post-processing methods: a new method adds its row here."""

from collections.abc import Mapping
from pathlib import Path

from tenor.errors import TenorError, did_you_mean
from tenor.files import read_json
from tenor.words.postprocess.alpha_embedding import AlphaEmbedding
from tenor.words.postprocess.method import SETTINGS, Method
from tenor.words.postprocess.normalise import Centre, Unit, Whiten, ZScore
from tenor.words.postprocess.nth_order import NthOrder
from tenor.words.postprocess.principal import AllButTheTop, AllButTheTopReduced, PrincipalComponents

_ROWS: tuple[type[Method], ...] = (
    Unit,
    Centre,
    ZScore,
    Whiten,
    NthOrder,
    PrincipalComponents,
    AllButTheTop,
    AllButTheTopReduced,
    AlphaEmbedding,
)

METHODS: Mapping[str, type[Method]] = {row.name: row for row in _ROWS}


def method_named(name: str) -> type[Method]:
    """Return the class of a method, or say which one was probably meant."""
    if name in METHODS:
        return METHODS[name]
    hint = did_you_mean(name, METHODS) or f" There are: {', '.join(METHODS)}."
    raise TenorError(f"There is no post-processing method {name!r}.{hint}")


def load_method(folder: str | Path) -> Method:
    """Open a saved method of any kind."""
    written = read_json(Path(folder) / SETTINGS)
    name = written.get("method") if isinstance(written, dict) else None
    if not isinstance(name, str):
        raise TenorError(f"{Path(folder) / SETTINGS} does not say which method it is.")
    return method_named(name).load(folder)
