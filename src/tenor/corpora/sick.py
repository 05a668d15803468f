"""SICK (Marelli et al., 2014): pairs of sentences with their relatedness and the entailment between them.

Tab-separated with a header: number, two sentences, relatedness 1 to 5, judgement; quotation marks are text.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, number, tab_rows
from tenor.text.examples import Pair

_COLUMNS = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")
_JUDGEMENTS = ("NEUTRAL", "ENTAILMENT", "CONTRADICTION")
_FILES = {"train": "SICK_train.txt", "trial": "SICK_trial.txt", "test": "SICK_test_annotated.txt"}


def read_sick(folder: Path, split: Literal["train", "trial", "test"]) -> Iterator[Pair]:
    """Yield pairs with their relatedness, 1 to 5, as score and the judgement of entailment as label."""
    for origin, cells in tab_rows(folder / _FILES[split], _COLUMNS, header=True):
        label = cells[4].strip()
        if label not in _JUDGEMENTS:
            raise broken_row(origin, repr(label[:40]), ", ".join(_JUDGEMENTS))
        yield Pair(cells[1], cells[2], origin, label, number(cells[3], origin, "relatedness, 1 to 5"))


SICK = Corpus(
    name="sick",
    about="SICK, 9,927 pairs of sentences with graded relatedness and entailment",
    licence="CC BY-NC-SA 3.0",
    obtain="Get the data of SemEval-2014 task 1; https://github.com/brmson/dataset-sts holds its files.",
    splits={
        split: Split(files=(file,), read=partial(read_sick, split=split))  # type: ignore[arg-type]
        for split, file in _FILES.items()
    },
)
