"""The static engine: one vector per token from a table, and their mean. No network, hence its speed.

The vector of a text with known tokens t1 … tn is (w(t1) E[m(t1)] + … + w(tn) E[m(tn)]) / n, of length 1 where
the folder asks for it. E is the table [rows, d]; the optional m (several tokens share a row) and w (a
weight per token) come with tables whose vocabulary was quantised. There is no limit of length, and there are
no special tokens.

Two libraries write such folders and differ in one thing: model2vec ("embeddings" in the file) leaves tokens
that the tokenizer does not know out of the mean, sentence-transformers ("embedding.weight") averages them in.
We do with each folder as its maker does. The table is memory-mapped, so that opening it costs next to
nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Floats, Precision
from tenor.encoders.stored import Stored, read_finite
from tenor.errors import TenorError
from tenor.files import read_json
from tenor.text.tokens import Ints, Tokens

_STRETCH = 256  # Tokens that are summed one after the other; longer texts are sums of stretches.


@dataclass(frozen=True, slots=True, eq=False)
class StaticEngine:
    """A table of token vectors and a mean, as an engine.

    ``unknown`` is the token that does not count.

    >>> engine = StaticEngine(np.array([[9, 9], [1, 0], [0, 2]], dtype=np.float32), unknown=0)
    >>> engine.vectors(Tokens.from_lists([[1, 2], [2, 0], []]))
    array([[0.5, 1. ],
           [0. , 2. ],
           [0. , 0. ]], dtype=float32)
    """

    table: NDArray[Any]  # [rows, width]: float32, float16 or int8
    mapping: NDArray[Any] | None = None  # [tokens] -> row
    weights: Floats | None = None  # [tokens]
    unknown: int | None = None
    normalized: bool = False

    @classmethod
    def load(cls, folder: str | Path, *, normalize: bool | None = None) -> "StaticEngine":
        """Open a folder with ``model.safetensors`` and ``tokenizer.json``.

        ``normalize`` says whether vectors get length 1; None leaves it to the folder's ``config.json``.
        """
        folder = Path(folder)
        path = folder / "model.safetensors"
        stored = read_finite(path)
        name = "embeddings" if "embeddings" in stored else "embedding.weight"
        if name not in stored:
            raise TenorError(f"{path} holds no table of token vectors ('embeddings' or 'embedding.weight').")
        tokens, unknown = read_vocabulary(folder / "tokenizer.json")
        engine = cls(
            table=_numbers(stored[name], f"{path}: {name!r}", axes=2),
            mapping=_mapping(stored, path),
            weights=_weights(stored, path),
            unknown=unknown if name == "embeddings" else None,
            normalized=_asks_for_length_one(folder) if normalize is None else normalize,
        )
        engine._check(tokens, path)
        return engine

    @property
    def name(self) -> str:
        """What does the arithmetic."""
        return "static"

    @property
    def precision(self) -> Precision:
        """The precision of the sums."""
        return "fp32"

    @property
    def width(self) -> int:
        """Length of a vector."""
        return int(self.table.shape[1])

    @property
    def layers(self) -> int:
        """There are none above the table."""
        return 0

    @property
    def token_budget(self) -> int:
        """The number of tokens whose vectors fit the CPU's cache."""
        return 8192

    def raw(self) -> "StaticEngine":
        """Return the same table with vectors that are never scaled to length 1."""
        return replace(self, normalized=False)

    def vectors(self, tokens: Tokens) -> Floats:
        """Average the vectors of each text's known tokens; a text without any gets zeros."""
        ids, starts = self._known(tokens)
        lengths = np.diff(starts)
        out = self._sums(ids, starts[:-1], lengths)
        out /= np.maximum(lengths, 1)[:, None].astype(np.float32)
        if self.normalized:
            out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), np.float32(1e-30))
        return out

    def states(self, tokens: Tokens, *, layers: Sequence[int]) -> list[Floats]:
        """Return each token's vector [T, width]; zeros for unknown ones. A layer can only be 0."""
        if missing := [layer for layer in layers if layer != 0]:
            raise TenorError(
                f"A static model has no layers above its table, so there are no states {missing[0]}."
            )
        states = self._rows(tokens.ids).astype(np.float32)
        if self.unknown is not None:
            states[tokens.ids == self.unknown] = 0
        return [states] * len(layers)

    def vectors_and_states(self, tokens: Tokens, *, layers: Sequence[int]) -> tuple[Floats, list[Floats]]:
        """Return the vectors of the texts and those of their tokens."""
        return self.vectors(tokens), self.states(tokens, layers=layers)

    def _known(self, tokens: Tokens) -> tuple[Ints, NDArray[np.int64]]:
        """Return ids and starts without the unknown tokens."""
        if self.unknown is None or np.all(known := tokens.ids != self.unknown):
            return tokens.ids, tokens.starts
        counted = np.concatenate([[0], np.cumsum(known)])
        return tokens.ids[known], counted[tokens.starts]

    def _sums(self, ids: Ints, begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
        """Sum the vectors of each text [n, width].

        All texts advance together, one token per step, longest first: a step is one gather and one addition
        on a block that stays in the cache, which is several times faster than reducing ragged stretches in
        numpy. The order of additions within a text is always the same, whatever else is in the batch.
        """
        if len(ids) and lengths.max() > _STRETCH:
            return self._sums_of_stretches(ids, begins, lengths)
        order = np.argsort(-lengths, kind="stable")
        begins, falling = begins[order], lengths[order]
        sums = np.zeros((len(lengths), self.width), dtype=np.float32)
        for step in range(int(falling[0]) if len(falling) else 0):
            count = int(np.searchsorted(-falling, -step, side="left"))  # texts with more than `step` tokens
            sums[:count] += self._rows(ids[begins[:count] + step])
        out = np.empty_like(sums)
        out[order] = sums
        return out

    def _sums_of_stretches(self, ids: Ints, begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
        counts = np.maximum(1, -(-lengths // _STRETCH))
        firsts = np.cumsum(counts) - counts
        skipped = _STRETCH * (np.arange(counts.sum()) - np.repeat(firsts, counts))
        part = np.minimum(_STRETCH, np.repeat(lengths, counts) - skipped)
        sums = self._sums(ids, np.repeat(begins, counts) + skipped, part)
        return np.asarray(np.add.reduceat(sums, firsts, axis=0), dtype=np.float32)

    def _rows(self, ids: Ints) -> NDArray[Any]:
        rows: NDArray[Any] = self.table[ids if self.mapping is None else self.mapping[ids]]
        return rows if self.weights is None else rows * self.weights[ids, None]

    def _check(self, tokens: int, path: Path) -> None:
        """Make sure that every token of the vocabulary leads to a row, so that no text can lead outside."""
        rows = len(self.table)
        if self.mapping is not None:
            if self.mapping.size and not 0 <= self.mapping.min() <= self.mapping.max() < rows:
                raise TenorError(f"{path}: 'mapping' leads outside the {rows:,} rows of the table.")
            rows = len(self.mapping)
        if self.weights is not None:
            rows = min(rows, len(self.weights))
        if rows < tokens:
            raise TenorError(f"{path} has vectors for {rows:,} tokens, but tokenizer.json knows {tokens:,}.")


def _numbers(stored: Stored, where: str, *, axes: int) -> NDArray[Any]:
    if stored.bits.ndim != axes or 0 in stored.shape:
        raise TenorError(
            f"{where} has the shape {stored.shape}; {axes} axes, none of them empty, are expected."
        )
    if stored.format in ("F32", "F16", "I8"):  # Added to float32 sums as they are.
        return stored.bits
    if stored.format == "F64":
        return stored.bits.astype(np.float32)
    return stored.to_float32()


def _mapping(stored: Mapping[str, Stored], path: Path) -> NDArray[Any] | None:
    if "mapping" not in stored:
        return None
    mapping = stored["mapping"].bits
    if mapping.ndim != 1 or not np.issubdtype(mapping.dtype, np.integer):
        raise TenorError(f"{path}: 'mapping' must be one row number per token.")
    return mapping


def _weights(stored: Mapping[str, Stored], path: Path) -> Floats | None:
    if "weights" not in stored:
        return None
    return _numbers(stored["weights"], f"{path}: 'weights'", axes=1).astype(np.float32)


def read_vocabulary(path: Path) -> tuple[int, int | None]:
    """Return how many ids a tokenizer can give, and the one that stands for what it does not know."""
    content = read_json(path)
    try:
        model, added = content["model"], {entry["content"]: entry["id"] for entry in content["added_tokens"]}
        if isinstance(model["vocab"], list):  # Unigram: the place in the list is the id.
            return max([len(model["vocab"]) - 1, *added.values()]) + 1, model.get("unk_id")
        ids: dict[str, int] = model["vocab"] | added
        return max(ids.values()) + 1, ids.get(model.get("unk_token") or "")
    except (KeyError, TypeError, ValueError) as error:
        raise TenorError(f"{path} is not a tokenizer of the `tokenizers` library ({error!r}).") from error


def _asks_for_length_one(folder: Path) -> bool:
    path = folder / "config.json"
    config = read_json(path) if path.is_file() else {}
    return isinstance(config, dict) and config.get("normalize") is True
