"""What is measured of predicted labels: words, unseen labels, malformed labels, and sentences that parse."""

import re
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome
from tenor.recipes.ccg_primitives.data import Labelled
from tenor.text.ccg_categories import parse_category
from tenor.text.ccg_chart import Chart

Labels = Sequence[Sequence[str]]
_BUNDLE = re.compile(r"[A-Z]+(\|[A-Za-z\[\]]+=[^|=]+)*")


def scored(
    corpus: str, test: Sequence[Labelled], predicted: Labels, *, seen: Collection[str], categories: bool
) -> dict[str, Outcome]:
    """Return the outcomes of a corpus; items are sentences, and scores of words are ratios of sums."""
    gold = [labels for _, labels in test]
    right = words_right(gold, predicted)
    known = [[label in seen for label in labels] for labels in gold]
    items = f"{corpus} sentences"
    well_formed = _is_category if categories else _is_bundle
    wrong = [[not well_formed(label) for label in labels] for labels in predicted]
    outcomes = {
        f"{corpus}: accuracy": _share(right, items=items),
        f"{corpus}: malformed": _share(wrong, items=items),
    }
    if not all(map(all, known)):
        of_unseen = [_where(one, [not old for old in two]) for one, two in zip(right, known, strict=True)]
        of_known = [_where(one, two) for one, two in zip(right, known, strict=True)]
        outcomes[f"{corpus}: unseen labels"] = _share(
            [words for words in of_unseen if words], items=f"{corpus} sentences with unseen labels"
        )
        outcomes[f"{corpus}: known labels"] = _share(of_known, items=items)
    return outcomes | (_parsed(corpus, predicted, list(map(all, known))) if categories else {})


def _parsed(corpus: str, predicted: Labels, known: Sequence[bool]) -> dict[str, Outcome]:
    """Return the shares of sentences that parse: of all, and of those whose true labels are all known."""
    chart = Chart()
    covered = list(map(chart.spans, predicted))
    items = f"{corpus} sentences"
    outcomes = {
        f"{corpus}: CKY coverage": Outcome.of("mean", covered, items=items),
        f"{corpus}: parsed as a sentence": Outcome.of(
            "mean", list(map(chart.is_sentence, predicted)), items=items
        ),
    }
    if not all(known) and any(known):
        outcomes[f"{corpus}: CKY coverage, known labels"] = Outcome.of(
            "mean", _where(covered, known), items=f"{corpus} sentences without unseen labels"
        )
    return outcomes


def words_right(gold: Labels, predicted: Labels) -> list[list[bool]]:
    """Return which words of every sentence have the true label."""
    return [[g == p for g, p in zip(one, two, strict=True)] for one, two in zip(gold, predicted, strict=True)]


def _share(counted: Sequence[Sequence[bool]], *, items: str) -> Outcome:
    """Return the share of words for which something holds, counted by sentence."""
    return Outcome.of("ratio", list(map(sum, counted)), list(map(len, counted)), items=items)


def _where(values: Sequence[bool], wanted: Sequence[bool]) -> list[bool]:
    return [value for value, want in zip(values, wanted, strict=True) if want]


def packed(words: Sequence[Sequence[bool]]) -> str:
    """Return truth values of all words as text, eight in a byte, for results that JSON holds.

    >>> unpacked(packed([[True, False], [True]]), 3).tolist()
    [True, False, True]
    """
    return b64encode(np.packbits(list(chain.from_iterable(words))).tobytes()).decode("ascii")


def unpacked(text: str, count: int) -> NDArray[np.bool_]:
    """Return the truth values of ``count`` words."""
    return np.unpackbits(np.frombuffer(b64decode(text), dtype=np.uint8), count=count).astype(bool)


def _is_category(label: str) -> bool:
    return parse_category(label) is not None


def _is_bundle(label: str) -> bool:
    """Whether a label is a part of speech and features, none of them twice."""
    names = [part.partition("=")[0] for part in label.split("|")]
    return _BUNDLE.fullmatch(label) is not None and len(set(names)) == len(names)


def most_frequent_tags(train: Iterable[Labelled], test: Iterable[Labelled]) -> list[list[str]]:
    """Give every word its most frequent label in training, and an unknown word the most frequent of all.

    >>> most_frequent_tags([(["a", "cat"], ["DET", "NOUN"]), (["cat"], ["NOUN"])], [(["a", "dog"], [])])
    [['DET', 'NOUN']]
    """
    counts: dict[str, Counter[str]] = {}
    every: Counter[str] = Counter()
    for words, labels in train:
        every.update(labels)
        for word, label in zip(words, labels, strict=True):
            counts.setdefault(word, Counter())[label] += 1
    usual = {word: labels.most_common(1)[0][0] for word, labels in counts.items()}
    otherwise = every.most_common(1)[0][0]
    return [[usual.get(word, otherwise) for word in words] for words, _ in test]
