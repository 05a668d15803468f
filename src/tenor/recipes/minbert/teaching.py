"""What a teacher says of pairs of questions that nobody has labelled.

A few ten thousand labelled pairs are soon known by heart. Pairs of near questions among the same ones are
there by the hundred thousand; a teacher, trained on the labelled pairs alone, says with which chance each of
them says the same, and the model learns from these chances beside the labels. The pairs are drawn so that
their cosines are spread as those of the labelled ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.files import atomic_file, read_json
from tenor.recipes.minbert.data import COLUMNS, LABELS, read_rows, write_rows
from tenor.recipes.recipe import Context
from tenor.tasks.config import TaskConfig
from tenor.words.neighbours import nearest, unit_rows

NEAR = 8  # counterparts of a question that are thought of
BINS = 16

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Taught:
    """What a teacher said."""

    file: Path
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Teacher:
    """A model of paraphrase alone, and what is learned from it."""

    task: Mapping[str, Any]
    training: Mapping[str, Any]
    pairs: int
    """How many pairs of near questions it is asked about, at most."""
    pupil: Mapping[str, Any]
    """Settings of the task that learns from what it says."""

    def teach(
        self, context: Context, labelled: Sequence[Path], choose: Path, *, encoder: str, listener: Any
    ) -> Taught:
        """Train the teacher and ask it, or go on with that; all cells share what it says."""
        settings = {key: value for key, value in asdict(self).items() if key != "pupil"}
        with context.lasting("teacher", settings=settings) as folder:
            train, run, file = folder / "labelled.jsonl", folder / "run", folder / "taught.jsonl"
            if not train.is_file():
                with atomic_file(train) as aside:
                    aside.write_bytes(b"".join(each.read_bytes() for each in labelled))
            if not (run / "metrics.json").is_file():
                self._train(train, choose, run, encoder, listener)
            if not file.is_file():
                with atomic_file(file) as aside:
                    write_taught(
                        train, run / "model", aside, encoder=encoder, count=self.pairs,
                        progress=context.progress,
                    )  # fmt: skip
        tokens, rows = read_json(run / "metrics.json")["tokens"], len(read_rows(file))
        note = f"The teacher took {tokens:,} training tokens, once for all seeds, and judged {rows:,} pairs."
        return Taught(file, note)

    def pupil_task(self, file: Path) -> TaskConfig:
        """Return the task that learns from what it says, with the head of paraphrase."""
        return TaskConfig(
            kind="similarity", train=file, columns=COLUMNS["similarity"], share="paraphrase",
            range=(0.0, 1.0), loss="cross_entropy", **self.pupil,
        )  # fmt: skip

    def _train(self, train: Path, choose: Path, run: Path, encoder: str, listener: Any) -> None:
        from tenor.training.config import RunConfig, TrainingConfig
        from tenor.training.running import train_run

        task = TaskConfig(
            kind="pair", train=train, dev=choose, columns=COLUMNS["paraphrase"], labels=LABELS["paraphrase"],
            **self.task,
        )  # fmt: skip
        # The seed of no pupil: none is to be nearer to the teacher than the others.
        whole = RunConfig(
            encoder=encoder, seed=0, tasks={"paraphrase": task}, training=TrainingConfig(**self.training)
        )
        train_run(whole, out=run, listener=listener)


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


def write_taught(
    labelled_file: Path,
    teacher: Path,
    file: Path,
    *,
    encoder: str,
    count: int,
    progress: Callable[[int, int], None],
) -> None:
    """Write pairs of near questions among those labelled, each with the teacher's chance."""
    import tenor
    from tenor.model.predicting import predict

    rows = read_rows(labelled_file)
    questions = sorted({row[side] for row in rows for side in ("first", "second")})
    number = {question: place for place, question in enumerate(questions)}
    labelled = np.array([[number[row["first"]], number[row["second"]]] for row in rows], dtype=np.int64)
    vectors = np.asarray(tenor.load(encoder, precision="fp32").encode(questions), dtype=np.float32)
    pairs = near_pairs(vectors, labelled, count, generator=np.random.default_rng(0))
    texts = [(questions[one], questions[other]) for one, other in pairs.tolist()]
    model = tenor.load(teacher, precision="fp32")
    done = 0

    def told(rows: int) -> None:
        nonlocal done
        done += rows
        progress(min(done, len(texts)), len(texts))

    chances = predict(model, model.tasks["paraphrase"], texts, progress=told)[:, 1]
    write_rows(
        file,
        [
            {"first": first, "second": second, "score": round(float(chance), 4)}
            for (first, second), chance in zip(texts, chances, strict=True)
        ],
    )
