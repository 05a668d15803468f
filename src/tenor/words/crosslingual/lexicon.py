"""A folder with two aligned languages: translate words in either direction by CSLS.

``source.safetensors`` and ``target.safetensors`` hold the vectors in the shared space. ``lexicon.tsv`` has
the best translation of the most frequent source words, ``nearness.safetensors`` the mean
similarity of every word to its nearest neighbours in the other language (the r of CSLS, computed once, as it
takes all words), ``alignment.json`` how it was made.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tenor.errors import TenorError
from tenor.files import atomic_folder, read_json, write_json
from tenor.progress import Progress
from tenor.tensors import Stored, read_safetensors, write_safetensors
from tenor.words.crosslingual.align import Aligned
from tenor.words.neighbours import Floats, mean_of_nearest, nearest
from tenor.words.vectors import WordVectors

FORMAT = 1
_INFO, _NEARNESS, _LEXICON = "alignment.json", "nearness.safetensors", "lexicon.tsv"
Direction = Literal["forward", "backward"]


@dataclass(frozen=True, slots=True)
class Translation:
    """A word of the other language; ``score`` is CSLS, 2 cos − r − r', and may lie below 0."""

    word: str
    score: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Two languages in one space, with the r of CSLS for each word [words]."""

    source: WordVectors
    target: WordVectors
    source_mean_similarity: Floats
    target_mean_similarity: Floats
    info: dict[str, Any]

    @classmethod
    def of(
        cls, aligned: Aligned, *, csls_k: int = 10, csls_words: int = 50_000, progress: Progress | None = None
    ) -> "Lexicon":
        """Compute the r of CSLS of all words, among the ``csls_words`` most frequent of the other language.

        ``progress`` is called with the number of words just done, of both languages together.
        """
        x, z = aligned.source.vectors, aligned.target.vectors
        source_mean_similarity = mean_of_nearest(x, z[:csls_words], csls_k, progress=progress)
        target_mean_similarity = mean_of_nearest(z, x[:csls_words], csls_k, progress=progress)
        info = {**aligned.report, "csls_k": csls_k, "csls_words": csls_words}
        return cls(aligned.source, aligned.target, source_mean_similarity, target_mean_similarity, info)

    @classmethod
    def load(cls, folder: str | Path) -> "Lexicon":
        """Open a folder that ``save`` wrote; vectors are mapped, not read."""
        folder = Path(folder)
        info = read_json(folder / _INFO)
        if not isinstance(info, dict) or info.get("format") != FORMAT:
            raise TenorError(
                f"{folder / _INFO} does not describe an alignment of format {FORMAT}; create the folder "
                "again with tenor words align."
            )
        source, target = (WordVectors.load(folder / f"{side}.safetensors") for side in ("source", "target"))
        near = read_safetensors(folder / _NEARNESS)
        sizes = {name: tensor.shape for name, tensor in near.items()}
        expected = {"source": (len(source),), "target": (len(target),)}
        if sizes != expected or source.vector_size != target.vector_size:
            raise TenorError(f"The files of {folder} do not belong together; create the folder again.")
        return cls(source, target, near["source"].to_float32(), near["target"].to_float32(), info)

    def save(
        self, folder: str | Path, *, lexicon_size: int = 20_000, progress: Progress | None = None
    ) -> None:
        """Write the folder; its table translates the ``lexicon_size`` most frequent source words."""
        with atomic_folder(folder) as aside:
            self.source.save(aside / "source.safetensors")
            self.target.save(aside / "target.safetensors")
            near = {"source": self.source_mean_similarity, "target": self.target_mean_similarity}
            stored = {name: Stored("F32", np.ascontiguousarray(rows)) for name, rows in near.items()}
            write_safetensors(aside / _NEARNESS, stored)
            write_json(aside / _INFO, {"format": FORMAT, **self.info})
            (aside / _LEXICON).write_text(self._table(lexicon_size, progress), encoding="utf-8")

    def translate(self, word: str, *, k: int = 5, direction: Direction = "forward") -> list[Translation]:
        """Return the ``k`` best words of the other language, best first.

        >>> one = WordVectors(["dog", "cat"], [[1, 0], [0, 1]])
        >>> two = WordVectors(["chat", "chien"], [[0, 1], [1, 0]])
        >>> [found.word for found in Lexicon.of(Aligned(one, two, {})).translate("dog", k=2)]
        ['chien', 'chat']
        """
        here, there, r_here, r_there = self._sides(direction)
        row = here.checked_indices([word])[0]
        vector = np.asarray(here.vectors[row : row + 1])
        found, scores = nearest(vector, there.vectors, min(k, len(there)), penalty=r_there / np.float32(2))
        translations = []
        for index, score in zip(found[0].tolist(), scores[0].tolist(), strict=True):
            cosine = score + float(r_there[index]) / 2
            csls = 2 * score - float(r_here[row])
            translations.append(Translation(there.words[index], csls, cosine))
        return translations

    def _sides(self, direction: Direction) -> tuple[WordVectors, WordVectors, Floats, Floats]:
        if direction == "forward":
            return self.source, self.target, self.source_mean_similarity, self.target_mean_similarity
        return self.target, self.source, self.target_mean_similarity, self.source_mean_similarity

    def _table(self, lexicon_size: int, progress: Progress | None) -> str:
        """Return source word, best target word, CSLS, and whether that word's best source is this one."""
        x, z = self.source.vectors[:lexicon_size], self.target.vectors
        r_source, r_target = self.source_mean_similarity, self.target_mean_similarity
        best, scores = nearest(x, z, 1, penalty=r_target / np.float32(2), progress=progress)
        chosen, at = np.unique(best[:, 0], return_inverse=True)
        back, _ = nearest(z[chosen], self.source.vectors, 1, penalty=r_source / np.float32(2))
        mutual = back[at, 0] == np.arange(len(x))
        lines = ["source\ttarget\tcsls\tmutual"]
        for row, (index, score) in enumerate(zip(best[:, 0].tolist(), scores[:, 0].tolist(), strict=True)):
            csls = 2 * score - float(r_source[row])
            pair = f"{_cell(self.source.words[row])}\t{_cell(self.target.words[index])}"
            lines.append(f"{pair}\t{csls:.4f}\t{'yes' if mutual[row] else 'no'}")
        return "\n".join(lines) + "\n"


def _cell(word: str) -> str:
    return " ".join(word.split())  # a tab inside a word would shift the columns
