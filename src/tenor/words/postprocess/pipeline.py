"""Several methods one after the other, from a TOML file.

    [[step]]
    method = "unit"

    [[step]]
    method = "all-but-the-top"
    components = 3

Every step is fitted on what the step before it made. A saved pipeline is a folder with one numbered folder
per step, each as its method saves itself.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from tenor.errors import TenorError
from tenor.files import atomic_folder, read_json, why, write_json
from tenor.words.postprocess.method import SETTINGS, Method
from tenor.words.postprocess.table import load_method, method_named
from tenor.words.vectors import WordVectors

PIPELINE = "pipeline.json"


class Pipeline:
    """Methods that are fitted and applied in order.

    >>> from tenor.words.postprocess.normalise import Centre, Unit
    >>> vectors = WordVectors(["a", "b"], [[3, 4], [5, 12]])
    >>> made = Pipeline([Unit(), Centre()]).fit_transform(vectors)
    >>> abs(made.vectors.mean(axis=0)).round(3).tolist()
    [0.0, 0.0]
    """

    def __init__(self, steps: Sequence[Method]) -> None:
        if not steps:
            raise TenorError("A pipeline needs at least one step.")
        self.steps = list(steps)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a TOML file of steps; an unknown method or setting is told by the nearest known one."""
        try:
            content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise TenorError(f"Cannot read {path}: {why(error)}.") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise TenorError(f"{path} is not valid TOML ({error}).") from error
        steps = content.pop("step", None)
        if content or not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
            raise TenorError(f"{path} must hold [[step]] tables and nothing else, each with a method.")
        made = []
        for number, step in enumerate(steps, 1):
            name = step.pop("method", None)
            if not isinstance(name, str):
                raise TenorError(f'{path}: step {number} has no method; write method = "unit", for instance.')
            made.append(method_named(name).with_settings(step, where=f"{path}: step {number}"))
        return cls(made)

    def fit(self, vectors: WordVectors) -> Self:
        """Fit every step on what the steps before it make of the vectors."""
        self.fit_transform(vectors)
        return self

    def transform(self, vectors: WordVectors) -> WordVectors:
        """Apply all steps."""
        for step in self.steps:
            vectors = step.transform(vectors)
        return vectors

    def fit_transform(self, vectors: WordVectors) -> WordVectors:
        """Fit and apply all steps, each once."""
        for step in self.steps:
            vectors = step.fit_transform(vectors)
        return vectors

    def save(self, folder: str | Path) -> None:
        """Write all steps to a new folder."""
        names = [f"{number}-{step.name}" for number, step in enumerate(self.steps, 1)]
        with atomic_folder(folder) as aside:
            write_json(aside / PIPELINE, {"format": 1, "steps": names})
            for name, step in zip(names, self.steps, strict=True):
                step.save(aside / name)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Open a folder that ``save`` wrote, or that of a single method."""
        folder = Path(folder)
        if (folder / SETTINGS).is_file():
            return cls([load_method(folder)])
        content = read_json(folder / PIPELINE)
        names = content.get("steps") if isinstance(content, dict) else None
        if not isinstance(names, list) or not all(_is_plain(name) for name in names):
            raise TenorError(f"{folder / PIPELINE} must list the folders of its steps.")
        return cls([load_method(folder / name) for name in names])


def read_options(method: str, options: Sequence[str]) -> Pipeline:
    """Make a pipeline of one method from options of a command line.

    >>> read_options("whiten", ["--components", "2", "--epsilon=0.1"]).steps[0].settings()
    {'components': 2, 'epsilon': 0.1}
    """
    given: dict[str, str] = {}
    rest = list(options)
    while rest:
        option, equals, value = rest.pop(0).partition("=")
        if not option.startswith("--") or not (equals or rest):
            raise TenorError(f"{option!r} is not understood; write settings of {method} as --name value.")
        given[option.removeprefix("--").replace("-", "_")] = value if equals else rest.pop(0)
    return Pipeline([method_named(method).with_settings(given, where=f"--method {method}")])


def _is_plain(name: object) -> bool:
    return isinstance(name, str) and Path(name).name == name and "\\" not in name and "\0" not in name
