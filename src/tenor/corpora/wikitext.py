"""WikiText-2 (Merity et al., 2016): good articles of Wikipedia, tokenised; headings stand between ``=``."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import numbered_lines
from tenor.text.examples import Sentence


def read_wikitext(folder: Path, split: Literal["valid", "test"]) -> Iterator[Sentence]:
    """Yield paragraphs as people write them: without ``@-@`` and ``<unk>``; headings are left out."""
    for origin, line in numbered_lines(folder / f"{split}.txt.gz"):
        text = re.sub(r" @([-,.])@ ", r"\1", line.strip()).replace("<unk>", "")
        if text and not text.startswith("="):
            yield Sentence(text, origin)


WIKITEXT_2 = Corpus(
    name="wikitext-2",
    about="the valid and test parts of WikiText-2, articles of Wikipedia",
    licence="CC BY-SA 3.0",
    obtain="Get the valid and test files of WikiText-2, as in https://github.com/thunlp/SememeRNN, and pack "
    "them with gzip.",
    splits={
        split: Split(files=(f"{split}.txt.gz",), read=partial(read_wikitext, split=split))
        for split in ("test", "valid")
    },
)
