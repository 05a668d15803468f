"""Candidate phrases by spaCy's English pipeline: noun chunks and the subtrees of its dependency parse.

Words stay as they are given: the pipeline gets a document of just these words, so that its spans are spans
of theirs. What the pipeline is made of stands here, and not in its folder, whose ``config.cfg`` could name
any function that happens to be registered. Only tables and weights are read from there (JSON and msgpack, no
pickle), and only after every file has the sha256 that the table of assets asks for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.extras import require
from tenor.text.alignments import Span
from tenor.use.align.words import is_punctuation

ASSET = "spacy-en"
_WIDTH = 96
_NOT_READ = ("config", "meta", "tokenizer", "vectors")  # beside parts that the pipeline here does not have
_BATCH = 256  # texts that are parsed at once

# Punctuation and clitics without a space before them, and without one after: the parser looks at spaces too.
_CLOSING = frozenset(". , ; : ! ? ) ] } % ' '' ” ’ … 's n't 'm 're 've 'll 'd".split())  # noqa: SIM905
_OPENING = frozenset("( [ { $ £ € # `` “ ‘".split())  # noqa: SIM905


@dataclass(frozen=True, eq=False)
class SpacyPhrases:
    """Finds the phrases of texts in words; :meth:`load` takes the asset.

    >>> phrases = SpacyPhrases.load()                                  # doctest: +SKIP
    >>> phrases.spans([["my", "old", "aunt", "sleeps"]])               # doctest: +SKIP
    [[(0, 1), (0, 3), (0, 4), (1, 2)]]
    """

    pipeline: Any = field(repr=False)
    fingerprint: str = ""

    @classmethod
    def load(cls) -> "SpacyPhrases":
        """Load the fetched pipeline, and say what is missing where it cannot be."""
        from tenor.assets.fetch import verify
        from tenor.assets.table import look_up

        _spacy()  # first: without it there is no use in fetching the pipeline
        return cls.from_folder(verify(ASSET), fingerprint=look_up(ASSET).fingerprint)

    @classmethod
    def from_folder(cls, folder: str | Path, *, fingerprint: str = "") -> "SpacyPhrases":
        """Load the weights that spaCy has written for a pipeline such as :func:`new_pipeline`."""
        pipeline = new_pipeline()
        try:
            pipeline.from_disk(Path(folder), exclude=_NOT_READ)
        except Exception as error:  # whatever spaCy, thinc, msgpack or numpy make of damaged files
            what = f"{type(error).__name__}: {str(error)[:200]}"
            raise TenorError(
                f"spaCy cannot read the pipeline in {folder} ({what}). Get it again with: "
                f"tenor fetch {ASSET} --force"
            ) from error
        return cls(pipeline, fingerprint)

    def spans(self, texts: Sequence[Sequence[str]]) -> list[list[Span]]:
        """Return the noun chunks and subtrees of every text, sorted, without punctuation at their ends."""
        document = _spacy().tokens.Doc
        with self.pipeline.memory_zone():  # else new words would be kept for ever
            documents = [
                document(self.pipeline.vocab, words=list(words), spaces=spaces(words)) for words in texts
            ]
            return [
                _spans(parsed, words)
                for words, parsed in zip(texts, self.pipeline.pipe(documents, batch_size=_BATCH), strict=True)
            ]


def new_pipeline() -> Any:
    """Return an English pipeline of tagger and parser as spaCy's small one has them, without weights."""
    pipeline = _spacy().blank("en")
    shared = {"@architectures": "spacy.Tok2VecListener.v1", "width": _WIDTH, "upstream": "tok2vec"}
    pipeline.add_pipe("tok2vec", config={"model": _word_network()})
    tagger = {"@architectures": "spacy.Tagger.v2", "nO": None, "normalize": False, "tok2vec": shared}
    pipeline.add_pipe("tagger", config={"model": tagger})
    parser = {
        "@architectures": "spacy.TransitionBasedParser.v2", "state_type": "parser", "hidden_width": 64,
        "extra_state_tokens": False, "maxout_pieces": 2, "use_upper": True, "nO": None, "tok2vec": shared,
    }  # fmt: skip
    pipeline.add_pipe("parser", config={"model": parser})
    pipeline.add_pipe("attribute_ruler")
    return pipeline


def _word_network() -> dict[str, Any]:
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2", "width": _WIDTH, "include_static_vectors": False,
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE"],
        "rows": [5000, 1000, 2500, 2500, 50, 50],
    }  # fmt: skip
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2", "width": _WIDTH, "depth": 4, "window_size": 1,
        "maxout_pieces": 3,
    }  # fmt: skip
    return {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}


def spaces(words: Sequence[str]) -> list[bool]:
    """Guess after which words a space stood.

    >>> spaces(["He", "did", "n't", "(", "ever", ")", "."])
    [True, False, True, False, False, False, True]
    """
    after = [*words, ""][1:]
    return [
        following.casefold() not in _CLOSING and word not in _OPENING
        for word, following in zip(words, after, strict=True)
    ]


def _spans(parsed: Any, words: Sequence[str]) -> list[Span]:
    found = [(chunk.start, chunk.end) for chunk in parsed.noun_chunks]
    found += [(word.left_edge.i, word.right_edge.i + 1) for word in parsed]
    return sorted({span for each in found if (span := _without_punctuation(each, words)) is not None})


def _without_punctuation(span: Span, words: Sequence[str]) -> Span | None:
    begin, end = span
    while begin < end and is_punctuation(words[begin]):
        begin += 1
    while begin < end and is_punctuation(words[end - 1]):
        end -= 1
    return (begin, end) if begin < end else None


def _spacy() -> Any:
    spacy = require("spacy", extra="spacy", purpose="Phrases by a parser (--phrases spacy)")
    require("spacy.tokens", extra="spacy", purpose="Phrases by a parser (--phrases spacy)")
    return spacy
