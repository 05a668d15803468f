"""Customer reviews of products (Hu and Liu, 2004), sentence by sentence, with the strength of each opinion.

A line is ``camera[+2], size[-1]##the sentence``; strengths go from -3 to 3, and many sentences have none.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tenor.corpora.archives import zip_texts
from tenor.corpora.corpus import Corpus, Split
from tenor.errors import TenorError
from tenor.text.examples import Origin, Sentence

_STRENGTH = re.compile(r"\[([+-]\d)\]")


def read_reviews(folder: Path, part: int) -> Iterator[Sentence]:
    """Yield the sentences with an opinion; the score is the mean strength of their opinions, -3 to 3."""
    path = folder / f"product_reviews_{part}.zip"
    any_sentence = False
    for file, text in zip_texts(path, _is_review, encoding="latin-1"):
        for number, line in enumerate(text.splitlines(), start=1):
            tags, mark, sentence = line.partition("##")
            strengths = [int(strength) for strength in _STRENGTH.findall(tags)]
            if mark and strengths and sentence.strip():
                any_sentence = True
                yield Sentence(sentence.strip(), Origin(file, number), score=sum(strengths) / len(strengths))
    if not any_sentence:
        raise TenorError(
            f"{path} holds no line such as 'size[+2]##a small camera': opinions with their strengths, ## and "
            "a sentence. Get the archive again."
        )


def _is_review(name: str) -> bool:
    return name.endswith(".txt") and "README" not in name


PRODUCT_REVIEWS = Corpus(
    name="product-reviews",
    folder="nltk",
    about="Amazon's reviews of 14 products, sentences with the strength of their opinions",
    licence="see the README in its archives",
    obtain="Get packages/corpora/product_reviews_1.zip and _2.zip of https://github.com/nltk/nltk_data.",
    splits={
        str(part): Split(files=(f"product_reviews_{part}.zip",), read=partial(read_reviews, part=part))
        for part in (1, 2)
    },
)
