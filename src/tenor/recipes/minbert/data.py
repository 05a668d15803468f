"""The train, validation and test splits of the three tasks, with no test row left in anything trained on.

Tested on: the dev files of sentiment and similarity, and 4,000 Quora pairs which share no question with any
other row. Protected, that is never trained on: those, the course's test files, and the treebank's dev and
test sentences. What is trained on is compared with the protected rows by the one overlap filter of the
project (pairs in either order). A part of each train file, ``choose``, picks the checkpoint, so that the dev
rows are looked at once.

Quora's original train file is not part of the data, so that paraphrase learns from the rest of its dev file
and from 10,000 further pairs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.assets import find
from tenor.corpora.minbert import MINBERT, read_quora, read_sst, read_sts
from tenor.corpora.product_reviews import PRODUCT_REVIEWS, read_reviews
from tenor.corpora.quora import QUORA_10K, read_quora_10k
from tenor.corpora.sick import SICK, read_sick
from tenor.corpora.sst_trees import SST_TREES, read_trees
from tenor.corpora.sts import read_all_semeval
from tenor.corpora.treebank_spelling import untokenised
from tenor.corpora.valence import rated_sources, read_valence
from tenor.files import write_json
from tenor.recipes.recipe import Context, DataFolder
from tenor.recipes.rows import Row, labelled, read_rows, scored, texts_of, write_rows
from tenor.text.grouped_split import hold_out
from tenor.text.overlap import fingerprints, overlap, shares_passage
from tenor.text.transitive_pairs import implied_pairs

TESTED_PAIRS = 4_000
VALIDATION = {"sentiment": 850, "paraphrase": 2_000, "similarity": 600}
# The files of rows that are written here.
COLUMNS = {
    "sentiment": {"text": "text", "label": "label"},
    "paraphrase": {"first": "first", "second": "second", "label": "label"},
    "similarity": {"first": "first", "second": "second", "score": "score"},
}
LABELS = {"sentiment": ("0", "1", "2", "3", "4"), "paraphrase": ("0", "1")}

FOLDERS = (
    DataFolder.of(MINBERT),
    DataFolder.of(SST_TREES),
    DataFolder.of(QUORA_10K),
    DataFolder.of(SICK, optional=True),
    DataFolder.of(PRODUCT_REVIEWS, optional=True),
)


# What both reports' pages say of the data and the encoder.
DIFFERS = (
    "The encoder of the small scale is the 6-layer starter (22.7 million parameters), which was tuned for "
    "sentence similarity before; the report's is BERT base. Its learning rate is 5e-5 instead of 1e-5, as "
    "it makes a small part of the steps.",
    "Quora's train file is not at hand: paraphrase learns from what is left of its dev file and from 10,000 "
    "further pairs, and is tested on 4,000 pairs that share no question with them. The starter may have seen "
    "Quora's questions in its own training.",
    "The checkpoint is chosen on a part of the train files, not on dev; dev is scored once.",
)

Rows = Mapping[str, list[Row]]  # part -> rows


class Protected:
    """What must not be trained on, and how many rows of each source were dropped for it."""

    def __init__(self, protected: Iterable[Row]) -> None:
        self._texts = [texts_of(row) for row in protected]
        self.dropped: dict[str, int] = {}

    def kept(self, source: str, rows: Iterable[Row], *, passages: bool = False) -> list[Row]:
        """Return the rows that are not protected; with ``passages``, nor share a passage with one that is."""
        rows = list(rows)
        seen = overlap([texts_of(row) for row in rows], self._texts)
        if passages:
            seen |= shares_passage(
                [row["text"] for row in rows], [text for text in self._texts if isinstance(text, str)]
            )
        self.dropped[source] = int(seen.sum())
        return [row for row, drop in zip(rows, seen, strict=True) if not drop]


def prepare(context: Context, folder: Path) -> None:
    """Write ``TASK.PART.jsonl`` (train, choose, test) for all three tasks, and ``dropped.json``."""
    dropped = {}
    for name, make in {"sentiment": _sentiment, "paraphrase": _paraphrase, "similarity": _similarity}.items():
        parts, dropped[name] = make(context)
        for part, rows in parts.items():
            write_rows(folder / f"{name}.{part}.jsonl", rows)
    write_json(folder / "dropped.json", dropped)


def prepare_extra(context: Context, rows: Path, folder: Path) -> None:
    """Write the extra rows of spec 01: product reviews for sentiment, SICK for similarity.

    ``rows`` is the folder of :func:`prepare`, whose validation split is protected too.
    """
    choose = {name: read_rows(rows / f"{name}.choose.jsonl") for name in ("sentiment", "similarity")}
    guard = Protected(_protected_sentences(context) + choose["sentiment"])
    write_rows(folder / "sentiment.extra.jsonl", guard.kept("product reviews", _reviews(context)))
    pairs = Protected(_protected_pairs(context) + choose["similarity"])
    write_rows(folder / "similarity.extra.jsonl", pairs.kept("SICK", _related(context)))
    dropped = {"sentiment": guard.dropped, "similarity": pairs.dropped}
    write_json(folder / "dropped.json", dropped)


def _reviews(context: Context) -> Iterator[Row]:
    """Yield sentences of product reviews; the strength of their opinions, -3 to 3, becomes a class 0 to 4."""
    for part in (1, 2):
        for review in read_reviews(context.folder("nltk"), part):
            assert review.score is not None
            yield {"text": review.text, "label": str(round((review.score + 3) * 4 / 6))}


def _related(context: Context) -> Iterator[Row]:
    """Yield the pairs of SICK's train and trial splits; their relatedness, 1 to 5, is stretched to 0 to 5."""
    splits: tuple[Literal["train", "trial"], ...] = ("train", "trial")
    for split in splits:
        for pair in read_sick(context.folder("sick"), split):
            assert pair.score is not None
            yield {"first": pair.first, "second": pair.second, "score": (pair.score - 1) * 5 / 4}


