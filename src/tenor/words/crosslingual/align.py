"""Align the word vectors of two languages: a seed dictionary, and two spaces become one.

``procrustes`` is an orthogonal map, ``vecmap`` VecMap's advanced mapping on the seed, ``vecmap-self``
self-learning from the seed, then the advanced mapping on the induced dictionary, ``rcsls`` a map trained for
CSLS retrieval. Before any of them the spaces may be post-processed to another order of similarity
(``alpha``).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from tenor.errors import TenorError, did_you_mean
from tenor.progress import Note
from tenor.words.crosslingual.alpha_search import search_alphas
from tenor.words.crosslingual.alpha_trial import NONE, AlphaTrial, finalists, try_alphas
from tenor.words.crosslingual.maps import Maps, advanced_map, orthogonal_map
from tenor.words.crosslingual.rcsls import RcslsConfig, rcsls_map
from tenor.words.crosslingual.seed import KnownPairs, known_pairs
from tenor.words.crosslingual.self_learning import Iteration, SelfLearningConfig, self_learn
from tenor.words.crosslingual.spaces import check_spaces, prepare
from tenor.words.neighbours import Floats, unit_rows
from tenor.words.vectors import WordVectors

AlignMethod = Literal["procrustes", "vecmap", "vecmap-self", "rcsls"]
METHODS: tuple[AlignMethod, ...] = get_args(AlignMethod)
_CASE_GAIN = 1.2  # times as many pairs in lower case from which on that is worth a hint


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignConfig:
    """How two spaces are mapped into one."""

    method: AlignMethod = "vecmap-self"
    alpha: tuple[float, float] | Literal["search", "supervised-search"] = (0.0, 0.0)
    """Of the source and of the target. ``search`` takes the best of a grid on held-out seed pairs, but only
    where the whole method gains by them; ``supervised-search`` takes it by a supervised map and cosine alone,
    as Vulić et al. (2020) do."""
    dim_reduction: int | None = None  # keep only so many of the strongest dimensions (vecmap, vecmap-self)
    self_learning: SelfLearningConfig = field(default_factory=SelfLearningConfig)
    rcsls: RcslsConfig = field(default_factory=RcslsConfig)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            hint = did_you_mean(self.method, METHODS) or f" There are {', '.join(METHODS)}."
            raise TenorError(f"There is no method {self.method!r} to align with.{hint}")
        if self.dim_reduction is None:
            return
        if self.dim_reduction < 1 or self.method not in ("vecmap", "vecmap-self"):
            raise TenorError("dim_reduction is at least 1, and only vecmap and vecmap-self have it.")


@dataclass(frozen=True, slots=True)
class Aligned:
    """Both languages in one space, as unit vectors, and a report of the mapping."""

    source: WordVectors
    target: WordVectors
    report: dict[str, Any]


def align(
    source: WordVectors,
    target: WordVectors,
    seed: Sequence[tuple[str, str]],
    *,
    config: AlignConfig | None = None,
    note: Note | None = None,
) -> Aligned:
    """Map the vectors of two languages into one space, from pairs of words that mean the same.

    >>> words = WordVectors(["one", "two", "three", "four"], np.eye(4))
    >>> turned = WordVectors(["eins", "zwei", "drei", "vier"], np.eye(4)[[1, 2, 3, 0]])
    >>> seed = [("one", "eins"), ("two", "zwei"), ("three", "drei")]
    >>> aligned = align(words, turned, seed, config=AlignConfig(method="procrustes"))
    >>> float(round(aligned.source["four"] @ aligned.target["vier"], 3))
    1.0
    """
    config, note = config or AlignConfig(), note or _silent
    check_spaces(source, target)
    kept, size = config.dim_reduction, source.vector_size
    if kept is not None and kept > size:
        raise TenorError(f"dim_reduction is {kept}, but the vectors have only {size} dimensions.")
    known = check_seed(seed, source, target)
    hint = _case_hint(seed, known, source, target)
    note(f"{len(known):,} of {known.total:,} seed pairs are in both vocabularies.{hint}")
    alpha, search = _alphas(source.vectors, target.vectors, known, config, note)
    x, z = prepare(source.vectors, alpha[0]), prepare(target.vectors, alpha[1])
    maps, learning = find_maps(x, z, known, config, note)
    report = {
        "method": config.method, "alpha": list(alpha), "alpha_search": search,
        "seed_pairs": len(known), "seed_total": known.total, "self_learning": learning,
        "dim_reduction": config.dim_reduction,
    }  # fmt: skip
    return Aligned(_mapped(source, x, maps.source), _mapped(target, z, maps.target), report)


def check_seed(seed: Sequence[tuple[str, str]], source: WordVectors, target: WordVectors) -> KnownPairs:
    """Look up the seed pairs; if none is known, the error says why."""
    known = known_pairs(seed, source.index, target.index)
    if len(known) == 0:
        first, second = seed[0] if seed else ("", "")
        swapped = len(known_pairs(((z, x) for x, z in seed), source.index, target.index))
        hint = (
            "Its columns seem to be swapped."
            if swapped
            else "The vectors may be lower-cased: try --lowercase."
        )
        raise TenorError(
            f"None of the {known.total:,} seed pairs has both words in the vocabularies of {source.name} and "
            f"{target.name}; the first pair is {first!r}, {second!r}. {hint}"
        )
    return known


def _case_hint(
    seed: Sequence[tuple[str, str]], known: KnownPairs, source: WordVectors, target: WordVectors
) -> str:
    """Say that many more pairs are known in lower case, as with capitalised nouns and lower-cased vectors."""
    lowered = known_pairs(((x.lower(), z.lower()) for x, z in seed), source.index, target.index)
    if len(lowered) < _CASE_GAIN * len(known):
        return ""
    return f" In lower case {len(lowered):,} would be: try --lowercase."


def find_maps(
    x: Floats, z: Floats, known: KnownPairs, config: AlignConfig, note: Note
) -> tuple[Maps, dict[str, Any] | None]:
    """Fit the maps of a method on prepared spaces; also return the report of self-learning."""
    pairs, learning = known.pairs, None
    if config.method == "rcsls":
        report = lambda step, loss: note(f"RCSLS iteration {step}: loss {loss:.5f}")  # noqa: E731
        return rcsls_map(x, z, pairs, config=config.rcsls, progress=report), None
    if config.method == "vecmap-self":
        learned = self_learn(
            x, z, pairs, config=config.self_learning, progress=lambda iteration: note(_line(iteration))
        )
        pairs, last = learned.pairs, learned.iterations[-1]
        learning = {
            "iterations": last.number, "pairs": last.pairs, "objective": last.objective,
            "converged": learned.converged, "settings": asdict(config.self_learning),
        }  # fmt: skip
    rows = x[pairs[:, 0]], z[pairs[:, 1]]
    if config.method == "procrustes":
        return orthogonal_map(*rows), None
    if len(pairs) < 2 * x.shape[1]:
        note(
            f"{len(pairs):,} pairs are few for the advanced map of {x.shape[1]} dimensions; procrustes, or "
            "vecmap-self with a larger vocabulary, may do better."
        )
    return advanced_map(*rows, dim_reduction=config.dim_reduction), learning


def _alphas(
    x: Floats, z: Floats, known: KnownPairs, config: AlignConfig, note: Note
) -> tuple[tuple[float, float], dict[str, Any] | None]:
    if not isinstance(config.alpha, str):
        return config.alpha, None
    note("Searching for alpha on held-out seed pairs …")
    found = search_alphas(x, z, known, orthogonal=config.method == "procrustes")
    best, plain = found.scores[found.best], found.scores[0.0, 0.0]
    note(
        f"alpha {found.best[0]:g},{found.best[1]:g}: MRR {best:.3f} on {found.held_out:,} held-out seed "
        f"words with a supervised map, against {plain:.3f} without."
    )
    grid = [[first, second, score] for (first, second), score in found.scores.items()]
    report = {"held_out": found.held_out, "mrr": best, "mrr_at_zero": plain, "grid": grid}
    if config.alpha == "supervised-search":
        return found.best, report
    note("Trying the best of them with the whole method …")
    fit = lambda x, z, pairs: find_maps(x, z, pairs, config, _silent)[0]  # noqa: E731
    trial = try_alphas(x, z, known, finalists(found), fit)
    return trial.best, report | {"trial": _trial_report(trial, note)}


def _trial_report(trial: AlphaTrial, note: Note) -> list[dict[str, Any]]:
    rows = []
    for alphas in trial.reciprocal:
        gain, least = trial.gain(alphas)
        rows.append({"alpha": list(alphas), "mrr": trial.mrr(alphas), "gain": gain, "least_gain": least})
    shown = "; ".join(f"{a:g},{b:g}: MRR {trial.mrr((a, b)):.3f}" for a, b in trial.reciprocal)
    best = trial.best
    verdict = (
        "no gain beyond noise, so none is taken" if best == NONE else f"{best[0]:g},{best[1]:g} is taken"
    )
    note(f"With the whole method and CSLS, {trial.held_out:,} held-out words: {shown}; {verdict}.")
    return rows


def _mapped(words: WordVectors, rows: Floats, matrix: np.ndarray[Any, Any]) -> WordVectors:
    moved = unit_rows(rows @ matrix.astype(np.float32))
    if not np.isfinite(moved).all():
        raise TenorError("The map gives numbers that are not finite; give more seed pairs or a milder alpha.")
    return words.replace(moved)


def _line(iteration: Iteration) -> str:
    keep = iteration.keep_prob
    share = "" if keep == 1.0 else f", keeping {keep:.0%} of the candidates"
    return (
        f"iteration {iteration.number}: {iteration.pairs:,} pairs, objective {iteration.objective:.4f}{share}"
    )


def _silent(_: str) -> None:
    pass
