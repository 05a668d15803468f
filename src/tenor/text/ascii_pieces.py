"""A fast path from ASCII texts to BERT's word pieces.

For ASCII, BERT's tokenizer does nothing but drop case, split at spaces and punctuation, and cut each word on
its own. So the pieces of a word are asked of the library once and cached. Texts with anything odd (control
characters, written-out special tokens) are left to the library.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tokenizers

_WORD = re.compile(r"[0-9A-Za-z]+|[!-/:-@\[-`{-~]")
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f"
_MOST_WORDS = 200_000  # cached at a time; some 40 MB
_LONGEST_WORD = 40


class AsciiPieces(dict[str, tuple[int, ...]]):
    """A cache of the pieces of words: ``pieces["word"]``."""

    def __init__(self, backend: "tokenizers.Tokenizer", *, lower: bool) -> None:
        super().__init__()
        self._backend = backend
        self._lower = lower
        # A character that might begin a special token is odd enough: one set of characters is found fastest.
        firsts = {token.content[0] for token in backend.get_added_tokens_decoder().values()}
        self._odd = re.compile(f"[{_CONTROL}{re.escape(''.join(sorted(firsts)))}]")

    @classmethod
    def of(cls, backend: "tokenizers.Tokenizer") -> "AsciiPieces | None":
        """Return the fast path for a tokenizer that is BERT's in every part, else None."""
        from tokenizers.models import WordPiece
        from tokenizers.normalizers import BertNormalizer
        from tokenizers.pre_tokenizers import BertPreTokenizer

        normalizer = backend.normalizer
        added = backend.get_added_tokens_decoder().values()
        is_bert = (
            isinstance(normalizer, BertNormalizer)
            and normalizer.clean_text
            and isinstance(backend.pre_tokenizer, BertPreTokenizer)
            and isinstance(backend.model, WordPiece)
            # A token that is looked for after normalising need not stand in the text as it is written.
            and all(token.content and not token.normalized for token in added)
        )
        return cls(backend, lower=bool(normalizer.lowercase)) if is_bert else None

    def __missing__(self, word: str) -> tuple[int, ...]:
        return tuple(self._backend.encode(word, add_special_tokens=False).ids)

    def cut(self, texts: Sequence[str], rest: Callable[[list[str]], list[list[int]]]) -> list[list[int]]:
        """Return the pieces of each text; those that cannot take the fast path are given to ``rest``."""
        odd, find = self._odd.search, _WORD.findall
        plain = [text.isascii() and odd(text) is None for text in texts]
        words = [
            find(text.lower() if self._lower else text)
            for text, short in zip(texts, plain, strict=True)
            if short
        ]
        self._fill(words)
        rows = (list(chain.from_iterable(map(self.__getitem__, found))) for found in words)
        others = [text for text, short in zip(texts, plain, strict=True) if not short]
        rest_rows = iter(rest(others) if others else [])
        return [next(rows) if short else next(rest_rows) for short in plain]

    def _fill(self, words: list[list[str]]) -> None:
        """Ask the library for all new words at once; what is too long to keep is asked for when it is met."""
        new = set().union(*words).difference(self)
        if len(self) + len(new) > _MOST_WORDS:
            self.clear()
            new = set().union(*words)
        short = [word for word in new if len(word) <= _LONGEST_WORD]
        encodings = self._backend.encode_batch_fast(short, add_special_tokens=False)
        self.update(zip(short, (tuple(encoding.ids) for encoding in encodings), strict=True))