def prepare_more(context: Context, rows: Path, folder: Path) -> None:
    """Write all further rows that may be learned from: phrases of the treebank, graded pairs, implied pairs.

    The validation split, by which a checkpoint is chosen, is kept out of them as the protected rows are;
    ``rows`` is the folder of :func:`prepare`.
    """
    dropped = {}
    for name, make in {"sentiment": _phrases, "similarity": _graded}.items():
        kept, dropped[name] = make(context, read_rows(rows / f"{name}.choose.jsonl"))
        known = set(fingerprints(texts_of(row) for row in read_rows(rows / f"{name}.train.jsonl")).tolist())
        write_rows(folder / f"{name}.more.jsonl", _unseen(kept, known))
    write_rows(folder / "paraphrase.more.jsonl", _implied(read_rows(rows / "paraphrase.train.jsonl")))
    write_json(folder / "dropped.json", dropped)


def _implied(train: list[Row]) -> list[Row]:
    """Take the pairs of questions that follow from those trained on, which have no question of others."""
    pairs = [(row["first"], row["second"]) for row in train]
    found = implied_pairs(pairs, [row["label"] == "1" for row in train])
    return [{"first": first, "second": second, "label": str(int(same))} for (first, second), same in found]


def prepare_valence(context: Context, rows: Path, folder: Path) -> None:
    """Write texts whose sentiment 20 people have rated; many hold sentences of the treebank."""
    choose = read_rows(rows / "sentiment.choose.jsonl")
    guard = Protected(_protected_sentences(context) + choose)
    kept = []
    rated = find("valence")
    for source in rated_sources(rated):
        texts = read_valence(rated, source)
        rated_rows = ({"text": text.text, "label": str(round(text.score or 0.0))} for text in texts)
        kept += guard.kept(f"rated texts, {source}", rated_rows, passages=True)
    write_rows(folder / "valence.train.jsonl", kept)
    write_json(folder / "dropped.json", {"valence": guard.dropped})


def _phrases(context: Context, choose: list[Row]) -> tuple[list[Row], dict[str, int]]:
    """Take the phrases of two words or more; none of a sentence that is protected or validates."""
    guard = Protected(_protected_sentences(context) + choose)
    trees = list(read_trees(context.folder("sst-trees"), "train"))
    sentences = guard.kept("trees of SST train", [labelled(tree.sentence) for tree in trees])
    free = {row["text"] for row in sentences}
    phrases = [
        {"text": untokenised(phrase.text), "label": phrase.label}
        for tree in trees
        if tree.sentence.text in free
        for phrase in tree.phrases[:-1]
        if " " in phrase.text
    ]
    return guard.kept("phrases of SST train", phrases), guard.dropped


