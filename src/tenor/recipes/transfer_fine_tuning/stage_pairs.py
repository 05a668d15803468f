"""The pairs of the stage, none of which stands in any part of an evaluated task.

Taken out is what an evaluated task or the sources of STS-B hold as a pair, and what holds a text of theirs of
four words or more, so that the transferred model has seen nothing of them that the plain one has not. With
``in_task`` the paraphrases among the rows to be trained on are added, but for pairs that another task is
tested on: STS-B's rows hold hundreds of MRPC's pairs.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal

import numpy as np

from tenor.corpora.glue import read_cola, read_rte
from tenor.corpora.minbert import read_quora
from tenor.corpora.mrpc import read_mrpc
from tenor.corpora.multimwa import PARTS, read_multimwa
from tenor.corpora.paraphrases import read_pan, read_turk
from tenor.corpora.pivots import pivots
from tenor.corpora.quora import read_quora_10k
from tenor.corpora.sts import read_all_semeval, read_stsb
from tenor.corpora.tatoeba import read_tatoeba, read_tatoeba_asset
from tenor.errors import TenorError
from tenor.objectives.paraphrase.leaks import FEWEST_WORDS, Measured, check_leaks
from tenor.recipes.recipe import Context
from tenor.recipes.rows import Row, TextPair, read_rows
from tenor.recipes.transfer_fine_tuning import made_up
from tenor.recipes.transfer_fine_tuning.data import MADE_UP, SINGLE, TASKS, read_sst2, rows_folder
from tenor.text.examples import Pair
from tenor.text.overlap import fingerprints

PARAPHRASES_FROM = 4.0  # STS-B's score of pairs that the in-task run takes for paraphrases


def evaluated(context: Context) -> dict[str, list[TextPair]]:
    """Return the pairs of all parts of the evaluated tasks, and of the sources of STS-B."""
    if context.data is None:
        rows = rows_folder(context)
        parts = {
            task: [*read_rows(rows / f"{task}.train.jsonl"), *read_rows(rows / f"{task}.test.jsonl")]
            for task in TASKS
        }
        return {task: _pairs(found) for task, found in parts.items() if task not in SINGLE}
    mrpc, stsb, rte = (context.folder(name) for name in ("mrpc", "stsb", "rte"))
    course, more = context.folder("minbert"), context.folder("quora-10k")
    return {
        "mrpc": _texts(read_mrpc(mrpc, "test"), read_mrpc(mrpc, "train")),
        "stsb": _texts(read_stsb(stsb, "dev"), read_stsb(stsb, "test"), read_stsb(stsb, "train")),
        "quora": _texts(read_quora(course), read_quora_10k(more)),
        "rte": _texts(read_rte(rte, "train"), read_rte(rte, "dev"), read_rte(rte, "test")),
        "semeval-sts": _texts(read_all_semeval(context.folder("semeval-sts"))),
    }


def _texts(*parts: Iterable[Pair]) -> list[TextPair]:
    return [pair.texts for pair in chain(*parts)]


def _pairs(rows: Iterable[Row]) -> list[TextPair]:
    return [(row["first"], row["second"]) for row in rows]


def single_texts(context: Context) -> Iterator[str]:
    """Yield the texts of the tasks that have one text a row, of all parts."""
    if context.data is None:
        rows = rows_folder(context)
        for task in filter(TASKS.__contains__, SINGLE):
            yield from (row["text"] for row in read_rows(rows / f"{task}.test.jsonl"))
        return
    films, cola = context.folder("sentence-cls"), context.folder("cola")
    for split in ("dev", "test", "train"):
        yield from (sentence.text for sentence in read_sst2(films, split))
    splits: tuple[Literal["train", "val", "dev", "test"], ...] = ("train", "val", "dev", "test")
    for part in splits:
        yield from (sentence.text for sentence in read_cola(cola, part))


def gather_pairs(context: Context, *, in_task: bool) -> tuple[list[TextPair], dict[str, dict[str, int]]]:
    """Return the stage's pairs without leaks and repeats, and what became of each source's rows."""
    known = evaluated(context)
    # Made-up rows are all made of the same few words, so that only whole pairs can be told apart.
    fewest = None if context.data is None else FEWEST_WORDS
    measured = Measured(chain.from_iterable(known.values()), texts=single_texts(context), fewest_words=fewest)
    seen: set[int] = set()
    found: list[TextPair] = []
    counts: dict[str, dict[str, int]] = {}
    for source, given in _sources(context).items():
        pairs = [(" ".join(one.split()), " ".join(two.split())) for one, two in given]
        own, counts[source] = _kept(pairs, measured, seen)
        found += own
    check_leaks(found, known)
    if in_task:
        tested = _tested(context)
        alone = Measured(chain.from_iterable(tested.values()), fewest_words=None)
        own, counts["rows of the tasks (in-task)"] = _kept(list(_in_task(context)), alone, seen)
        check_leaks(own, tested)
        found += own
    if len(found) < 2:
        raise TenorError(
            "No pairs are left for the stage; every one of them also stands in an evaluated task."
        )
    return found, counts


def _kept(
    pairs: Sequence[TextPair], measured: Measured, seen: set[int]
) -> tuple[list[TextPair], dict[str, int]]:
    """Return the pairs that are neither measured on nor there already, and what became of all."""
    leaks = measured.holds(pairs)
    left = [pair for pair, leak in zip(pairs, leaks, strict=True) if not leak]
    own = _new(left, seen)
    told = {"pairs": len(pairs), "leaks": int(leaks.sum()), "repeats": len(left) - len(own), "kept": len(own)}
    return own, told


def _sources(context: Context) -> dict[str, Iterable[TextPair]]:
    if context.data is None:
        return {"made up": made_up.paraphrases(MADE_UP["pairs"], np.random.default_rng(1))}
    tatoeba = context.folder("tatoeba")
    translated = [read_tatoeba(tatoeba, "fra"), read_tatoeba(tatoeba, "deu")]
    if context.settings["more_languages"]:
        translated += [read_tatoeba_asset("spa"), read_tatoeba_asset("ukr")]
    pan = read_pan(context.folder("pan-paraphrase"), "train")
    aligned = [read_multimwa(context.folder("multimwa"), part, "train") for part in PARTS]
    return {
        "PAN, train": (pair.texts for pair in pan if pair.label == "1"),
        "TurkCorpus, tune": (pair.texts for pair in read_turk(context.folder("turkcorpus"), "tune")),
        "MultiMWA, train": ((" ".join(pair.first), " ".join(pair.second)) for pair in chain(*aligned)),
        "Tatoeba, same translation": pivots(pair.texts for pair in chain(*translated)),
    }


def _new(pairs: Iterable[TextPair], seen: set[int]) -> list[TextPair]:
    """Leave out pairs of two equal texts, and what was there before."""
    kept = []
    pairs = [pair for pair in pairs if all(pair)]
    sides = [fingerprints(pair[side] for pair in pairs) for side in range(2)]
    for pair, whole, same in zip(pairs, fingerprints(pairs).tolist(), sides[0] == sides[1], strict=True):
        if whole not in seen and not same:
            seen.add(whole)
            kept.append(pair)
    return kept


def _tested(context: Context) -> dict[str, list[TextPair]]:
    """Return the pairs that the tasks are tested on."""
    rows = rows_folder(context)
    return {task: _pairs(read_rows(rows / f"{task}.test.jsonl")) for task in TASKS if task not in SINGLE}


def _in_task(context: Context) -> Iterator[TextPair]:
    """Yield the paraphrases among the rows that tasks are trained on."""
    rows = rows_folder(context)
    for task in ("mrpc", "quora"):
        yield from _pairs(row for row in read_rows(rows / f"{task}.train.jsonl") if row["label"] == "1")
    yield from _pairs(row for row in read_rows(rows / "stsb.train.jsonl") if row["score"] >= PARAPHRASES_FROM)
