"""The sets and draws of ``few_labels.py``: so many labelled rows to learn from, and fixed rows to test on.

A draw takes one row of every class first, as whoever labels a few rows would, and the others at random. The
test rows (at most 1,000 of a set) are the same for every draw and never among those drawn from. Draws are
numbered from 0; settings were found with draws from 100 on, scored on rows that are not test rows, and on
other sets (MR, MPQA, misogyny).
"""

import csv
import gzip
import io
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TEST = 1000
TUNING = 100  # the first number of a draw that settings may be found with


@dataclass(frozen=True)
class Source:
    """All rows of a set: (text, label), or (first, second, label), or (first, second, score)."""

    kind: str
    pool: list
    test: list


def _open(path):
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return data.decode("utf-8-sig", "replace")


def _sentences(folder, name):
    lines = (line.split(maxsplit=1) for line in _open(folder / "sentence-cls" / f"{name}.gz").splitlines())
    return [(text[1].strip(), text[0]) for text in lines if len(text) == 2]


def _raw_trec(folder):
    lines = (line.split(maxsplit=1) for line in _open(folder / "sentence-cls/raw-TREC.train.gz").splitlines())
    return [(parts[1].strip(), parts[0]) for parts in lines if len(parts) == 2]


def _agnews(folder):
    rows = csv.reader(io.StringIO(_open(folder / "agnews" / "test.csv.gz")))
    return [(f"{title}. {body}", label) for label, title, body in rows]


def _hate(folder):
    rows = csv.DictReader(io.StringIO(_open(folder / "hate-davidson" / "labeled_data.csv.gz")))
    return [(" ".join(row["tweet"].split()), row["class"]) for row in rows]


def _misogyny(folder):
    rows = csv.DictReader(io.StringIO(_open(folder / "misogyny-eacl2021" / "final_labels.csv.gz")))
    return [(" ".join(row["body"].split()), row["level_1"]) for row in rows if row["body"].strip()]


def _mrpc(folder, part):
    lines = _open(folder / "mrpc" / f"msr_paraphrase_{part}.txt").splitlines()[1:]
    cells = (line.split("\t") for line in lines)
    return [(row[3], row[4], row[0]) for row in cells if len(row) == 5]


def _stsb(folder, part):
    lines = _open(folder / "stsb" / f"sts-{part}.csv").splitlines()
    cells = (line.split("\t") for line in lines)
    return [(row[5], row[6], float(row[4])) for row in cells if len(row) >= 7]


def _split(rows, name):
    """Part rows into those to draw from and those to test on, equal texts on one side."""
    rows = list({row[:-1]: row for row in rows}.values())
    order = np.random.default_rng(zlib.crc32(name.encode())).permutation(len(rows))
    return [rows[i] for i in order[TEST:]], [rows[i] for i in order[:TEST]]


def _apart(pool, test, name):
    """Keep what is tested on out of what is drawn from, and at most so many test rows."""
    order = np.random.default_rng(zlib.crc32(name.encode())).permutation(len(test))[:TEST]
    known = {row[:-1] for row in test}
    return [row for row in pool if row[:-1] not in known], [test[i] for i in order]


SETS = {
    "trec": lambda d: (
        "classify",
        *_apart(_sentences(d, "TREC.train.all"), _sentences(d, "TREC.test.all"), "trec"),
    ),
    "agnews": lambda d: ("classify", *_split(_agnews(d), "agnews")),
    "subj": lambda d: ("classify", *_split(_sentences(d, "subj.all"), "subj")),
    "cr": lambda d: ("classify", *_split(_sentences(d, "custrev.all"), "cr")),
    "sst2": lambda d: (
        "classify",
        *_apart(_sentences(d, "stsa.binary.train"), _sentences(d, "stsa.binary.test"), "sst2"),
    ),
    "hate": lambda d: ("classify", *_split(_hate(d), "hate")),
    "mrpc": lambda d: ("pair", *_apart(_mrpc(d, "train"), _mrpc(d, "test"), "mrpc")),
    "stsb": lambda d: ("similarity", *_apart(_stsb(d, "train"), _stsb(d, "test"), "stsb")),
}  # fmt: skip
"""Those reported."""

OTHERS = {
    "mr": lambda d: ("classify", *_split(_sentences(d, "rt-polarity.all"), "mr")),
    "mpqa": lambda d: ("classify", *_split(_sentences(d, "mpqa.all"), "mpqa")),
    "sst5": lambda d: ("classify", *_split(_sentences(d, "stsa.fine.train"), "sst5")),
    "trec50": lambda d: ("classify", *_split(_raw_trec(d), "trec50")),
    "misogyny": lambda d: ("classify", *_split(_misogyny(d), "misogyny")),
}
"""Those that settings were found on."""


def source(folder, name):
    """Read a set."""
    return Source(*(SETS | OTHERS)[name](Path(folder)))


def draw(rows, size, number, *, classes=True):
    """Draw rows to learn from: one of each class first, then any."""
    order = np.random.default_rng([number, size]).permutation(len(rows)).tolist()
    if classes:
        first = {}
        for place in order:
            first.setdefault(rows[place][-1], place)
        ahead = list(first.values())[:size]
        taken = set(ahead)
        order = ahead + [place for place in order if place not in taken]
    return [rows[place] for place in order[:size]]


def cell_rows(data, name, size, number):
    """Return the kind, the rows to learn from, and the rows to test on; those of tuning draws are others."""
    found = source(data, name)
    train = draw(found.pool, size, number, classes=found.kind != "similarity")
    if number < TUNING:
        return found.kind, train, found.test
    known = set(train)
    rest = [row for row in found.pool if row not in known]
    return found.kind, train, draw(rest, TEST, number, classes=False)
