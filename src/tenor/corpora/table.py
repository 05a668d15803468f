"""The table of corpora: to add one, declare it in a module of this room and add it here."""

from collections.abc import Mapping

from tenor.corpora.agnews import AGNEWS
from tenor.corpora.brown import BROWN
from tenor.corpora.columns_of_tags import (
    CBS_SCITECH,
    CONLL2002,
    CONLL2003,
    CROSSNER,
    MASAKHANER,
    TIMEX_BIO,
    WNUT17,
)
from tenor.corpora.conll2000 import CONLL2000
from tenor.corpora.corpus import Corpus
from tenor.corpora.glue import COLA, RTE
from tenor.corpora.gutenberg import GUTENBERG
from tenor.corpora.minbert import MINBERT
from tenor.corpora.mrpc import MRPC
from tenor.corpora.multimwa import MULTIMWA
from tenor.corpora.nli import NLI_WATSON, SNLI_HARD
from tenor.corpora.nltk_texts import ABC, BROWN_TEXT, INAUGURAL, STATE_UNION, WEBTEXT
from tenor.corpora.panlex import PANLEX
from tenor.corpora.paraphrases import PAN, TURKCORPUS
from tenor.corpora.product_reviews import PRODUCT_REVIEWS
from tenor.corpora.quora import QUORA_10K
from tenor.corpora.reuters import REUTERS_21578
from tenor.corpora.sentence_cls import SENTENCE_CLS
from tenor.corpora.sick import SICK
from tenor.corpora.sst_trees import SST_TREES
from tenor.corpora.static_vectors import STATIC_VECTORS
from tenor.corpora.stopwords import STOPWORDS
from tenor.corpora.sts import SEMEVAL_STS, STSB
from tenor.corpora.supertags import CCG
from tenor.corpora.tatoeba import TATOEBA, TATOEBA_FINNISH, TATOEBA_MORE
from tenor.corpora.temporal import ESTONIAN_TIMEML, TEMPEVAL3
from tenor.corpora.treebank import TREEBANK
from tenor.corpora.universal_dependencies import UD, UD_ENGLISH_EWT
from tenor.corpora.valence import VALENCE
from tenor.corpora.wikitext import WIKITEXT_2
from tenor.corpora.word_benchmarks import WORD_BENCHMARKS
from tenor.corpora.xling_eval import XLING_EVAL
from tenor.errors import TenorError, did_you_mean

CORPORA: Mapping[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        # sentences and pairs of them
        MINBERT, QUORA_10K, SST_TREES, SENTENCE_CLS, PRODUCT_REVIEWS, VALENCE, AGNEWS, SICK, MRPC, STSB,
        SEMEVAL_STS, RTE, NLI_WATSON, SNLI_HARD, COLA, PAN, TURKCORPUS, MULTIMWA, TATOEBA,
        TATOEBA_FINNISH, TATOEBA_MORE,
        # words
        WORD_BENCHMARKS, XLING_EVAL, PANLEX, STATIC_VECTORS, STOPWORDS,
        # tags, chunks and trees
        BROWN, TREEBANK, CONLL2000, UD_ENGLISH_EWT, UD, CONLL2003, CONLL2002, WNUT17, CROSSNER, CBS_SCITECH,
        MASAKHANER, TIMEX_BIO, TEMPEVAL3, ESTONIAN_TIMEML, CCG,
        # running text
        GUTENBERG, WIKITEXT_2, REUTERS_21578, BROWN_TEXT, ABC, WEBTEXT, STATE_UNION, INAUGURAL,
    )
}  # fmt: skip


def look_up(name: str) -> Corpus:
    """Return a corpus by its name, or name the nearest.

    >>> look_up("mrpc").folder
    'mrpc'
    """
    if name not in CORPORA:
        near = did_you_mean(name, CORPORA) or f" There are {', '.join(CORPORA)}."
        raise TenorError(f"There is no corpus {name!r}.{near}")
    return CORPORA[name]
