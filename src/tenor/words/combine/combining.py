"""Meta-embeddings: several word embeddings combined into one.

Of a word's vectors x_1 … x_m in m sources, with the maps A_a = B^½ U_a of an alignment:

    avg   mean of x_a            geo-avg   mean of A_a x_a            d dimensions
    conc  concatenation of x_a   geo-conc  concatenation of A_a x_a   m·d dimensions

avg and conc are the geometric ones with A_a = I. `rotate-avg` and `rotate-conc` use rotations without a
metric (orthogonal Procrustes onto the first source), to show what the metric adds. Plain averages of sources
whose axes do not correspond mean little; concatenating does not mind.

Before, vectors are normalised (unit length by default); after, latent vectors are scaled to unit length by
default, so that no source dominates. C is chosen, when not given, by the
retrieval of held-out words in the other source: no benchmark is used.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError, did_you_mean
from tenor.words.combine.geometric import Alignment, Grams, padded, procrustes, solve
from tenor.words.combine.riemannian import descend
from tenor.words.neighbours import nearest, unit_rows
from tenor.words.vectors import WordVectors, intersection

CombineMethod = Literal["geo-avg", "geo-conc", "avg", "conc", "rotate-avg", "rotate-conc"]
METHODS: tuple[CombineMethod, ...] = get_args(CombineMethod)
Normalisation = Literal["none", "unit", "centre", "unit-dimension"]
Solver = Literal["auto", "exact", "riemannian"]
Table = NDArray[np.floating]
Rows = NDArray[np.float32]

C_GRID = (1.0, 10.0, 50.0, 100.0, 1000.0, 10_000.0)
_LARGEST_C = 1e8  # decades are added up to it while the largest C is the best
_ROWS_AT_ONCE = 16_384
_HELD_OUT = 2000  # words at most that choose C


@dataclass(frozen=True, slots=True, kw_only=True)
class CombineConfig:
    """How sources are combined."""

    method: CombineMethod = "geo-avg"
    c: float | None = None  # regularisation; None: chosen on held-out words
    normalize: tuple[Normalisation, ...] = ("unit",)  # steps for each source, in this order
    unit_latent: bool = True  # scale latent vectors to unit length before they are combined
    solver: Solver = "auto"
    seed: int = 0  # of the held-out words

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            hint = did_you_mean(self.method, METHODS) or f" There are {', '.join(METHODS)}."
            raise TenorError(f"There is no way of combining called {self.method!r}.{hint}")


@dataclass(frozen=True, slots=True, eq=False)
class Combined:
    """The vectors of the common words, and how they came about."""

    vectors: WordVectors
    alignment: Alignment | None  # None for avg and conc
    vocabulary_sizes: tuple[int, ...]  # of each source
    retrieval_by_c: dict[float, float] = field(default_factory=dict)
    """C -> share of held-out words that are retrieved in the other source, where C was chosen."""


def combine(
    sources: Sequence[WordVectors],
    config: CombineConfig | None = None,
    *,
    progress: Callable[[int], None] | None = None,
) -> Combined:
    """Combine two or more word embeddings into one of their common words.

    >>> a = WordVectors(["x", "y", "z"], [[1, 0], [0, 1], [1, 1]])
    >>> b = WordVectors(["z", "y", "x", "w"], [[1, 1], [1, 0], [0, 1], [1, 2]])  # the axes are exchanged
    >>> combined = combine([a, b], CombineConfig(c=1.0))
    >>> plain = combine([a, b], CombineConfig(method="avg"))
    >>> list(combined.vectors.words), round(plain.vectors.similarity("x", "y"), 2)
    (['x', 'y', 'z'], 1.0)
    >>> combined.vectors.similarity("x", "y") < 0
    True
    """
    config = config or CombineConfig()
    if len(sources) < 2:
        raise TenorError(f"Combining takes two sources or more; got {len(sources)}.")
    common = intersection(*sources)
    tables = [normalised(source.vectors, config.normalize, source.name) for source in common]
    found: dict[float, float] = {}
    alignment = None
    if config.method.startswith("rotate"):
        alignment = procrustes(Grams.of(tables))
    elif config.method.startswith("geo"):
        c = config.c
        if c is None:
            found = retrieval_by_c(tables, seed=config.seed)
            c = best_c(found)
        alignment = align(Grams.of(tables), c=c, solver=config.solver, progress=progress)
    rows = meta_embed(tables, alignment, config)
    made = WordVectors(common[0].words, rows, common[0].counts, name=config.method)
    return Combined(made, alignment, tuple(len(source) for source in sources), found)


def align(
    grams: Grams,
    *,
    c: float = 50.0,
    solver: Solver = "auto",
    steps: int = 300,
    progress: Callable[[int], None] | None = None,
) -> Alignment:
    """Solve the problem exactly for two sources, and by conjugate gradients for more, or when asked to."""
    if solver == "riemannian" or (solver == "auto" and len(grams.own) > 2):
        return descend(grams, c=c, steps=steps, progress=progress)
    return solve(grams, c=c)


def meta_embed(tables: Sequence[Table], alignment: Alignment | None, config: CombineConfig) -> Rows:
    """Average or concatenate the sources' latent vectors, block by block, to [n, d] or [n, m·d]."""
    width = max(table.shape[1] for table in tables)
    average = config.method.endswith("avg")
    rows = np.empty((len(tables[0]), width if average else width * len(tables)), dtype=np.float32)
    maps = [None] * len(tables) if alignment is None else list(alignment.maps())
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        block = slice(begin, begin + _ROWS_AT_ONCE)
        latent: list[Table] = [padded(table[block], width) for table in tables]
        latent = [one if by is None else one @ by.T for one, by in zip(latent, maps, strict=True)]
        if config.unit_latent:
            latent = [_unit(one) for one in latent]
        rows[block] = np.mean(latent, axis=0) if average else np.concatenate(latent, axis=1)
    return rows


