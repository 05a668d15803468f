"""Natural language inference: premise and hypothesis, and whether the one entails the other.

NLI-Watson is a CSV table with a language to every row; SNLI's hard part, whose labels cannot be guessed from
the hypothesis alone (Gururangan et al., 2018), has a JSON object a line.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, numbered_lines, quoted_rows
from tenor.text.examples import Origin, Pair

LABELS = ("entailment", "neutral", "contradiction")
_WATSON = ("premise", "hypothesis", "lang_abv", "label")
_SNLI_HARD = "snli_1.0_test_hard.jsonl.gz"


def read_nli_watson(folder: Path, language: str = "en") -> Iterator[Pair]:
    """Yield premise and hypothesis of a language with their label."""
    for row in quoted_rows(folder / "train.csv.gz", _WATSON, delimiter=","):
        label = row.values["label"].strip()
        if label not in ("0", "1", "2"):
            raise broken_row(row.origin, repr(label[:40]), "0, 1 or 2")
        if row.values["lang_abv"] == language:
            yield Pair(row.values["premise"], row.values["hypothesis"], row.origin, LABELS[int(label)])


def read_snli_hard(folder: Path) -> Iterator[Pair]:
    """Yield premise and hypothesis with the label that most annotators gave."""
    for origin, line in numbered_lines(folder / _SNLI_HARD):
        found = _object(line, origin)
        label = found.get("gold_label")
        if label not in LABELS or not all(
            isinstance(found.get(key), str) for key in ("sentence1", "sentence2")
        ):
            raise broken_row(origin, repr(line[:40]), f"two sentences and one of {', '.join(LABELS)}")
        yield Pair(found["sentence1"], found["sentence2"], origin, label)


def _object(line: str, origin: Origin) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise broken_row(origin, repr(line[:40]), "the keys and values of a JSON object")
    return found


NLI_WATSON = Corpus(
    name="nli-watson",
    about="Contradictory, My Dear Watson, 12,120 pairs of premise and hypothesis in 15 languages",
    licence="that of the competition; built from MultiNLI and XNLI",
    obtain="Get train.csv of https://www.kaggle.com/competitions/contradictory-my-dear-watson and gzip it.",
    splits={
        language: Split(files=("train.csv.gz",), read=partial(read_nli_watson, language=language))
        for language in ("en",)
    },
)
SNLI_HARD = Corpus(
    name="snli-hard",
    about="the hard part of SNLI's test set, 3,261 pairs of premise and hypothesis",
    licence="CC BY-SA 4.0",
    obtain="Get snli_1.0_test_hard.jsonl of https://nlp.stanford.edu/projects/snli/ and gzip it.",
    splits={"test": Split(files=(_SNLI_HARD,), read=read_snli_hard)},
)
