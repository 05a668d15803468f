"""Evaluating one or several word vectors on the same words, pairs and questions.

Several vectors are first cut to the words that all of them have, so that every test has the same items and
every analogy the same candidates for all. A word of a test is looked up as it is written and, where it is not
in the vocabulary so, in lower case.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.correlation import spearman
from tenor.metrics.intervals import Interval, bootstrap
from tenor.words.analogies import analogies
from tenor.words.evaluate import measures
from tenor.words.evaluate.sets import Benchmarks, OutlierSet, RelationSet
from tenor.words.neighbours import unit_rows
from tenor.words.vectors import WordVectors, intersection

Kind = Literal["similarity", "analogy", "category", "outlier", "relation"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Ints = NDArray[np.int64]
Scores = NDArray[np.float64]
_MIN_ITEMS = 3  # for a score
_MIN_GROUP = 3  # words of an outlier group, without the outlier


@dataclass(frozen=True, slots=True)
class Result:
    """One score of one test for each of the vectors, with its interval, and how many items it rests on."""

    kind: Kind
    test: str
    part: str  # a category of the test, or "" for all of it
    measure: str
    used: int
    total: int
    scores: tuple[Interval, ...]

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Return it for programs, with the vectors' names; what is not a number becomes null."""
        scores = {
            name: {
                "estimate": _json_number(one.estimate),
                "low": _json_number(one.low),
                "high": _json_number(one.high),
            }
            for name, one in zip(names, self.scores, strict=True)
        }
        return {
            "kind": self.kind, "test": self.test, "part": self.part, "measure": self.measure,
            "used": self.used, "total": self.total, "scores": scores,
        }  # fmt: skip


