"""The settings of each embedding of a word: a table of a run file, and an entry of ``config.json``.

    [[from_scratch.embeddings]]
    type = "static"
    vectors = "glove"

    [[from_scratch.embeddings]]
    type = "characters"

``type`` leads through one table to the dataclass that has the keys of that embedding. What the folder of an
encoder keeps is the same dataclass with nothing left open; its words, characters or pieces are in
``vocabularies.json``. Nothing here imports torch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import NoneType
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from tenor.errors import TenorError, did_you_mean

Network = Literal["cnn", "lstm"]
PiecePooling = Literal["mean", "ends"]

MOST_SIZE, MOST_ROWS, LONGEST_NGRAM = 65_536, 50_000_000, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class WordEmbedding:
    """One embedding of a word; subclasses have a field ``type`` and their own keys."""

    chosen_by: ClassVar[str] = "type"
    """The key whose value leads to the subclass, for whoever reads tables."""
    reads_spelling: ClassVar[bool] = False
    """Whether a word that was never seen gets an embedding of its own."""

    type: str
    size: int | None = None
    """The number of dimensions."""

    @classmethod
    def chosen(cls, table: Mapping[str, Any]) -> "SomeEmbedding":
        """Return the dataclass of a table by its ``type``."""
        name = table.get("type")
        if not isinstance(name, str) or name not in WORD_EMBEDDINGS:
            near = did_you_mean(str(name), WORD_EMBEDDINGS) if name is not None else ""
            known = ", ".join(WORD_EMBEDDINGS)
            raise TenorError(f"type is {name!r}; an embedding is one of {known}.{near}")
        return WORD_EMBEDDINGS[name]

    @property
    def output_size(self) -> int:
        """The size of what a word gets from it, once ``size`` is settled."""
        assert self.size is not None
        return self.size

    def check_numbers(self, **bounds: tuple[int, int]) -> None:
        """Refuse numbers out of range; None is left to a default."""
        for name, (least, most) in ({"size": (1, MOST_SIZE)} | bounds).items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise TenorError(f"{name} is {value}; expected a whole number from {least} to {most}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticEmbedding(WordEmbedding):
    """Word vectors of a file; a word is looked up as written, else in lower case."""

    type: Literal["static"] = "static"
    vectors: str | None = None
    """A file of word vectors, or a name such as "glove-50d"."""
    freeze: bool = True
    """Whether training leaves them as they are."""
    vocab_size: int | None = None
    """The most words, the first ones of the file. Default: all."""

    def __post_init__(self) -> None:
        self.check_numbers(vocab_size=(1, MOST_ROWS))


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedEmbedding(WordEmbedding):
    """A vector for each frequent word of the texts, learned from nothing; rare words share one."""

    type: Literal["learned"] = "learned"
    size: int | None = 100
    vocab_size: int = 20_000
    """The most words."""
    min_count: int = 2
    """How often a word must be there; the others train the vector of unknown words."""
    lowercase: bool = True

    def __post_init__(self) -> None:
        self.check_numbers(vocab_size=(1, MOST_ROWS), min_count=(1, MOST_ROWS))


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramEmbedding(WordEmbedding):
    """The mean of the vectors of a word's character n-grams, as in fastText; hashed into buckets."""

    reads_spelling: ClassVar[bool] = True

    type: Literal["ngrams"] = "ngrams"
    size: int | None = None
    """Default: that of ``vectors``, else 50."""
    vectors: str | None = None
    """A fastText .bin file: known words have their vectors, all others the mean of their n-grams."""
    buckets: int = 20_000
    min_n: int = 3
    max_n: int = 6
    lowercase: bool = False
    freeze: bool = False

    def __post_init__(self) -> None:
        longest = LONGEST_NGRAM
        self.check_numbers(buckets=(1, MOST_ROWS), min_n=(1, longest), max_n=(self.min_n, longest))


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceEmbedding(WordEmbedding):
    """Vectors of the pieces of a byte-pair vocabulary, learned from the texts or given."""

    reads_spelling: ClassVar[bool] = True

    type: Literal["bpe"] = "bpe"
    size: int | None = None
    """Of a piece. Default: that of ``vectors``, else 50."""
    tokenizer: str | None = None
    """A folder or model whose tokenizer cuts words. Default: a vocabulary learned from the texts."""
    vectors: str | None = None
    """A file with the vectors of pieces."""
    vocab_size: int = 5_000
    """The number of pieces that are learned."""
    pooling: PiecePooling = "mean"
    """mean of all pieces, or the first and the last one side by side (ends), as BPEmb is used in flair."""
    lowercase: bool = True
    freeze: bool = False

    def __post_init__(self) -> None:
        self.check_numbers(vocab_size=(10, MOST_ROWS))

    @property
    def output_size(self) -> int:
        """Twice the size of a piece, where two are side by side."""
        assert self.size is not None
        return self.size * (2 if self.pooling == "ends" else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterEmbedding(WordEmbedding):
    """A network over the characters of a word as it is written, casing kept."""

    reads_spelling: ClassVar[bool] = True

    type: Literal["characters"] = "characters"
    network: Network = "cnn"
    """cnn: filters and their maximum (Ma & Hovy, 2016); lstm: the last states of both directions (Lample et
    al., 2016)."""
    size: int | None = 50
    """The number of filters, or of both directions together."""
    character_size: int = 25
    kernel_size: int = 3
    dropout: float = 0.0
    """Of the embeddings of characters."""
    max_characters: int = 40
    """Of a longer word only the first ones are read."""

    def __post_init__(self) -> None:
        if not 0 <= self.dropout < 1:
            raise TenorError(f"dropout is {self.dropout!r}; a dropout probability is in [0, 1).")
        self.check_numbers(
            character_size=(1, MOST_SIZE), kernel_size=(1, 100), max_characters=(1, 1000), size=(1, MOST_SIZE)
        )
        if self.network == "lstm" and (self.size or 0) % 2:
            raise TenorError(f"size is {self.size}; an LSTM over characters has two directions: even.")


SomeEmbedding = type[WordEmbedding]

WORD_EMBEDDINGS: dict[str, SomeEmbedding] = {
    "static": StaticEmbedding,
    "learned": LearnedEmbedding,
    "ngrams": NgramEmbedding,
    "bpe": PieceEmbedding,
    "characters": CharacterEmbedding,
}


def word_embedding(table: Any) -> WordEmbedding:
    """Build the settings of one embedding from a table, trusting nothing.

    >>> word_embedding({"type": "characters", "size": 30}).network
    'cnn'
    """
    if isinstance(table, WordEmbedding):
        return table
    if not isinstance(table, Mapping):
        raise TenorError(f"embeddings holds {str(table)[:60]!r}; expected tables, each with a type.")
    kind = WordEmbedding.chosen(table)
    known, hints = {field.name: field for field in fields(kind)}, get_type_hints(kind)
    for key, value in table.items():
        if key not in known:
            near = did_you_mean(key, known) or f" Known are: {', '.join(known)}."
            raise TenorError(f"embeddings: {table['type']!r} has no key {key!r}.{near}")
        if not _fits(value, hints[key]):
            raise TenorError(f"embeddings: {key} of {table['type']!r} is {str(value)[:40]!r}.")
    return kind(**table)


def settled_json(settings: WordEmbedding) -> dict[str, Any]:
    """Return what a folder keeps: all keys but where vectors and tokenizers once came from."""
    kept = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: value for name, value in kept.items() if name not in ("vectors", "tokenizer")}


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    options = get_args(hint) or (hint,)
    if float in options and isinstance(value, int | float) and not isinstance(value, bool):
        return value == value
    if isinstance(value, bool):
        return bool in options
    return (value is None and NoneType in options) or type(value) in options
