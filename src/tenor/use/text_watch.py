"""Looking over the texts of a command for what makes its numbers doubtful: their language, unknown words."""

from collections.abc import Sequence

from tenor.model import Model
from tenor.text.language import LanguageWatch
from tenor.text.unknown_words import unknown_and_tokens

_LIMIT = 10_000  # texts; more would not change the warning
_SHARE = 0.01  # of the tokens; fewer unknown ones are typos and rare names
_SHOWN = 5  # words


class TextWatch:
    """Sees the texts that a model is given and says at the end, in a sentence each, what to beware of."""

    def __init__(self, model: Model, *, limit: int = _LIMIT) -> None:
        self._model = model
        self._left = limit
        self._language = LanguageWatch(limit=limit)
        self._tokens = self._unknown = 0
        self._lost = 0  # texts without any known word
        self._words: dict[str, None] = {}  # in order

    def see(self, texts: Sequence[str]) -> None:
        """Look at some more texts."""
        some = texts[: self._left]
        if not some:
            return
        self._left -= len(some)
        self._language.see(some)
        tokenizer = self._model.tokenizer
        if tokenizer.unknown is None:
            return
        found, tokens = unknown_and_tokens(tokenizer, some)
        self._tokens += tokens
        for each in found.values():
            self._unknown += each.unknown
            self._lost += each.share == 1
            self._words |= dict.fromkeys(each.words[:_SHOWN] if len(self._words) < _SHOWN else ())

    def warning(self) -> str | None:
        """Say what was noticed, a sentence a line, or return None."""
        return "\n".join(filter(None, (self._unknown_words(), self._foreign()))) or None

    def _unknown_words(self) -> str | None:
        if not self._unknown or not (self._lost or self._unknown >= _SHARE * self._tokens):
            return None
        shown = ", ".join(f'"{word[:20]}"' for word in list(self._words)[:_SHOWN])
        named = f" ({shown}{', …' if len(self._words) > _SHOWN else ''})" if shown else ""
        percent = round(100 * self._unknown / self._tokens)
        share = f"{percent}% of the tokens" if percent else "some tokens"
        drops = self._model.tokenizer.drops_unknown
        fate = "it leaves them out" if drops else "it reads all of them as the same token"
        texts = "1 text has" if self._lost == 1 else f"{self._lost:,} texts have"
        lost = f" {texts} no known word at all: their results mean nothing." if self._lost else ""
        return f"{share[0].upper()}{share[1:]} are unknown to {self._model.name}{named}: {fate}.{lost}"

    def _foreign(self) -> str | None:
        # Whether a model is English takes a look at its whole vocabulary, so it is asked last.
        warning = self._language.warning(self._model.name)
        return warning if warning is not None and self._model.english else None
