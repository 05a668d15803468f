"""Small tables of word vectors made from public text: PPMI, then SVD to 100 dimensions.

English, German, French: Tatoeba and Multi30k; Finnish: Tatoeba; English twice more: books, and news with
other sources.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.errors import TenorError, did_you_mean
from tenor.words.vectors import WordVectors

FILES: Mapping[str, str] = {
    **{language: f"{language}_tatoeba_multi30k_ppmi_svd_100d.vec.gz" for language in ("en", "de", "fr")},
    "fi": "fi_tatoeba_ppmi_svd_100d.vec.gz",
    "en-books": "en_gutenberg_ppmi_svd_w5_100d.vec.gz",
    "en-news": "en_newsmix_ppmi_svd_w2_100d.vec.gz",
}


def read_vectors(folder: Path, name: str) -> WordVectors:
    """Read a table by its name in ``FILES``."""
    if name not in FILES:
        raise TenorError(
            f"There is no table of vectors {name!r}; there are {', '.join(FILES)}.{did_you_mean(name, FILES)}"
        )
    return WordVectors.load(folder / FILES[name])


def _words(folder: Path, name: str) -> Iterator[str]:
    yield from read_vectors(folder, name).words


STATIC_VECTORS = Corpus(
    name="static-emb",
    about="PPMI-SVD vectors of English, German, French and Finnish words",
    licence="that of the texts (Tatoeba CC BY 2.0; Project Gutenberg, public domain in the United States)",
    obtain="Make such vectors with: tenor words train TEXT --method ppmi-svd.",
    splits={name: Split(files=(file,), read=partial(_words, name=name)) for name, file in FILES.items()},
)
