"""Tell premise from hypothesis by specificity, on entailment pairs of equal length: the table of the guide.

    python bench/entailment_direction.py --data DIR --model operators

DIR holds the folders sick and snli-hard. Beside word operators stands the sum of inverse document
frequencies, counted in the pairs that the operators were learned from (``tenor fetch tatoeba``).
"""

import argparse
import gzip
import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tenor.corpora.pivots import tatoeba_paraphrases
from tenor.corpora.sick import read_sick
from tenor.metrics.intervals import Interval, bootstrap
from tenor.metrics.outcomes import mean
from tenor.text.words import split_words
from tenor.use.specificity import more_specific

LABELS = ("entailment", "neutral", "contradiction")
Triple = tuple[str, str, str]


def words(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return [word.lower() for word in split_words(text).words]


def read(data: Path) -> dict[str, list[Triple]]:
    """Return premises, hypotheses and labels by the name of their set."""
    sick = [(pair.first, pair.second, str(pair.label).lower()) for pair in read_sick(data / "sick", "test")]
    with gzip.open(data / "snli-hard" / "snli_1.0_test_hard.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {
        "SICK test": sick,
        "SNLI hard": [(row["sentence1"], row["sentence2"], row["gold_label"]) for row in rows],
    }


def idf_sum() -> Callable[[str], float]:
    """Return the score of texts by document frequencies of Tatoeba's pairs."""
    texts = [text for pair in tatoeba_paraphrases() for text in pair]
    counts = Counter(word for text in texts for word in set(words(text)))
    return lambda text: sum(math.log(len(texts) / (1 + counts[word])) for word in words(text))


def share(sides: list[int]) -> Interval:
    """Return how often the first side is the more specific; a tie counts half."""
    right = np.array([{0: 1.0, 1: 0.0}.get(side, 0.5) for side in sides])
    return bootstrap(mean, right, repeats=2000, seed=0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True)
    asked = parser.parse_args()
    idf = idf_sum()
    print("| pairs of equal length | number | word operators | IDF sum |\n| --- | ---: | ---: | ---: |")
    for name, triples in read(asked.data).items():
        for label in LABELS:
            pairs = [
                (first, second)
                for first, second, given in triples
                if given == label and first != second and len(words(first)) == len(words(second))
            ]
            scores = [(idf(first), idf(second)) for first, second in pairs]
            by_idf = [-1 if one == two else int(two > one) for one, two in scores]
            ours = share(more_specific(pairs, model=asked.model))
            print(f"| {name}, {label} | {len(pairs)} | {ours} | {share(by_idf)} |")


if __name__ == "__main__":
    main()