def evaluate(
    vectors: Sequence[WordVectors],
    benchmarks: Benchmarks,
    *,
    kinds: Iterable[Kind] = KINDS,
    restrict_vocab: int | None = 200_000,
    repeats: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> list[Result]:
    """Score vectors on all test sets; analogies are answered among the first ``restrict_vocab`` words.

    ``progress`` is called with the name of the test that begins.
    """
    kinds = list(kinds)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise TenorError(f"There is no kind of test {unknown[0]!r}; there are {', '.join(KINDS)}.")
    same = intersection(*vectors)
    job = _Job([unit_rows(one.vectors) for one in same], same, restrict_vocab, repeats, seed)
    results: list[Result] = []
    for kind, name, run in _tests(job, benchmarks):
        if kind in kinds:
            if progress is not None:
                progress(name)
            results += run()
    return results


@dataclass(frozen=True, slots=True)
class _Job:
    units: list[NDArray[np.float32]]  # per vectors, in the same order of words
    vectors: list[WordVectors]
    restrict_vocab: int | None
    repeats: int
    seed: int

    def find(self, words: Iterable[str]) -> Ints:
        """Look words up as they are written, else in lower case, else joined by _ ; -1 for unknown words."""
        words = list(words)
        indices = self.vectors[0].indices(words, or_lowercase=True)
        for place in np.flatnonzero(indices < 0).tolist():
            if " " in words[place]:
                joined = self.vectors[0].indices([words[place].replace(" ", "_")], or_lowercase=True)
                indices[place] = joined[0]
        return indices

    def result(
        self, kind: Kind, test: str, part: str, measure: str, items: Sequence[Scores], total: int
    ) -> Result:
        """Average items, one array per vectors, with their intervals."""
        scores = tuple(bootstrap(_mean, column, repeats=self.repeats, seed=self.seed) for column in items)
        return Result(kind, test, part, measure, len(items[0]), total, scores)


def _tests(job: _Job, found: Benchmarks) -> Iterator[tuple[Kind, str, Callable[[], list[Result]]]]:
    for pairs in found.similarity:
        yield "similarity", pairs.name, lambda test=pairs: _similarity(job, test)  # type: ignore[misc]
    for questions in found.analogies:
        yield "analogy", questions.name, lambda test=questions: _analogies(job, test)  # type: ignore[misc]
    for words in found.categories:
        yield "category", words.name, lambda test=words: _categories(job, test)  # type: ignore[misc]
    for groups in found.outliers:
        yield "outlier", groups.name, lambda test=groups: _outliers(job, test)  # type: ignore[misc]
    for relations in found.relations:
        yield "relation", relations.name, lambda test=relations: _relations(job, test)  # type: ignore[misc]


def _similarity(job: _Job, test: Any) -> list[Result]:
    indices = job.find(word for pair in test.pairs for word in pair).reshape(-1, 2)
    known = (indices >= 0).all(axis=1)
    if known.sum() < _MIN_ITEMS:
        return [_empty(job, "similarity", test.name, "Spearman", len(indices))]
    gold = np.asarray(test.scores, dtype=np.float64)[known]
    scores = tuple(
        bootstrap(spearman, measures.cosines(units, indices[known]), gold, repeats=job.repeats, seed=job.seed)
        for units in job.units
    )
    return [Result("similarity", test.name, "", "Spearman", len(gold), len(indices), scores)]


def _analogies(job: _Job, test: Any) -> list[Result]:
    """Score 3CosAdd, over all questions and by category."""
    indices = job.find(word for question in test.questions for word in question).reshape(-1, 4)
    size = len(job.vectors[0]) if job.restrict_vocab is None else min(job.restrict_vocab, len(job.vectors[0]))
    # An answer beyond the candidates can never be given, and neither can one that is among the question.
    known = ((indices >= 0) & (indices < size)).all(axis=1) & (indices[:, :3] != indices[:, 3:]).all(axis=1)
    categories = np.asarray(test.categories)
    asked, of = indices[known], categories[known]
    if len(asked) < _MIN_ITEMS:
        return [_empty(job, "analogy", test.name, "accuracy", len(indices))]
    right = []
    for one in job.vectors:
        answers, _ = analogies(one if size == len(one) else one.take(np.arange(size)), asked[:, :3], k=1)
        right.append((answers[:, 0] == asked[:, 3]).astype(np.float64))
    results = [job.result("analogy", test.name, "", "accuracy", right, len(indices))]
    names = list(dict.fromkeys(test.categories))
    for name in names if len(names) > 1 else []:
        some = of == name
        total = int(np.sum(categories == name))
        if some.any():
            parts = [column[some] for column in right]
            results.append(job.result("analogy", test.name, name, "accuracy", parts, total))
    return results


def _categories(job: _Job, test: Any) -> list[Result]:
    words = job.find(test.words)
    known = words >= 0
    names, categories = np.unique(np.asarray(test.categories)[known], return_inverse=True)
    if known.sum() < _MIN_ITEMS or len(names) < 2:
        return [_empty(job, "category", test.name, "purity", len(words))]
    items = [measures.in_majority(units, words[known], categories, seed=job.seed) for units in job.units]
    return [job.result("category", test.name, "", "purity", items, len(words))]


def _outliers(job: _Job, test: OutlierSet) -> list[Result]:
    last: list[list[Scores]] = [[] for _ in job.units]
    positions: list[list[Scores]] = [[] for _ in job.units]
    for group in test.groups:
        words, outliers = (np.unique(job.find(some)) for some in (group.words, group.outliers))
        words, outliers = words[words >= 0], np.setdiff1d(outliers[outliers >= 0], words)
        if len(words) >= _MIN_GROUP and len(outliers):
            for column, units in enumerate(job.units):
                found, position = measures.outlier_positions(units, words, outliers)
                last[column].append(found)
                positions[column].append(position)
    total = sum(len(group.outliers) for group in test.groups)
    if not last[0]:
        return [_empty(job, "outlier", test.name, "accuracy", total)]
    joined = [[np.concatenate(column) for column in columns] for columns in (last, positions)]
    return [
        job.result("outlier", test.name, "", "accuracy", joined[0], total),
        job.result("outlier", test.name, "", "OPP", joined[1], total),
    ]


def _relations(job: _Job, test: RelationSet) -> list[Result]:
    """Score how well cosines separate each relation from random pairs, and relations are classified."""
    pairs = job.find(word for pair in test.pairs for word in pair).reshape(-1, 2)
    known = (pairs >= 0).all(axis=1)
    all_names = np.asarray(test.relations)
    pairs, names = pairs[known], all_names[known]
    kinds, relations = np.unique(names, return_inverse=True)
    if len(pairs) < _MIN_ITEMS or len(kinds) < 2:
        return [_empty(job, "relation", test.name, "accuracy", len(all_names))]
    correct = [measures.relation_correct(units, pairs, relations) for units in job.units]
    results = [job.result("relation", test.name, "", "accuracy", correct, len(all_names))]
    scores = [measures.cosines(units, pairs) for units in job.units]
    for name in kinds.tolist() if "random" in kinds else []:
        if name != "random":
            some = (names == name) | (names == "random")
            areas = [measures.auc_by_item(column[some], names[some] == name) for column in scores]
            total = int(np.sum(all_names == name))
            results.append(job.result("relation", test.name, name, "ROC AUC", areas, total))
    return results


def _empty(job: _Job, kind: Kind, test: str, measure: str, total: int) -> Result:
    unknown = Interval(np.nan, np.nan, np.nan)
    return Result(kind, test, "", measure, 0, total, tuple(unknown for _ in job.units))


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values.mean(axis=-1))


def _json_number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
