"""Plain text that NLTK distributes in zip archives: paragraphs between blank lines, one file a document.

Brown's words carry tags (``jury/nn``), which are taken off here; ``tenor.corpora.brown`` reads them.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath

from tenor.corpora.archives import zip_texts
from tenor.corpora.corpus import Corpus, Split
from tenor.text.examples import Origin, Sentence

_TAGGED = re.compile(r"(\S+)/[^/\s]+")
_BETWEEN = re.compile(r"\n\s*\n")


def read_paragraphs(folder: Path, corpus: str) -> Iterator[Sentence]:
    """Yield the paragraphs of an archive, ``"brown"`` or another, each as one line without tags."""
    for file, raw in zip_texts(folder / f"{corpus}.zip", _is_document, encoding="latin-1"):
        text = raw.replace("\r\n", "\n")
        if corpus == "brown":
            text = _TAGGED.sub(lambda match: match[1], text)
        yield from _split(text, file)


def _is_document(name: str) -> bool:
    base = PurePosixPath(name).name
    return not (base.isupper() or base.startswith("cats"))  # README, CONTENTS, tables of categories


def _split(text: str, file: str) -> Iterator[Sentence]:
    line, begin = 1, 0
    for end, after in [*(match.span() for match in _BETWEEN.finditer(text)), (len(text), len(text))]:
        part = text[begin:end]
        if part.strip():
            lead = part[: len(part) - len(part.lstrip())].count("\n")
            yield Sentence(" ".join(part.split()), Origin(file, line + lead))
        line += text.count("\n", begin, after)
        begin = after


def _declare(name: str, file: str, about: str, licence: str) -> Corpus:
    return Corpus(
        name=name,
        folder="nltk",
        about=about,
        licence=licence,
        obtain=f"Get packages/corpora/{file}.zip of https://github.com/nltk/nltk_data.",
        splits={"all": Split(files=(f"{file}.zip",), read=partial(read_paragraphs, corpus=file))},
    )


_README = "see the README in its archive"
BROWN_TEXT = _declare(
    "brown-text", "brown", "the Brown corpus as plain text, 500 American texts of 1961",
    "may be redistributed (its README)",
)  # fmt: skip
ABC = _declare("abc", "abc", "news of the Australian Broadcasting Commission of 2006", _README)
WEBTEXT = _declare("webtext", "webtext", "text of the web: forums, scripts, ads, reviews of wine", _README)
STATE_UNION = _declare(
    "state-union", "state_union", "State of the Union addresses of US presidents, 1945 to 2006", _README
)
INAUGURAL = _declare("inaugural", "inaugural", "inaugural addresses of US presidents from 1789 on", _README)
NLTK_TEXTS: Mapping[str, Corpus] = {
    "brown": BROWN_TEXT,
    "abc": ABC,
    "webtext": WEBTEXT,
    "state_union": STATE_UNION,
    "inaugural": INAUGURAL,
}
"""Archives by name, and what they hold."""
