"""Soft labels of teachers for pairs of questions that nobody has labelled (distillation).

A few ten thousand labelled pairs are soon overfitted. Pairs of near questions among the same ones are there
by the hundred thousand; teachers, trained on the labelled pairs alone, give each the probability that it is a
paraphrase, and the student learns from the mean of these soft labels beside the labels. The pairs are drawn
so that their cosines are distributed as those of the labelled ones. Teachers of similarity do the same for
near pairs of graded texts, which they give a score.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.files import atomic_file, read_json
from tenor.recipes.minbert.data import COLUMNS, LABELS
from tenor.recipes.recipe import Context
from tenor.recipes.rows import read_rows, write_rows
from tenor.tasks.config import TaskConfig
from tenor.tasks.similarity.kind import SimilarityConfig
from tenor.tasks.table import task_config
from tenor.words.neighbours import nearest, unit_rows

NEAR = 8  # counterparts of a question that are thought of
BINS = 16

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Taught:
    """What the teachers said."""

    file: Path
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Teachers:
    """Some models of paraphrase or of similarity alone, and what is learned from them."""

    name: Literal["paraphrase", "similarity"] = "paraphrase"
    count: int
    task: Mapping[str, Any]
    training: Mapping[str, Any]
    pairs: int
    """How many pairs of near questions they are asked about, at most."""
    student: Mapping[str, Any]
    """Settings of the task that learns from their soft labels."""

    def teach(
        self, context: Context, labelled: Sequence[Path], choose: Path, *, encoder: str, callback: Any
    ) -> Taught:
        """Train the teachers and ask them, or go on with that; all cells share what they say in the mean."""
        settings = {key: value for key, value in asdict(self).items() if key != "student"}
        with context.lasting(self.folder, settings=settings) as folder:
            train, pairs, taught = (folder / f"{name}.jsonl" for name in ("labelled", "pairs", "taught"))
            _once(train, lambda file: file.write_bytes(b"".join(each.read_bytes() for each in labelled)))
            _once(pairs, lambda file: write_pairs(train, file, encoder=encoder, count=self.pairs))
            runs = [folder / f"run-{number}" for number in range(self.count)]
            said = [folder / f"said-{number}.jsonl" for number in range(self.count)]
            for number, (run, word) in enumerate(zip(runs, said, strict=True)):
                if not (run / "metrics.json").is_file():
                    # The seed of no student: none is to be nearer to a teacher than the others.
                    self._train(100 * number, train, choose, run, encoder, callback)
                _once(word, lambda file, run=run: self._ask(run / "model", pairs, file, context))  # type: ignore[misc]
            _once(taught, lambda file: write_mean(said, file))
        tokens = sum(read_json(run / "metrics.json")["tokens"] for run in runs)
        who = self.folder.replace("-", " of ")
        note = (
            f"The {self.count} {who} took {tokens:,} training tokens, once for all seeds, and judged "
            f"{len(read_rows(taught)):,} pairs."
        )
        return Taught(taught, note)

    @property
    def folder(self) -> str:
        """What their folder is called."""
        return "teachers" if self.name == "paraphrase" else f"teachers-{self.name}"

    def student_task(self, file: Path) -> TaskConfig:
        """Return the task that learns from what they say, with the head of the task that they teach."""
        scores: dict[str, Any] = (
            {"range": (0.0, 1.0), "loss": "cross_entropy"}
            if self.name == "paraphrase"
            else {"range": (0.0, 5.0), "loss": "mse"}
        )
        return SimilarityConfig(
            train=file, columns=COLUMNS["similarity"], share_head_with=self.name, **scores, **self.student
        )

    def _ask(self, teacher: Path, pairs: Path, file: Path, context: Context) -> None:
        ask(teacher, pairs, file, context.progress, task=self.name)

    def _train(self, seed: int, train: Path, choose: Path, run: Path, encoder: str, callback: Any) -> None:
        from tenor.recipes.fixed_training import POOLING, fixed_training
        from tenor.training.config import RunConfig
        from tenor.training.running import train_run

        kind = "pair" if self.name == "paraphrase" else "similarity"
        labels = {"labels": LABELS[self.name]} if self.name in LABELS else {}
        task: TaskConfig = task_config(
            kind, train=train, dev=choose, columns=COLUMNS[self.name], **labels, **self.task
        )
        whole = RunConfig(
            encoder=encoder,
            pooling=POOLING,
            seed=seed,
            tasks={self.name: task},
            training=fixed_training(**self.training),
        )
        train_run(whole, out=run, callbacks=[callback])


def _once(file: Path, write: Callable[[Path], object]) -> None:
    """Write a file unless it is there."""
    if not file.is_file():
        with atomic_file(file) as aside:
            write(aside)


def near_pairs(vectors: Floats, labelled: Ints, count: int, *, generator: np.random.Generator) -> Ints:
    """Draw up to ``count`` pairs of near vectors [n, 2] that are not labelled [m, 2], with like cosines.

    Each of the bins of the labelled pairs' cosines gets its share, where there are as many.
    """
    unit = unit_rows(vectors)
    itself = np.arange(len(unit), dtype=np.int64)
    found, scores = nearest(unit, unit, min(NEAR, len(unit) - 1), exclude=itself)
    pairs = np.sort(np.stack([np.repeat(itself, found.shape[1]), found.ravel()], axis=1), axis=1)
    pairs, first = np.unique(pairs, axis=0, return_index=True)
    cosines = scores.ravel()[first]
    known = set(map(tuple, np.sort(labelled, axis=1).tolist()))
    free = np.array([tuple(pair) not in known for pair in pairs.tolist()], dtype=bool)
    pairs, cosines = pairs[free], cosines[free]
    wanted = np.einsum("nd,nd->n", unit[labelled[:, 0]], unit[labelled[:, 1]])
    edges = np.linspace(wanted.min(), wanted.max(), BINS + 1)[1:-1]
    shares = np.bincount(np.digitize(wanted, edges), minlength=BINS) / len(wanted)
    places = np.digitize(cosines, edges)
    chosen = [
        generator.permutation(np.flatnonzero(places == place))[: round(share * count)]
        for place, share in enumerate(shares)
    ]
    return np.asarray(pairs[generator.permutation(np.concatenate(chosen))])


def write_pairs(labelled_file: Path, file: Path, *, encoder: str, count: int) -> None:
    """Write pairs of near questions among those labelled."""
    import tenor

    rows = read_rows(labelled_file)
    questions = sorted({row[side] for row in rows for side in ("first", "second")})
    number = {question: place for place, question in enumerate(questions)}
    labelled = np.array([[number[row["first"]], number[row["second"]]] for row in rows], dtype=np.int64)
    vectors = np.asarray(tenor.load(encoder, precision="fp32").encode(questions), dtype=np.float32)
    pairs = near_pairs(vectors, labelled, count, generator=np.random.default_rng(0))
    write_rows(file, [{"first": questions[one], "second": questions[other]} for one, other in pairs.tolist()])


def ask(
    teacher: Path, pairs: Path, file: Path, progress: Callable[[int, int], None], *, task: str = "paraphrase"
) -> None:
    """Write the probability that a teacher gives each of the pairs of being a paraphrase, or their score."""
    import tenor
    from tenor.model.predicting import predict

    rows, done = read_rows(pairs), 0
    model = tenor.load(teacher, precision="fp32")

    def told(count: int) -> None:
        nonlocal done
        done += count
        progress(min(done, len(rows)), len(rows))

    texts = [(row["first"], row["second"]) for row in rows]
    said = predict(model, model.tasks[task], texts, progress=told)
    scores = said[:, 1] if task == "paraphrase" else said
    write_rows(file, [row | {"score": round(float(each), 4)} for row, each in zip(rows, scores, strict=True)])


def write_mean(said: Sequence[Path], file: Path) -> None:
    """Write the mean of what several said of the same pairs."""
    each = [read_rows(one) for one in said]
    write_rows(
        file,
        [
            rows[0] | {"score": round(sum(row["score"] for row in rows) / len(rows), 4)}
            for rows in zip(*each, strict=True)
        ],
    )
