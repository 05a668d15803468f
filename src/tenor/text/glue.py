"""The tasks of GLUE by their official files (Wang et al., 2019): where each column stands, and the answers.

Every file is tab-separated without quoting: a quotation mark is a character like any other. Train and dev
files carry the gold answer, test files an index instead, and answers go to the server as a file of index and
prediction under the name that it expects.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tenor.errors import TenorError, did_you_mean
from tenor.files import atomic_file
from tenor.text.examples import Origin, Pair, Sentence
from tenor.text.lines import read_lines
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems

GlueKind = Literal["classify", "pair", "similarity"]
GlueMetric = Literal["accuracy", "f1", "matthews", "pearson"]
Part = Literal["train", "dev", "test"]
_INDEX = "index"


@dataclass(frozen=True, slots=True, kw_only=True)
class GlueTask:
    """One task: its columns by name (by number where files have no header), labels and main metric."""

    name: str
    kind: GlueKind
    texts: tuple[str, ...]
    answer: str
    metric: GlueMetric
    labels: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """What is reported beside the main metric."""
    file: str
    """The name of the file that the server takes."""
    dev: str = "dev"
    test: str = "test"
    headless: Mapping[str, int] = field(default_factory=dict)
    """Columns of train and dev files without a header; test files have one."""

    @property
    def graded(self) -> bool:
        """Whether its answers are scores from 0 to 5, not labels."""
        return not self.labels


_ENTAILS = ("not_entailment", "entailment")
_NLI = ("contradiction", "neutral", "entailment")


def _mnli(name: str, part: str, file: str) -> GlueTask:
    return GlueTask(
        name=name, kind="pair", texts=("sentence1", "sentence2"), answer="gold_label", metric="accuracy",
        labels=_NLI, file=file, dev=f"dev_{part}", test=f"test_{part}",
    )  # fmt: skip


GLUE: Mapping[str, GlueTask] = {
    task.name: task
    for task in (
        GlueTask(
            name="mrpc", kind="pair", texts=("#1 String", "#2 String"), answer="Quality", metric="f1",
            labels=("0", "1"), also=("accuracy",), file="MRPC.tsv",
        ),
        GlueTask(
            name="stsb", kind="similarity", texts=("sentence1", "sentence2"), answer="score",
            metric="pearson", also=("spearman",), file="STS-B.tsv",
        ),
        GlueTask(
            name="qqp", kind="pair", texts=("question1", "question2"), answer="is_duplicate", metric="f1",
            labels=("0", "1"), also=("accuracy",), file="QQP.tsv",
        ),
        _mnli("mnli", "matched", "MNLI-m.tsv"),
        _mnli("mnli-mm", "mismatched", "MNLI-mm.tsv"),
        GlueTask(
            name="rte", kind="pair", texts=("sentence1", "sentence2"), answer="label", metric="accuracy",
            labels=_ENTAILS, file="RTE.tsv",
        ),
        GlueTask(
            name="qnli", kind="pair", texts=("question", "sentence"), answer="label", metric="accuracy",
            labels=_ENTAILS, file="QNLI.tsv",
        ),
        GlueTask(
            name="sst2", kind="classify", texts=("sentence",), answer="label", metric="accuracy",
            labels=("0", "1"), file="SST-2.tsv",
        ),
        GlueTask(
            name="cola", kind="classify", texts=("sentence",), answer="label", metric="matthews",
            labels=("0", "1"), file="CoLA.tsv", headless={"label": 1, "sentence": 3},
        ),
    )
}  # fmt: skip


def glue_task(name: str) -> GlueTask:
    """Return a task by its name.

    >>> glue_task("cola").metric
    'matthews'
    """
    if name not in GLUE:
        raise TenorError(
            f"GLUE has no task {name!r} here; there are {', '.join(GLUE)}.{did_you_mean(name, GLUE)}"
        )
    return GLUE[name]


def glue_file(task: GlueTask, folder: str | Path, part: Part) -> Path:
    """Return where a part of a task stands in its folder."""
    return Path(folder) / f"{({'dev': task.dev, 'test': task.test}).get(part, 'train')}.tsv"


def read_glue(
    task: GlueTask, path: str | Path, *, part: Part = "train", problems: Problems
) -> Iterator[Sentence | Pair]:
    """Yield the examples of a file; those of a test file have no answer.

    A row with too few cells, an empty text or an answer that the task does not know is reported and left out.
    Of a test file no row is left out, as the server asks for an answer to every one by its number: empty
    texts are kept, and a row with too few cells is refused.
    """
    with open_bytes(path) as opened:
        rows = (
            (Origin(opened.name, number), line.removesuffix("\r").split("\t"))
            for number, line in read_lines(opened, encoding="utf-8-sig", problems=problems)
            if line.strip()
        )
        at = dict(task.headless) if task.headless and part != "test" else None
        count = 0
        for origin, cells in rows:
            if at is None:
                at = _columns(task, cells, part, origin)
                continue
            example = _example(task, cells, at, origin, problems, part)
            if example is not None:
                _check_index(cells, at, count, origin)
                count += 1
                yield example
        if not count:
            first = f" The first problem: {problems.first[0]}." if problems.first else ""
            raise TenorError(f"{opened.name} has no rows of {task.name} that could be read.{first}")


def _columns(task: GlueTask, header: Sequence[str], part: Part, origin: Origin) -> dict[str, int]:
    wanted = task.texts if part == "test" else (*task.texts, task.answer)
    missing = [name for name in wanted if name not in header]
    if missing:
        raise TenorError(
            f"{origin}: the {part} file of {task.name} has no column {missing[0]!r}; it has "
            f"{', '.join(header[:12])}."
        )
    more = (_INDEX,) if part == "test" and _INDEX in header else ()
    return {name: list(header).index(name) for name in (*wanted, *more)}


def _check_index(cells: Sequence[str], at: Mapping[str, int], count: int, origin: Origin) -> None:
    """Refuse a test file that lacks rows or has them in another order: answers are numbered as they come."""
    if _INDEX in at and cells[at[_INDEX]].strip() != str(count):
        raise TenorError(
            f"{origin}: the index is {cells[at[_INDEX]][:40]!r}, where {count} comes next. The server asks "
            "for an answer to every row in its order; repair the file."
        )


def _example(
    task: GlueTask,
    cells: Sequence[str],
    at: Mapping[str, int],
    origin: Origin,
    problems: Problems,
    part: Part,
) -> Sentence | Pair | None:
    if len(cells) <= max(at.values()):
        if part == "test":
            raise TenorError(
                f"{origin}: {len(cells)} cells, where {max(at.values()) + 1} are needed. The server asks for "
                "an answer to every row of a test file, so that none can be left out; repair the file."
            )
        problems.add(origin, f"{len(cells)} cells, where {max(at.values()) + 1} are needed; row left out")
        return None
    texts = [cells[at[name]] for name in task.texts]
    if part != "test" and not all(text.strip() for text in texts):
        problems.add(origin, "a text is empty; row left out")
        return None
    label, score = None, None
    if task.answer in at:
        answer = cells[at[task.answer]].strip()
        if task.graded:
            score = _number(answer)
        elif answer in task.labels:
            label = answer
        if label is None and score is None:
            problems.add(origin, f"the answer {answer[:40]!r} is none of {task.name}; row left out")
            return None
    if len(texts) == 1:
        return Sentence(texts[0], origin, label, score)
    return Pair(texts[0], texts[1], origin, label, score)


def _number(answer: str) -> float | None:
    try:
        score = float(answer)
    except ValueError:
        return None
    return score if 0 <= score <= 5 else None  # also no number that is not finite


def write_answers(task: GlueTask, answers: Sequence[str | float], folder: str | Path) -> Path:
    """Write predictions in the server's format, one for each row of the test file, and return the file.

    >>> import tempfile
    >>> file = write_answers(GLUE["stsb"], [4.25, 7.0], tempfile.mkdtemp())
    >>> file.name, file.read_text().split()
    ('STS-B.tsv', ['index', 'prediction', '0', '4.250', '1', '5.000'])
    """
    if not answers:
        raise TenorError(f"There are no answers to write; {task.name} asks for one to every row of its test.")
    lines = ["index\tprediction"]
    lines += [f"{index}\t{_answer(task, index, answer)}" for index, answer in enumerate(answers)]
    path = Path(folder) / task.file
    with atomic_file(path) as aside:
        aside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _answer(task: GlueTask, index: int, answer: str | float) -> str:
    if not task.graded:
        if str(answer) not in task.labels:
            raise TenorError(f"Answer {index} is {answer!r}; {task.name} knows {', '.join(task.labels)}.")
        return str(answer)
    try:
        score = float(answer)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise TenorError(f"Answer {index} is {answer!r}; {task.name} asks for numbers from 0 to 5.")
    return f"{min(5.0, max(0.0, score)):.3f}"
