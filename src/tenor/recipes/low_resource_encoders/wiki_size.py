"""How much text a language has: WikiSize of a compressed Wikipedia, and the same measure of any text.

WikiSize = round(log2(MB))        bin k covers 2^(k - 1/2) to 2^(k + 1/2) MB
"""

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence

MEGABYTE = 2**20
BINS: Mapping[int, str] = {
    3: "io pms scn yo",
    4: "cv lmo mg min su vo",
    5: "an bar br ce fy ga gu is jv ky lb mn my nds ne pa pnb sw tg",
    6: "af ba cy kn la mr oc sco sq tl tt uz",
    7: "az bn bs eu hi ka kk lt lv mk ml nn ta te ur",
    8: "ast be bg da el et gl hr hy ms sh sk sl th war",
    9: "fa fi he id ko no ro sr tr vi",
    10: "ar ca cs hu nl sv uk",
    11: "ceb it ja pl pt zh",
    12: "de es fr ru",
    14: "en",
}
"""The paper's languages by the WikiSize of what its encoder was pre-trained on."""


def wiki_size(megabytes: float) -> int:
    """Return the WikiSize of so many megabytes.

    >>> wiki_size(15.5 * 1024), wiki_size(10)
    (14, 3)
    """
    return round(math.log2(megabytes))


def bin_edges(size: int) -> tuple[float, float]:
    """Return from where to where a WikiSize goes, in MB.

    >>> [round(edge / 1024, 3) for edge in bin_edges(14)]
    [11.314, 22.627]
    """
    return 2.0 ** (size - 0.5), 2.0 ** (size + 0.5)


def text_size(sentences: Iterable[Sequence[str]]) -> float:
    """Return log2 of the megabytes of a text as gzip packs it: WikiSize before it is rounded."""
    text = "\n".join(" ".join(words) for words in sentences)
    return math.log2(len(zlib.compress(text.encode(), level=9, wbits=31)) / MEGABYTE)
