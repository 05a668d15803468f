"""Small data for the recipes about word vectors, in the formats of their files, and a context for cells."""

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tenor.recipes.recipe import Cell, Recipe
from tenor.words import WordVectors

WORDS = [f"w{number}" for number in range(60)]
STOP_WORDS = WORDS[:12]
QUESTIONS = {
    "capitals": 8,
    "cities": 4,
    "currencies": 4,
    "families": 4,
    "states": 4,
    "plurals": 6,
    "tenses": 6,
}
SEMANTIC = 24  # of the first five categories


@dataclass
class StubContext:
    """What a cell needs of its run: data, settings, seed, and folders that are made when needed."""

    work: Path
    data: Path | None = None
    seed: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    made: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def folder(self, name: str) -> Path:
        assert self.data is not None
        return self.data / name

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def shared(self, name: str, make: Callable[[Path], None], *, settings: Mapping[str, Any]) -> Path:
        self.made.append((name, dict(settings)))
        folder = self.work / f"{name}-{len(self.made)}"
        folder.mkdir(parents=True)
        make(folder)
        return folder

    def progress(self, done: int, total: int) -> None:
        pass


def cells_of(recipe: Recipe) -> dict[str, Cell]:
    """Return all cells of a recipe's plans by name; the full plan's where several have one of that name."""
    return {cell.name: cell for plan in recipe.scales.values() for cell in plan.cells}


def random_vectors(
    seed: int = 0, *, size: int = 6, words: list[str] | None = None, counts: bool = True
) -> WordVectors:
    """Make random vectors of the words that the data sets use."""
    names = WORDS if words is None else words
    rng = np.random.default_rng(seed)
    # Below 100 a word is too rare for the function words of fuzzy-words.
    number = np.arange(len(names), 0, -1) * 10 + 50
    return WordVectors(names, rng.standard_normal((len(names), size)), number if counts else None)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
