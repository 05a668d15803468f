"""Reuters-21578: newswire articles of 1987, as SGML in a tar archive; 19,043 of them have a body."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from tenor.corpora.archives import tar_texts
from tenor.corpora.corpus import Corpus, Split
from tenor.errors import TenorError
from tenor.text.examples import Origin, Sentence

_FILE = "reuters21578.tar.gz"
_BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)


def read_reuters(folder: Path) -> Iterator[Sentence]:
    """Yield the body of each article as one line of text."""
    for file, text in tar_texts(folder / _FILE, lambda name: name.endswith(".sgm"), encoding="latin-1"):
        line, counted = 1, 0
        for match in _BODY.finditer(text):
            line += text.count("\n", counted, match.start())
            counted = match.start()
            body = " ".join(unescape(match[1]).replace("\x03", " ").split()).removesuffix(" Reuter")
            yield Sentence(body, Origin(file, line))
        if not counted:
            raise TenorError(f"{file}: no article has a body (<BODY>…</BODY>); get the archive again.")


REUTERS_21578 = Corpus(
    name="reuters21578",
    about="Reuters-21578, newswire articles of 1987",
    licence="for research only; not to be redistributed",
    obtain="Get reuters21578.tar.gz of http://www.daviddlewis.com/resources/testcollections/reuters21578/.",
    splits={"all": Split(files=(_FILE,), read=read_reuters)},
)
