"""Corpora of words with tags in CoNLL columns: entities, temporal expressions, parts of speech."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tenor.corpora.archives import zip_member
from tenor.corpora.corpus import Corpus, Split
from tenor.text.conll import conll_sentences, read_conll
from tenor.text.examples import TaggedSentence
from tenor.text.problems import Problems

_LANGUAGES = ("amh", "hau", "ibo", "kin", "lug", "luo", "pcm", "swa", "wol", "yor")
_DOMAINS = ("ai", "literature", "music", "politics", "science", "conll2003")
_PARTS = ("train", "dev", "test")
_DATE_LINE = "*!-DCTVALUE"  # says when a document of timex-bio was written


def read_columns(folder: Path, file: str, *, word: int = 0, tag: int = 1) -> Iterator[TaggedSentence]:
    """Yield the sentences of a file of columns, gzipped or not; a broken line is refused."""
    return read_conll(folder / file, word=word, tag=tag, problems=Problems(strict=True))


def read_timexes(folder: Path, file: str) -> Iterator[TaggedSentence]:
    """Yield sentences with their temporal expressions; the lines that date a document are passed over."""
    for sentence in read_columns(folder, file):
        if not sentence.words[0].startswith(_DATE_LINE):
            yield sentence


def read_conll2002(folder: Path, file: str) -> Iterator[TaggedSentence]:
    """Yield the sentences of one of the files in the archive."""
    opened = zip_member(folder / "conll2002.zip", f"conll2002/{file}")
    return conll_sentences(opened, word=0, tag=-1, problems=Problems(strict=True))


def _splits(**files: str) -> dict[str, Split]:
    return {name: Split(files=(file,), read=partial(read_columns, file=file)) for name, file in files.items()}


CONLL2003 = Corpus(
    name="conll2003",
    about="CoNLL-2003, English news of Reuters with four types of entities, 20,744 sentences",
    licence="annotation free for research; the texts come from NIST (Reuters); not to be redistributed",
    obtain="Follow https://www.clips.uantwerpen.be/conll2003/ner/ and pack eng.train, eng.testa and "
    "eng.testb with gzip.",
    splits={
        name: Split(files=(f"{file}.gz",), read=partial(read_columns, file=f"{file}.gz", tag=3))
        for name, file in (("train", "eng.train"), ("dev", "eng.testa"), ("test", "eng.testb"))
    },
)

WNUT17 = Corpus(
    name="wnut17",
    about="WNUT-17, emerging entities of six types in noisy user texts",
    licence="CC BY 4.0",
    obtain="Get wnut17train.conll and emerging.dev.conll of https://github.com/leondz/emerging_entities_17.",
    splits=_splits(train="wnut17train.conll", dev="emerging.dev.conll"),
)

CROSSNER = Corpus(
    name="crossner",
    about="CrossNER, entities of five domains, and CoNLL-2003 as their source",
    licence="MIT (the part of CoNLL-2003 is not to be redistributed)",
    obtain="Get the folder ner_data of https://github.com/zliucr/CrossNER.",
    splits=_splits(**{f"{domain}-{part}": f"{domain}/{part}.txt" for domain in _DOMAINS for part in _PARTS}),
)

CBS_SCITECH = Corpus(
    name="cbs-scitech-news",
    about="CBS SciTech News, 2,000 sentences of technology news with the four types of CoNLL-2003 (BIOES)",
    licence="not stated; not to be redistributed",
    obtain="Get unsupervised_domain_adaptation/data/news_tech/tech_test of "
    "https://github.com/jiachenwestlake/Cross-Domain_NER.",
    splits=_splits(test="tech_test"),
)

MASAKHANER = Corpus(
    name="masakhaner",
    about="MasakhaNER, news in ten African languages with persons, organisations, places and dates",
    licence="CC BY-NC 4.0",
    obtain="Get the folder data of https://github.com/masakhane-io/masakhane-ner and pack its files with "
    "gzip.",
    splits=_splits(
        **{f"{language}-{part}": f"{language}/{part}.txt.gz" for language in _LANGUAGES for part in _PARTS}
    ),
)

CONLL2002 = Corpus(
    name="conll2002",
    folder="nltk",
    about="CoNLL-2002, Spanish and Dutch news with four types of entities",
    licence="free for research; not to be redistributed",
    obtain="Get packages/corpora/conll2002.zip of https://github.com/nltk/nltk_data.",
    splits={
        f"{language}-{part}": Split(
            files=("conll2002.zip",), read=partial(read_conll2002, file=f"{name}.{file}")
        )
        for language, name in (("es", "esp"), ("nl", "ned"))
        for part, file in (("train", "train"), ("dev", "testa"), ("test", "testb"))
    },
)

TIMEX_BIO = Corpus(
    name="timex-bio",
    about="temporal expressions of TimeBank and MEANTIME, English and Spanish, word by word",
    licence="annotation as its sources state (TimeBank: LDC); not to be redistributed",
    obtain="Get the data of https://github.com/NGEscribano/XTN-timexes and pack the files with gzip.",
    splits={
        f"{corpus}-{language}-{part}": Split(
            files=(f"{corpus}/{language}/{part}.tsv.gz",),
            read=partial(read_timexes, file=f"{corpus}/{language}/{part}.tsv.gz"),
        )
        for corpus, parts in (("timebank", ("train", "test")), ("meantime", ("test",)))
        for language in ("en", "es")
        for part in parts
    },
)
