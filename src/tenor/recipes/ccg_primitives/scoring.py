"""What is measured of predicted labels: words, unseen labels, malformed labels, and sentences that parse."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

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
    pairs = list(zip(gold, predicted, strict=True))
    right = [sum(g == p for g, p in zip(one, two, strict=True)) for one, two in pairs]
    unseen = [[(g, p) for g, p in zip(one, two, strict=True) if g not in seen] for one, two in pairs]
    new = [sentence for sentence in unseen if sentence]
    well_formed = _is_category if categories else _is_bundle
    wrong = [sum(not well_formed(label) for label in labels) for labels in predicted]
    words = [len(labels) for labels in gold]
    outcomes = {f"{corpus}: accuracy": Outcome.of("ratio", right, words, items=f"{corpus} sentences")}
    if new:
        counts = [sum(g == p for g, p in sentence) for sentence in new]
        outcomes[f"{corpus}: unseen labels"] = Outcome.of(
            "ratio", counts, list(map(len, new)), items=f"{corpus} sentences with unseen labels"
        )
    if categories:
        chart = Chart()
        items = f"{corpus} sentences"
        outcomes[f"{corpus}: CKY coverage"] = Outcome.of(
            "mean", list(map(chart.spans, predicted)), items=items
        )
        outcomes[f"{corpus}: parsed as a sentence"] = Outcome.of(
            "mean", list(map(chart.is_sentence, predicted)), items=items
        )
    outcomes[f"{corpus}: malformed"] = Outcome.of("ratio", wrong, words, items=f"{corpus} sentences")
    return outcomes


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