def normalised(vectors: Rows, steps: Sequence[Normalisation], name: str = "vectors") -> Table:
    """Normalise a source: unit length per word, mean 0, or unit length per dimension, in the order given."""
    if not np.isfinite(vectors).all():
        bad = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise TenorError(f"{name}: the vector of word {bad} holds NaN or infinity; remove it first.")
    table: Table = np.asarray(vectors)
    for step in steps:
        if step == "unit":
            table = _unit(table)
        elif step == "centre":
            table = table - table.mean(axis=0, dtype=np.float64).astype(table.dtype)
        elif step == "unit-dimension":
            table = _unit(table.T).T
        elif step != "none":
            raise TenorError(f"There is no normalisation {step!r}: none, unit, centre or unit-dimension.")
    if not table.any():
        raise TenorError(f"{name}: all vectors of the common words are zero, so nothing can be learnt.")
    return table


def best_c(found: Mapping[float, float]) -> float:
    """Return the C with the largest share of retrieved words; of equal ones the smallest."""
    return max(found, key=lambda value: (found[value], -value))


def retrieval_by_c(tables: Sequence[Table], *, seed: int = 0) -> dict[float, float]:
    """Return C -> share of held-out words that are retrieved, with the best C inside the grid.

    How large C should be depends on the number of words and on how alike the sources are. While the largest
    value is the best, the next decade is tried too; below the smallest one the shares are level.
    """
    found = self_retrieval(tables, seed=seed)
    while best_c(found) == max(found) and max(found) < _LARGEST_C:
        found |= self_retrieval(tables, c_grid=(10 * max(found),), seed=seed)
    return found


def self_retrieval(
    tables: Sequence[Table], *, c_grid: Sequence[float] = C_GRID, seed: int = 0
) -> dict[float, float]:
    """Return for each C the share of held-out words that are their own nearest neighbour in other sources.

    A tenth of the words, 2,000 at most, takes no part in the alignment; their vectors of the first source
    look for their own among all vectors of every other source, each pair of sources aligned by itself.
    """
    words = len(tables[0])
    held = np.random.default_rng(seed).permutation(words)[: min(_HELD_OUT, max(1, words // 10))]
    kept = np.setdiff1d(np.arange(words), held)
    if not len(kept):
        kept = held  # a single word: there is nothing to choose by, and any C will do
    grams = Grams.of([table[kept] for table in tables])
    return {
        c: float(np.mean([_found(tables, grams, held, c, b) for b in range(1, len(tables))])) for c in c_grid
    }


def _found(tables: Sequence[Table], grams: Grams, held: NDArray[np.int64], c: float, other: int) -> float:
    first, second = solve(grams.pair(0, other), c=c).maps()
    best, _ = nearest(_single(tables[0][held], first), _single(tables[other], second), 1)
    return float(np.mean(best[:, 0] == held))


def _single(table: Table, by: NDArray[np.float64]) -> Rows:
    return unit_rows(np.asarray(padded(table, len(by)) @ by.T, dtype=np.float32))


def _unit(rows: Table) -> Table:
    """Scale rows to length 1 in their own precision; zeros stay."""
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows, dtype=np.float64))[:, None]
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0).astype(rows.dtype))
