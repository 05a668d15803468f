"""Tell premise from hypothesis by specificity, on entailment pairs of equal length: the table of the guide.

    python bench/entailment_direction.py --data DIR --model operators

DIR holds the folders sick, nli-watson and snli-hard. Beside word operators stands the sum of inverse document
frequencies, counted in the pairs that the operators were learned from (``tenor fetch tatoeba``).
"""

import argparse
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tenor.corpora.nli import read_nli_watson, read_snli_hard
from tenor.corpora.pivots import tatoeba_paraphrases
from tenor.corpora.sick import read_sick
from tenor.metrics.intervals import Interval, bootstrap
from tenor.metrics.outcomes import mean
from tenor.recipes.probabilistic_sentences.baselines import words_of
from tenor.recipes.probabilistic_sentences.data import by_label, equally_long
from tenor.use.specificity import more_specific


def read(data: Path) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Return premises and hypotheses that differ, by the name of their set and by label."""
    return {
        "SICK test": by_label(read_sick(data / "sick", "test")),
        "NLI-Watson": by_label(read_nli_watson(data / "nli-watson")),
        "SNLI hard": by_label(read_snli_hard(data / "snli-hard")),
    }


def idf_sum() -> Callable[[str], float]:
    """Return the score of texts by document frequencies of Tatoeba's pairs."""
    texts = [text for pair in tatoeba_paraphrases() for text in pair]
    counts = Counter(word for text in texts for word in set(words_of(text)))
    return lambda text: sum(math.log(len(texts) / (1 + counts[word])) for word in words_of(text))


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
    for name, labelled in read(asked.data).items():
        for label, given in labelled.items():
            pairs = equally_long(given)
            scores = [(idf(first), idf(second)) for first, second in pairs]
            by_idf = [-1 if one == two else int(two > one) for one, two in scores]
            ours = share(more_specific(pairs, model=asked.model))
            print(f"| {name}, {label} | {len(pairs)} | {ours} | {share(by_idf)} |")


if __name__ == "__main__":
    main()
