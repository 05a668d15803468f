"""What every post-processing method is: settings, something learnt from vectors, and a map of vectors.

A method is a dataclass whose fields are its settings; what it learns lies in ``learned``, arrays by name.
So every method is fitted, applied, saved (arrays as safetensors, settings as JSON) and loaded alike, and the
command line takes its options from the fields.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError, did_you_mean
from tenor.files import atomic_folder, read_json, write_json
from tenor.tensors import Stored, read_safetensors, write_safetensors
from tenor.words.vectors import Floats, WordVectors

SETTINGS, LEARNED = "method.json", "method.safetensors"
FORMAT = 1
_SPOKEN = {int: "a whole number", float: "a finite number", str: "a text", bool: "true or false"}
_STORED = {"float32": "F32", "float64": "F64", "int64": "I64"}


@dataclass(kw_only=True)
class Method(ABC):
    """A post-processing method; subclasses set ``name``, add settings as fields and write ``apply``.

    ``fit`` calls ``learn`` where there is something to learn. A method that needs counts or context vectors
    overrides ``fit`` and ``transform`` themselves.
    """

    name: ClassVar[str]
    learned: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    def learn(self, vectors: Floats) -> dict[str, NDArray[Any]]:
        """Learn from vectors [n, d] what ``apply`` needs, as arrays by name; nothing by default."""
        return {}

    @abstractmethod
    def apply(self, vectors: Floats) -> Floats:
        """Map vectors [n, d], not only those of the fit, to vectors [n, e]."""

    def fit(self, vectors: WordVectors) -> Self:
        """Learn from word vectors."""
        if not len(vectors):
            raise TenorError(
                f"There is no vector in {vectors.name}, so {self.name} has nothing to learn from."
            )
        refuse_unclean(vectors)
        self.learned = self.learn(vectors.vectors)
        return self

    def transform(self, vectors: WordVectors) -> WordVectors:
        """Map word vectors; a result that is not finite is refused, never handed on."""
        return vectors.replace(checked(self.apply(vectors.vectors), self.name))

    def fit_transform(self, vectors: WordVectors) -> WordVectors:
        """Learn from word vectors and map them."""
        return self.fit(vectors).transform(vectors)

    def settings(self) -> dict[str, Any]:
        """Return the settings by name, without what was learnt."""
        values = {name: getattr(self, name) for name in self.setting_names()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def save(self, folder: str | Path) -> None:
        """Write settings and what was learnt to a new folder."""
        with atomic_folder(folder) as aside:
            write_json(aside / SETTINGS, {"format": FORMAT, "method": self.name, **self.settings()})
            stored = {name: _stored(array) for name, array in self.learned.items()}
            write_safetensors(aside / LEARNED, stored)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Open a folder that ``save`` wrote; :func:`tenor.words.postprocess.load_method` finds the class."""
        folder = Path(folder)
        written = read_json(folder / SETTINGS)
        if not isinstance(written, dict) or written.get("method") != cls.name:
            raise TenorError(f"{folder / SETTINGS} does not describe the method {cls.name!r}.")
        written = {name: value for name, value in written.items() if name not in ("format", "method")}
        method = cls.with_settings(written, where=str(folder / SETTINGS))
        stored = read_safetensors(folder / LEARNED)
        method.learned = {name: np.array(tensor.bits) for name, tensor in stored.items()}
        return method

    @classmethod
    def with_settings(cls, given: dict[str, Any], *, where: str) -> Self:
        """Make a method from settings by name; an unknown one is an error that names the nearest.

        Values may be texts, as they come from the command line.
        """
        known = cls.setting_names()
        kinds = get_type_hints(cls)
        values = {}
        for name, value in given.items():
            if name not in known:
                hint = did_you_mean(name, known) or f" It has: {', '.join(known) or 'none'}."
                raise TenorError(f"{where}: {cls.name} has no setting {name!r}.{hint}")
            values[name] = _converted(value, kinds[name], f"{where}: {name}")
        return cls(**values)

    @classmethod
    def setting_names(cls) -> list[str]:
        """List the names of the settings."""
        return [entry.name for entry in fields(cls) if entry.name != "learned"]


def refuse_unclean(vectors: WordVectors) -> None:
    """Refuse word vectors with numbers that are not finite, from which nothing sensible is learnt."""
    bad = np.flatnonzero(~np.isfinite(vectors.vectors).all(axis=1))
    if len(bad):
        raise TenorError(
            f"{vectors.name} has numbers that are not finite in {len(bad):,} vectors, the first of them "
            f"that of {vectors.words[int(bad[0])]!r}; leave these words out first."
        )


def checked(vectors: Floats, what: str) -> Floats:
    """Return the vectors, or refuse them in a sentence where a number is not finite."""
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise TenorError(
            f"{what} gives numbers that are not finite for {len(bad):,} of {len(vectors):,} words "
            f"(the first is number {bad[0]:,}); choose milder settings, or clean the vectors first."
        )
    return vectors


def _converted(value: Any, kind: Any, where: str) -> Any:
    """Bring a value, perhaps a text, to the type of a setting, or say what was expected."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise TenorError(f"{where} is {value!r}; expected one of {', '.join(map(str, get_args(kind)))}.")
        return value
    kinds = get_args(kind) or (kind,)
    if value is None and NoneType in kinds:
        return None
    for one in kinds:
        if one is bool and value in (True, False, "true", "false"):
            return value in (True, "true")
        if one in (int, float, str) and not isinstance(value, bool) and isinstance(value, (one, int, str)):
            try:
                made = one(value)
            except ValueError:
                continue
            if one is not float or np.isfinite(made):
                return made
    names = " or ".join(_SPOKEN.get(one, str(one)) for one in kinds if one is not NoneType)
    raise TenorError(f"{where} is {value!r}; expected {names}.")


def _stored(array: NDArray[Any]) -> Stored:
    return Stored(_STORED[str(array.dtype)], np.ascontiguousarray(array))
