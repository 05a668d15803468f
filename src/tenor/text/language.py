"""Is a text probably not English? A light check, for one warning when an English model gets other languages.

Other scripts are seen by their letters. In Latin script every word gives evidence: for English when it is one
of its function words; against it when it is a function word of another language, has a letter that English
lacks, or a letter pattern that English hardly has. Capitalised words count only as function words, because
names look foreign in any language. A text is called foreign when the evidence against English comes to two
words (a little less where no English function word is found), outweighs that for it, and makes up a fair part
of the text; so short texts and names stay silent. Where a trained identifier is installed
(:mod:`tenor.text.language_identifier`), it is asked about texts that these rules let pass and that have no
English function word: alone it takes headlines with foreign names for other languages, and the rules miss
languages whose words they do not know. ``bench/language.py`` measures how often both are right.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from tenor.text.function_words import FOREIGN, ONLY_ENGLISH, PARTLY_FOREIGN
from tenor.text.language_identifier import ENGLISH, identify_language

# Letter patterns that English words in lower case hardly ever have.
_PATTERNS = re.compile(
    r"aa|ii|uu|kk|jj|ij|aj|uj|tk|(?:ko|ku|ksi|ssa|sta|lla|lle|lta|tta|tti|nut|vat|mme|sti)$|^ku|uo|uk[aoi]"
    r"|^z[uwi]|tz|(?:gt|eit|ung|hr|cht|ieren|iert)$|eih|sch|icht|rz|^vor"
    r"|oeu|(?:eux|ez|ois|ement|ienne)$|^(?:[cdjlmnst]|qu)'[aeiouhy]"
    r"|^(?:mn|vz|sv|hr|vl|dv|prz)|dn[aoiuey]$|(?:sk[aouy]|ci|ou|ovat|uje)$|cz|sz[aeioy]|rzy"
    r"|lh[oae]|nh[oae]|zzo$|cch|gli"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ADDRESS = re.compile(r"\S*(?:://|www\.|@)\S*")
_CAP = 3000  # Characters looked at: a book does not need more to show its language.
_FEWEST = 4  # Words in Latin script: fewer are a name, a dish or a title as often as a language.
_SURE = 0.5  # probability of another language by the trained identifier
_RARE = 0.01  # of the texts; fewer foreign ones are quotations and false alarms
_LATIN = ("LATIN", "FEMININE", "MASCULINE", "MICRO")  # how Unicode's names of such letters begin


@lru_cache(maxsize=4096)
def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "LATIN").startswith(_LATIN)


def probably_not_english(text: str) -> bool:
    """Say whether a text is in another language than English; it rather misses one than raises a false alarm.

    >>> probably_not_english("Der Hund schläft auf dem alten Sofa.")
    True
    >>> probably_not_english("The dog sleeps on the old sofa."), probably_not_english("Gérard Depardieu")
    (False, False)
    >>> probably_not_english("Собака спит на старом диване.")
    True
    """
    words = _WORD.findall(_ADDRESS.sub(" ", text[:_CAP]))
    letters = "".join(words)
    latin = sum(map(_is_latin, letters))
    if len(letters) - latin > max(5, latin):
        return True
    return len(words) >= _FEWEST and (_foreign_words(words) or _identified(text, words))


def _identified(text: str, words: list[str]) -> bool:
    """Whether a trained identifier calls a text foreign, which has no English function word in it."""
    if any(word.lower().replace("’", "'") in ONLY_ENGLISH for word in words):
        return False
    found = identify_language(text[:_CAP])
    return found is not None and found[0] != ENGLISH and found[1] > _SURE


class LanguageWatch:
    """Looks over the texts of one command and gives one warning at its end, however many there were.

    Only the first texts are looked at, so that watching a corpus costs nothing to speak of.

    >>> watch = LanguageWatch()
    >>> watch.see(["Good morning to all of you.", "Ich möchte noch einen Kaffee."])
    >>> watch.warning("minilm")[:72]
    '1 of 2 texts is probably not English, and minilm was trained on English:'
    """

    def __init__(self, *, limit: int = 10_000) -> None:
        self._limit = limit
        self._seen = 0
        self._foreign = 0
        self._first = ""

    def see(self, texts: Iterable[str]) -> None:
        """Look at some more texts."""
        for text in islice(texts, self._limit - self._seen):
            self._seen += 1
            if probably_not_english(text):
                self._foreign += 1
                self._first = self._first or text

    def warning(self, model: str) -> str | None:
        """Say how many texts are probably not English, or return None when there are next to none."""
        if not self._foreign or self._foreign < _RARE * self._seen:
            return None
        verb = "is" if self._foreign == 1 else "are"
        first = "the first " if self._seen == self._limit else ""
        # Nothing of a text may command the terminal on which the warning is read.
        plain = "".join(letter if letter.isprintable() else " " for letter in self._first[:200])
        excerpt = " ".join(plain.split())
        shown = excerpt if len(excerpt) <= 50 else excerpt[:49] + "…"
        return (
            f"{self._foreign:,} of {first}{self._seen:,} texts {verb} probably not English, and {model} was "
            f'trained on English: its scores are less reliable there (first: "{shown}").'
        )


def _foreign_words(words: list[str]) -> bool:
    against, english = 0.0, 0
    for word in words:
        lower = word.lower().replace("’", "'")
        if lower in ONLY_ENGLISH:
            english += 1
        elif not (word.isupper() and len(word) > 1):  # EU, UN, DAS: more often an abbreviation than a word
            against += _weight(lower, capital=word != lower)
    # Without one English function word, less is enough.
    needed = 2.0 if english else 1.4
    return against >= needed and against > 1.2 * english and against >= 0.2 * len(words)


@lru_cache(maxsize=65536)
def _weight(word: str, *, capital: bool) -> float:
    """Weigh how much a word speaks against English; a capitalised one only as a function word."""
    if word in PARTLY_FOREIGN:
        return 0.6
    if word in FOREIGN:
        return 1.0
    if capital:
        return 0.0
    if not word.isascii():
        return 1.0
    return 0.7 if _PATTERNS.search(word) else 0.0
