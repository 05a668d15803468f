"""A new embedding of words: a vocabulary out of texts or a file, and the vectors that it begins with."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.embedded.word_embeddings.settings import (
    CharacterEmbedding,
    LearnedEmbedding,
    NgramEmbedding,
    PieceEmbedding,
    StaticEmbedding,
    WordEmbedding,
)
from tenor.errors import TenorError
from tenor.text.words import split_words

if TYPE_CHECKING:
    from tenor.words import WordVectors

_SIZE = 50
_MOST_CHARACTERS = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """An embedding with nothing left open: settings, vocabulary, and the rows that are given, by table."""

    settings: WordEmbedding
    vocabulary: list[str]
    rows: dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]] = field(default_factory=dict)
    """Which rows of a module's table, and their values; all others are random."""


def begin(settings: WordEmbedding, words: Counter[str]) -> Begun:
    """Settle one embedding on the words of the texts that are trained on."""
    return _BEGIN[type(settings)](settings, words)


def check(settings: WordEmbedding) -> None:
    """Refuse vectors and tokenizers that are not available; nothing is read in full."""
    if isinstance(settings, StaticEmbedding | NgramEmbedding | PieceEmbedding):
        _vectors(settings, limit=1)
    if isinstance(settings, PieceEmbedding) and settings.tokenizer is not None:
        _tokenizer_file(settings.tokenizer)


def count_words(texts: Iterable[str | Sequence[str]]) -> Counter[str]:
    """Count the words of texts; a text that is given as its words keeps them whole.

    >>> count_words(["It's mine.", ["New-York", "it"]]).most_common(1)
    [('It', 1)]
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(split_words(text).words if isinstance(text, str) else text)
    return counts


def _static(settings: StaticEmbedding, words: Counter[str]) -> Begun:
    vectors = _vectors(settings, limit=settings.vocab_size)
    if vectors is None:
        raise TenorError('vectors is missing: a "static" embedding needs a file or a name of word vectors.')
    settings = replace(settings, size=vectors.vector_size, vectors=None, vocab_size=None)
    values = np.asarray(vectors.vectors, dtype=np.float32)
    # The row of all unknown words: their mean is nearer to a rare word than zeros are.
    rows = np.concatenate([values.mean(axis=0, keepdims=True), values])
    return Begun(settings, list(vectors.words), {"table": (np.arange(len(rows)), rows)})


def _learned(settings: LearnedEmbedding, words: Counter[str]) -> Begun:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts[word.lower() if settings.lowercase else word] += count
    frequent = [word for word, count in counts.most_common(settings.vocab_size)]
    return Begun(settings, [word for word in frequent if counts[word] >= settings.min_count])


def _ngrams(settings: NgramEmbedding, words: Counter[str]) -> Begun:
    vectors = _vectors(settings)
    if vectors is None:
        return Begun(replace(settings, size=settings.size or _SIZE), [])
    if vectors.subwords is None:
        raise TenorError(f"vectors: {vectors.name} has no n-grams; give a fastText .bin file.")
    table = np.asarray(vectors.subwords.table, dtype=np.float32)
    settings = replace(
        settings,
        size=vectors.vector_size,
        vectors=None,
        buckets=len(table),
        min_n=vectors.subwords.min_n,
        max_n=vectors.subwords.max_n,
    )
    known = np.asarray(vectors.vectors, dtype=np.float32)
    rows = {"buckets": (np.arange(len(table)), table), "words": (np.arange(len(known)), known)}
    return Begun(settings, list(vectors.words), rows)


def _pieces(settings: PieceEmbedding, words: Counter[str]) -> Begun:
    vectors = _vectors(settings)
    vocabulary = ""
    if settings.tokenizer is None:
        vocabulary = learn_pieces(words, vocab_size=settings.vocab_size, lowercase=settings.lowercase)
    if settings.tokenizer is not None:
        with open(_tokenizer_file(settings.tokenizer), encoding="utf-8") as file:
            vocabulary = file.read()
    size = settings.size or _SIZE if vectors is None else vectors.vector_size
    settled = replace(settings, size=size, vectors=None, tokenizer=None)
    if vectors is None:
        return Begun(settled, [vocabulary])
    from tokenizers import Tokenizer

    ids: dict[str, int] = Tokenizer.from_str(vocabulary).get_vocab(with_added_tokens=True)
    found = vectors.indices(list(ids))
    places = np.array(list(ids.values()), dtype=np.int64)[found >= 0]
    values = np.asarray(vectors.vectors[found[found >= 0]], dtype=np.float32)
    return Begun(settled, [vocabulary], {"table": (places, values)})


def learn_pieces(words: Counter[str], *, vocab_size: int, lowercase: bool = True) -> str:
    """Learn byte-pair merges from the words, with ▁ before each word as BPEmb has it, as tokenizer.json."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=["[UNK]"], show_progress=False)
    spelled = (word.lower() if lowercase else word for word in words for _ in range(min(words[word], 100)))
    tokenizer.train_from_iterator(spelled, trainer)
    return str(tokenizer.to_str())


def _characters(settings: CharacterEmbedding, words: Counter[str]) -> Begun:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    return Begun(settings, sorted(each for each, _ in counts.most_common(_MOST_CHARACTERS)))


def _vectors(
    settings: StaticEmbedding | NgramEmbedding | PieceEmbedding, limit: int | None = None
) -> "WordVectors | None":
    if settings.vectors is None:
        return None
    from tenor.words import WordVectors

    vectors = WordVectors.load(settings.vectors, limit=limit)
    if settings.size not in (None, vectors.vector_size):
        raise TenorError(
            f"size is {settings.size}, but the vectors of {settings.vectors} have {vectors.vector_size} "
            "dimensions; leave size out."
        )
    return vectors


def _tokenizer_file(name: str) -> Any:
    from tenor.assets import MODELS, find

    path = find(name, kinds=MODELS) / "tokenizer.json"
    if not path.is_file():
        raise TenorError(f"tokenizer: {name} has no tokenizer.json.")
    return path


_BEGIN: dict[type[WordEmbedding], Callable[[Any, Counter[str]], Begun]] = {
    StaticEmbedding: _static,
    LearnedEmbedding: _learned,
    NgramEmbedding: _ngrams,
    PieceEmbedding: _pieces,
    CharacterEmbedding: _characters,
}
