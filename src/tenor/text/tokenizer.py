"""Texts to tokens, with a checkpoint's own vocabulary and our own rules for length.

The file of a checkpoint decides how a text is cut into pieces and which special tokens surround it. Its
padding and truncation settings are ignored: the length limit is the model's, what goes beyond it is counted,
and nothing is ever padded here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.ascii_pieces import AsciiPieces
from tenor.text.tokenizer_files import open_tokenizer
from tenor.text.tokens import NOT_A_WORD, Forms, Ints, Tokens
from tenor.text.words import split_words

if TYPE_CHECKING:
    import tokenizers

Text = str | Sequence[str]  # a text, or its words
# The library's own record of a text takes some kilobytes, so it sees a few thousand texts at a time.
_MOST_TEXTS, _MOST_CHARACTERS = 2_048, 1_000_000
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Template:
    """The special tokens before, between and after the sides of a text, and the segment of each part."""

    specials: tuple[tuple[int, ...], ...]  # sides + 1 of them
    segments: tuple[int, ...]  # of the parts in order: specials, side, specials, …

    @property
    def count(self) -> int:
        """The number of special tokens around a text."""
        return sum(len(group) for group in self.specials)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces without special tokens: those of text i are ``ids[begins[i]:begins[i] + lengths[i]]``."""

    ids: Ints  # [T]
    begins: NDArray[np.int64]  # [n]
    lengths: NDArray[np.int64]  # [n]
    words: Ints | None = None  # [T]
    forms: Forms | None = None  # [T], as written, where the encoder reads spellings


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Two sides as one text: where each side begins in it, and how many of its pieces the limit left."""

    tokens: Tokens
    begins: NDArray[np.int64]  # [n, 2]
    kept: NDArray[np.int64]  # [n, 2]


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """Long texts cut into windows: chunk c holds ``weights[c]`` pieces of text number ``text[c]``."""

    tokens: Tokens
    text: NDArray[np.int64]  # [chunks], ascending
    weights: NDArray[np.float32]  # [chunks]


class Tokenizer:
    """Cuts texts into the pieces of one vocabulary.

    ``max_tokens`` counts the special tokens as well; None sets no limit. Without ``specials`` none are put
    around the texts.

    >>> from tokenizers import Tokenizer as Library, models, pre_tokenizers
    >>> library = Library(models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    >>> library.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> tokens = Tokenizer(library, max_tokens=3).tokenize(["a b b a", "b"])
    >>> tokens.ids.tolist(), tokens.lengths.tolist(), tokens.dropped.tolist()
    ([0, 1, 1, 1], [3, 1], [1, 0])
    """

    def __init__(
        self, backend: "tokenizers.Tokenizer", *, max_tokens: int | None = None, specials: bool = True
    ) -> None:
        backend.no_padding()
        backend.no_truncation()
        self._backend = backend
        self._ascii = AsciiPieces.of(backend)
        self._single = _template(backend, pair=False, specials=specials)
        self._pair = _template(backend, pair=True, specials=specials)
        self.max_tokens = max_tokens
        if max_tokens is not None and max_tokens <= self._pair.count:
            raise TenorError(
                f"A limit of {max_tokens} tokens leaves no room for text beside the special tokens."
            )

    @classmethod
    def load(
        cls, folder: str | Path, *, max_tokens: int | None = None, lower: bool = False, specials: bool = True
    ) -> "Tokenizer":
        """Read a folder's ``tokenizer.json``, or else its ``vocab.txt``; ``lower`` lower-cases all text."""
        return cls(open_tokenizer(Path(folder), lower=lower), max_tokens=max_tokens, specials=specials)

    @property
    def size(self) -> int:
        """The number of tokens of the vocabulary, added ones included."""
        return int(self._backend.get_vocab_size(with_added_tokens=True))

    @property
    def largest_id(self) -> int:
        """The largest id that a text can get."""
        specials = (token for group in self._pair.specials + self._single.specials for token in group)
        return max(*self._backend.get_vocab(with_added_tokens=True).values(), *specials)

    @property
    def unknown(self) -> int | None:
        """The token that stands for what the vocabulary lacks, None where there is no such token."""
        # A Unigram model, as multilingual ones have, only knows its number, and does not tell it.
        if type(self._backend.model).__name__ == "Unigram":
            ids = (self._backend.token_to_id(token) for token in ("<unk>", "[UNK]"))
            return next((number for number in ids if number is not None), None)
        token = getattr(self._backend.model, "unk_token", None)
        return None if token is None else self._backend.token_to_id(str(token))

    @property
    def drops_unknown(self) -> bool:
        """Whether unknown tokens are left out, unless single words are asked for."""
        return False

    @property
    def special_count(self) -> int:
        """The number of special tokens around a single text."""
        return self._single.count

    def vocabulary(self) -> list[str]:
        """Return the written forms of all tokens, in no order."""
        return list(self._backend.get_vocab(with_added_tokens=True))

    def to_json(self) -> str:
        """Return the tokenizer in the format of ``tokenizer.json``, without padding and truncation."""
        return str(self._backend.to_str(pretty=True))

    def pieces(self, ids: Sequence[int] | Ints) -> list[str]:
        """Return the written form of token ids."""
        return [str(self._backend.id_to_token(int(token))) for token in ids]

    def tokenize(
        self, texts: Sequence[Text], *, pairs: Sequence[Text] | None = None, words: bool = False
    ) -> Tokens:
        """Turn texts (or lists of words), or pairs of them, into tokens of at most ``max_tokens`` each.

        What is cut from the end is counted in ``dropped``; of a pair, the longer side is cut first. With
        ``words`` each piece carries the number of its word: the position in the given list, or in
        ``split_words(text)``; the words of a pair's second side are numbered from 0 again.
        """
        first = self._pieces(texts, words=words)
        if pairs is None:
            return self._assemble(self._single, [first])
        if len(pairs) != len(texts):
            raise ValueError(f"{len(texts)} first texts but {len(pairs)} second texts.")
        return self._assemble(self._pair, [first, self._pieces(pairs, words=words)])

    def cut(self, texts: Sequence[Text], *, words: bool = False) -> Pieces:
        """Cut texts into pieces, with no special tokens and whatever their length, for ``join``."""
        return self._pieces(texts, words=words)

    def join(self, first: Pieces, second: Pieces) -> Joined:
        """Put pieces together as pairs of at most ``max_tokens``, as ``tokenize`` with ``pairs`` does."""
        kept = self._cut([first.lengths, second.lengths], self._pair.count)
        front, between = (len(group) for group in self._pair.specials[:2])
        begins = [np.full_like(kept[0], front), front + kept[0] + between]
        tokens = self._assemble(self._pair, [first, second])
        return Joined(tokens, np.stack(begins, axis=1), np.stack(kept, axis=1))

    def joined_lengths(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many tokens ``join`` makes of sides with so many pieces."""
        kept = self._cut([first, second], self._pair.count)
        return kept[0] + kept[1] + self._pair.count

    def chunk(self, texts: Sequence[Text]) -> Chunks:
        """Turn texts into tokens, cutting those beyond the limit into as many full windows as they need."""
        pieces = self._pieces(texts, words=False)
        longest = int(pieces.lengths.max(initial=1))
        room = longest if self.max_tokens is None else self.max_tokens - self._single.count
        counts = np.maximum(1, -(-pieces.lengths // room))
        text = np.repeat(np.arange(len(counts)), counts)
        skipped = room * (np.arange(len(text)) - np.repeat(np.cumsum(counts) - counts, counts))
        lengths = np.minimum(room, pieces.lengths[text] - skipped)
        windows = Pieces(pieces.ids, pieces.begins[text] + skipped, lengths, forms=pieces.forms)
        tokens = self._assemble(self._single, [windows])
        return Chunks(tokens, text, np.maximum(1, lengths).astype(np.float32))

    def _pieces(self, texts: Sequence[Text], *, words: bool) -> Pieces:
        if isinstance(texts, str):
            raise TypeError("Expected a list of texts; a single text goes in a list of its own.")
        parts = [self._some_pieces(texts[rows], words=words) for rows in _slices(texts)]
        none = np.zeros(0, dtype=np.int32)
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *(part.lengths for part in parts)])
        ids = np.concatenate([none, *(part.ids for part in parts)])
        owners = np.concatenate([none, *(cast(Ints, part.words) for part in parts)]) if words else None
        spelled = [part.forms for part in parts if part.forms is not None]
        forms = np.concatenate(spelled) if spelled else None
        return Pieces(ids, np.cumsum(lengths) - lengths, lengths, owners, forms)

    def _some_pieces(self, texts: Sequence[Text], *, words: bool) -> Pieces:
        if not words and self._ascii is not None and all(isinstance(text, str) for text in texts):
            return flat(self._ascii.cut(cast(Sequence[str], texts), self._ids))
        if not words:
            return flat(self._ids(texts))
        encodings = self._encode(texts, offsets=True)
        owners = [_word_of_piece(text, encoding) for text, encoding in zip(texts, encodings, strict=True)]
        return flat([encoding.ids for encoding in encodings], np.concatenate(owners))

    def _ids(self, texts: Sequence[Text]) -> list[list[int]]:
        return [encoding.ids for encoding in self._encode(texts, offsets=False)]

    def _encode(self, texts: Sequence[Text], *, offsets: bool) -> list[Any]:
        split = not isinstance(texts[0], str)
        encode = self._backend.encode_batch if offsets else self._backend.encode_batch_fast
        batch: list[Any] = [list(text) for text in texts] if split else list(texts)
        try:
            return cast(list[Any], encode(batch, is_pretokenized=split, add_special_tokens=False))
        except TypeError as error:
            # A lone surrogate is no character, and the library refuses the whole batch for it. U+FFFD takes
            # its place, one for one, so that offsets into the text still hold.
            mended = [_mend(text, split=split) for text in batch]
            if mended == batch:
                raise TypeError("Expected texts to be strings, or all of them lists of strings.") from error
            return cast(list[Any], encode(mended, is_pretokenized=split, add_special_tokens=False))
        except BaseException as error:
            # A pattern that tries too many ways, or a damaged table, ends in a panic of the library.
            if type(error).__name__ != "PanicException":
                raise
            reason = " ".join(str(error).split())[:200]
            raise TenorError(
                f"The model's tokenizer fails on a text ({reason}); its file is not usable."
            ) from error

    def _assemble(self, template: Template, sides: list[Pieces]) -> Tokens:
        """Put the special tokens around the sides and cut what goes beyond the limit, for all texts at once.

        Every text is a row of parts (specials, side, specials, …), each a range of one pool of tokens;
        reading the ranges row by row gives the flat axis.
        """
        kept = self._cut([side.lengths for side in sides], template.count)
        pool = [np.asarray(template.specials[0], dtype=np.int32)]
        begins, sizes = [np.zeros_like(kept[0])], [np.full_like(kept[0], len(pool[0]))]
        for side, length, specials in zip(sides, kept, template.specials[1:], strict=True):
            at = sum(len(part) for part in pool)
            pool += [side.ids, np.asarray(specials, dtype=np.int32)]
            begins += [side.begins + at, np.full_like(length, at + len(side.ids))]
            sizes += [length, np.full_like(length, len(specials))]
        rows = np.stack(sizes, axis=1)  # [n, parts]
        read = _ranges(np.stack(begins, axis=1).ravel(), rows.ravel())
        words = None
        if sides[0].words is not None:
            numbers = [np.full(len(part), NOT_A_WORD, dtype=np.int32) for part in pool]
            numbers[1::2] = [cast(Ints, side.words) for side in sides]
            words = np.concatenate(numbers)[read]
        segments = np.asarray(template.segments, dtype=np.int32)
        dropped = sum(side.lengths for side in sides) - sum(kept)
        return Tokens(
            np.concatenate(pool)[read],
            np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(rows.sum(axis=1))]),
            np.repeat(np.tile(segments, len(rows)), rows.ravel()) if len(sides) > 1 else None,
            words,
            np.asarray(dropped, dtype=np.int32),
            _forms(pool, sides, read),
        )

    def _cut(self, lengths: list[NDArray[np.int64]], specials: int) -> list[NDArray[np.int64]]:
        """Say how many pieces of each side stay."""
        if self.max_tokens is None:
            return lengths
        room = self.max_tokens - specials
        if len(lengths) == 1:
            return [np.minimum(lengths[0], room)]
        # Longest first, to the last piece as in the `tokenizers` library: the longer side gives way until
        # the two are equal; then both have half the room, and the side that was longer (the second, if
        # equal) an odd piece.
        first, second = lengths
        short, long = np.minimum(first, second), np.maximum(first, second)
        long = np.where(short + long > room, np.maximum(short, room - short), long)
        both = short + long > room
        short, long = np.where(both, room // 2, short), np.where(both, room - room // 2, long)
        return [np.where(first > second, long, short), np.where(first > second, short, long)]


def _forms(pool: list[Ints], sides: list[Pieces], read: NDArray[np.int64]) -> Forms | None:
    """Return the tokens as written, where all sides have them; special tokens have the empty form."""
    if any(side.forms is None for side in sides):
        return None
    spelled = [np.full(len(part), "", dtype=np.object_) for part in pool]
    spelled[1::2] = [cast(Forms, side.forms) for side in sides]
    forms: Forms = np.concatenate(spelled)[read]
    return forms


def flat(rows: list[list[int]], words: Ints | None = None) -> Pieces:
    """Put the pieces of all texts behind one another."""
    lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    try:
        ids = np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=int(lengths.sum()))
    except OverflowError as error:
        raise TenorError(
            "The model's tokenizer gives ids beyond 2,147,483,647; its file is damaged."
        ) from error
    return Pieces(ids, np.cumsum(lengths) - lengths, lengths, words)


def _ranges(begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions begin, begin + 1, … of every range, one after the other."""
    ends = np.cumsum(sizes)
    shift: NDArray[np.int64] = np.repeat(begins - (ends - sizes), sizes)
    return np.arange(len(shift), dtype=np.int64) + shift


def _slices(texts: Sequence[Text]) -> Iterator[slice]:
    begin = characters = 0
    for number, text in enumerate(texts):
        characters += len(text)
        if number + 1 - begin == _MOST_TEXTS or characters >= _MOST_CHARACTERS or number + 1 == len(texts):
            yield slice(begin, number + 1)
            begin, characters = number + 1, 0


def _mend(text: Any, *, split: bool) -> Any:
    if split:
        return [_mend(word, split=False) for word in text]
    return _SURROGATES.sub("\ufffd", text) if isinstance(text, str) else text


def _word_of_piece(text: Text, encoding: Any) -> Ints:
    """Number the word of each piece: the given one, or the first of the text's words that it touches."""
    if not isinstance(text, str):
        given = (NOT_A_WORD if word is None else word for word in encoding.word_ids)
        return np.fromiter(given, dtype=np.int32, count=len(encoding))
    spans = split_words(text).spans
    pieces = np.asarray(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    if not len(spans):
        return np.full(len(pieces), NOT_A_WORD, dtype=np.int32)
    word = np.searchsorted(spans[:, 1], pieces[:, 0], side="right")
    near = np.minimum(word, len(spans) - 1)
    touches = (word < len(spans)) & (spans[near, 0] < np.maximum(pieces[:, 1], pieces[:, 0] + 1))
    return np.where(touches, near, NOT_A_WORD).astype(np.int32)


def _template(backend: "tokenizers.Tokenizer", *, pair: bool, specials: bool) -> Template:
    """Learn where the special tokens stand by looking at what the file makes of a probe."""
    probe = backend.encode("a", "b" if pair else None, add_special_tokens=specials)
    owner = probe.sequence_ids
    if not all(side in owner for side in range(2 if pair else 1)):
        raise TenorError("The tokenizer finds no token in the text 'a'; its vocabulary is not usable.")
    groups: list[list[int]] = [[]]
    segments: list[int] = [0]
    for token, side, segment in zip(probe.ids, owner, probe.type_ids, strict=True):
        if side is None:
            groups[-1].append(token)
            segments[-1] = segment
        elif len(segments) < 2 * side + 2:
            groups.append([])
            segments += [segment, segment]
    return Template(tuple(map(tuple, groups)), tuple(segments))
