"""A folder with two aligned languages: look words up in either direction, by CSLS, at once.

``source.safetensors`` and ``target.safetensors`` hold the vectors in the shared space. ``lexicon.tsv`` has
the best translation of the most frequent source words, ``nearness.safetensors`` how near every word is to the
other language on average (the r of CSLS, computed once, as it takes all words), ``alignment.json`` how it was
made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tenor.errors import TenorError
from tenor.files import atomic_folder, read_json, write_json
from tenor.tensors import Stored, read_safetensors, write_safetensors
from tenor.words.crosslingual.align import Aligned
from tenor.words.neighbours import Floats, mean_of_nearest, nearest
from tenor.words.vectors import WordVectors

FORMAT = 1
_INFO, _NEARNESS, _LEXICON = "alignment.json", "nearness.safetensors", "lexicon.tsv"
Way = Literal["forward", "backward"]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Translation:
    """A word of the other language; ``score`` is CSLS, 2 cos − r − r', and may lie below 0."""

    word: str
    score: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Two languages in one space, with each word's nearness to the other language [words]."""

    source: WordVectors
    target: WordVectors
    source_near: Floats
    target_near: Floats
    info: dict[str, Any]

    @classmethod
    def of(
        cls, aligned: Aligned, *, csls_k: int = 10, csls_words: int = 50_000, progress: Progress | None = None
    ) -> "Lexicon":
        """Compute the nearness of all words, among the ``csls_words`` most frequent of the other language.

        ``progress`` is told the number of words done, of both languages together.
        """
        x, z = aligned.source.vectors, aligned.target.vectors
        source_near = mean_of_nearest(x, z[:csls_words], csls_k, progress=progress)
        target_near = mean_of_nearest(z, x[:csls_words], csls_k, progress=progress)
        info = {**aligned.report, "csls_k": csls_k, "csls_words": csls_words}
        return cls(aligned.source, aligned.target, source_near, target_near, info)

    @classmethod
    def load(cls, folder: str | Path) -> "Lexicon":
        """Open a folder that ``save`` wrote; vectors are mapped, not read."""
        folder = Path(folder)
        info = read_json(folder / _INFO)
        if not isinstance(info, dict) or info.get("format") != FORMAT:
            raise TenorError(
                f"{folder / _INFO} does not describe an alignment of format {FORMAT}; make the folder anew "
                "with tenor words align."
            )
        source, target = (WordVectors.load(folder / f"{side}.safetensors") for side in ("source", "target"))
        near = read_safetensors(folder / _NEARNESS)
        sizes = {name: tensor.shape for name, tensor in near.items()}
        if sizes != {"source": (len(source),), "target": (len(target),)} or source.width != target.width:
            raise TenorError(f"The files of {folder} do not belong together; make the folder anew.")
        return cls(source, target, near["source"].to_float32(), near["target"].to_float32(), info)

    def save(self, folder: str | Path, *, words: int = 20_000, progress: Progress | None = None) -> None:
        """Write the folder, with the translations of the ``words`` most frequent source words as a table."""
        with atomic_folder(folder) as aside:
            self.source.save(aside / "source.safetensors")
            self.target.save(aside / "target.safetensors")
            near = {"source": self.source_near, "target": self.target_near}
            stored = {name: Stored("F32", np.ascontiguousarray(rows)) for name, rows in near.items()}
            write_safetensors(aside / _NEARNESS, stored)
            write_json(aside / _INFO, {"format": FORMAT, **self.info})
            (aside / _LEXICON).write_text(self._table(words, progress), encoding="utf-8")

    def translate(self, word: str, *, k: int = 5, way: Way = "forward") -> list[Translation]:
        """Return the ``k`` best words of the other language, best first.

        >>> one = WordVectors(["dog", "cat"], [[1, 0], [0, 1]])
        >>> two = WordVectors(["chat", "chien"], [[0, 1], [1, 0]])
        >>> [found.word for found in Lexicon.of(Aligned(one, two, {})).translate("dog", k=2)]
        ['chien', 'chat']
        """
        here, there, near_here, near_there = self._sides(way)
        row = here.numbers([word])[0]
        vector = np.asarray(here.vectors[row : row + 1])
        found, scores = nearest(vector, there.vectors, min(k, len(there)), penalty=near_there / np.float32(2))
        translations = []
        for number, score in zip(found[0].tolist(), scores[0].tolist(), strict=True):
            cosine = score + float(near_there[number]) / 2
            csls = 2 * score - float(near_here[row])
            translations.append(Translation(there.words[number], csls, cosine))
        return translations

    def _sides(self, way: Way) -> tuple[WordVectors, WordVectors, Floats, Floats]:
        if way == "forward":
            return self.source, self.target, self.source_near, self.target_near
        return self.target, self.source, self.target_near, self.source_near

    def _table(self, words: int, progress: Progress | None) -> str:
        """Return source word, best target word, CSLS, and whether that word's best source is this one."""
        x, z = self.source.vectors[:words], self.target.vectors
        best, scores = nearest(x, z, 1, penalty=self.target_near / np.float32(2), progress=progress)
        chosen, at = np.unique(best[:, 0], return_inverse=True)
        back, _ = nearest(z[chosen], self.source.vectors, 1, penalty=self.source_near / np.float32(2))
        mutual = back[at, 0] == np.arange(len(x))
        lines = ["source\ttarget\tcsls\tmutual"]
        for row, (number, score) in enumerate(zip(best[:, 0].tolist(), scores[:, 0].tolist(), strict=True)):
            csls = 2 * score - float(self.source_near[row])
            pair = f"{_cell(self.source.words[row])}\t{_cell(self.target.words[number])}"
            lines.append(f"{pair}\t{csls:.4f}\t{'yes' if mutual[row] else 'no'}")
        return "\n".join(lines) + "\n"


def _cell(word: str) -> str:
    return " ".join(word.split())  # a tab inside a word would shift the columns