def _graded(context: Context, choose: list[Row]) -> tuple[list[Row], dict[str, int]]:
    guard = Protected(_protected_pairs(context) + choose)
    pairs = read_all_semeval(context.folder("semeval-sts"))
    rows = guard.kept("SemEval STS 2012-2014", (scored(pair) for pair in pairs if pair.score is not None))
    return rows + guard.kept("SICK", _related(context)), guard.dropped


def _unseen(rows: Iterable[Row], known: set[int]) -> list[Row]:
    """Leave out what stands in ``known`` or came before."""
    rows = list(rows)
    new = []
    for row, print_ in zip(rows, fingerprints(texts_of(row) for row in rows).tolist(), strict=True):
        if print_ not in known:
            known.add(print_)
            new.append(row)
    return new


def _protected_sentences(context: Context) -> list[Row]:
    course, trees = context.folder("minbert"), context.folder("sst-trees")
    sentences = [*read_sst(course, "dev"), *read_sst(course, "test-student")]
    parsed = [*read_trees(trees, "dev"), *read_trees(trees, "test")]
    return [labelled(sentence) for sentence in (*sentences, *(tree.sentence for tree in parsed))]


def _protected_pairs(context: Context) -> list[Row]:
    course = context.folder("minbert")
    return [scored(pair) for pair in (*read_sts(course, "dev"), *read_sts(course, "test-student"))]


def _sentiment(context: Context) -> tuple[Rows, dict[str, int]]:
    course = context.folder("minbert")
    guard = Protected(_protected_sentences(context))
    train = guard.kept("SST train", map(labelled, read_sst(course, "train")))
    train, choose = _split(train, VALIDATION["sentiment"])
    test = [labelled(sentence) for sentence in read_sst(course, "dev")]
    return {"train": train, "choose": choose, "test": test}, guard.dropped


def _similarity(context: Context) -> tuple[Rows, dict[str, int]]:
    course = context.folder("minbert")
    guard = Protected(_protected_pairs(context))
    train = guard.kept("STS train", map(scored, read_sts(course, "train")))
    train, choose = _split(train, VALIDATION["similarity"])
    test = [scored(pair) for pair in read_sts(course, "dev")]
    return {"train": train, "choose": choose, "test": test}, guard.dropped


def _paraphrase(context: Context) -> tuple[Rows, dict[str, int]]:
    """Hold out whole components of questions, so that no tested question is trained on in any pair."""
    course = [labelled(pair) for pair in read_quora(context.folder("minbert"))]
    more = [labelled(pair) for pair in read_quora_10k(context.folder("quora-10k"))]
    tested = hold_out([(row["first"], row["second"]) for row in course], TESTED_PAIRS)
    test, rest = _parted(course, tested)
    # Validated on the file that is tested on: the other has other questions, half of them duplicates.
    chosen = hold_out([(row["first"], row["second"]) for row in rest], VALIDATION["paraphrase"], turn=4)
    choose, rest = _parted(rest, chosen)
    questions = [question for row in test + choose for question in (row["first"], row["second"])]
    known = set(fingerprints(questions).tolist())

    def unknown(rows: list[Row]) -> list[Row]:
        first, second = (fingerprints(row[side] for row in rows).tolist() for side in ("first", "second"))
        return [row for row, *pair in zip(rows, first, second, strict=True) if known.isdisjoint(pair)]

    again = overlap([texts_of(row) for row in more], [texts_of(row) for row in course])
    repeated, more = _parted(more, again)
    train = rest + unknown(more)
    dropped = {
        "Quora 10k: shares a question with the test or validation split": len(more)
        - (len(train) - len(rest)),
        "Quora 10k: stands in the other file too": len(repeated),
    }
    return {"train": train, "choose": choose, "test": test}, dropped


def _parted(rows: Sequence[Row], which: NDArray[np.bool_]) -> tuple[list[Row], list[Row]]:
    inside = [row for row, chosen in zip(rows, which, strict=True) if chosen]
    return inside, [row for row, chosen in zip(rows, which, strict=True) if not chosen]


def _split(rows: list[Row], count: int) -> tuple[list[Row], list[Row]]:
    """Take a validation split at random, to choose checkpoints by; the same whatever the seed of a run."""
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[np.random.default_rng(0).permutation(len(rows))[:count]] = True
    choose, train = _parted(rows, chosen)
    again = overlap([texts_of(row) for row in train], [texts_of(row) for row in choose])
    return _parted(train, ~again)[0], choose
