"""WordNet's own files: which words can mean the same, whatever form they stand in.

Four parts of speech have three files each. ``index.noun`` names the synsets (sets of synonyms) of every word,

    lemma pos synset_cnt p_cnt [pointer …] sense_cnt tagsense_cnt offset [offset …]

by the byte offset in ``data.noun`` where the synset stands, a line that begins with that very number:

    offset file pos word_cnt(hex) word id [word id …] p_cnt [pointer …] | gloss

and ``noun.exc`` names the base forms of irregular ones (``geese goose``). Regular forms are taken back by
rules of detachment (``-ies`` to ``-y``), where a word of that name is there. Only ``index.*`` and ``*.exc``
are read whole; synsets are looked up when asked for. Files may be anyone's: lines have a limit, counts must
agree, and an offset that leads nowhere is refused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tenor.errors import TenorError
from tenor.files import why

PartOfSpeech = Literal["noun", "verb", "adj", "adv"]
Synset = tuple[PartOfSpeech, int]  # the offset in that part's data file

PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adj", "adv")
LONGEST_LINE = 1 << 16  # bytes; WordNet's own longest has 12,972
_MOST_LINES = 2_000_000  # of a file
_LETTERS: Mapping[PartOfSpeech, str] = {"noun": "n", "verb": "v", "adj": "as", "adv": "r"}

# Endings and what replaces them, as the manual of WordNet's morphology lists them.
_RULES: Mapping[PartOfSpeech, tuple[tuple[str, str], ...]] = {
    "noun": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
             ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
             ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class WordNet:
    """The words of a WordNet folder; :meth:`load` reads one.

    >>> from tenor.assets import find
    >>> wordnet = WordNet.load(find("wordnet"))                      # doctest: +SKIP
    >>> wordnet.base_forms("geese")                                  # doctest: +SKIP
    {'noun': ['goose']}
    >>> bool(wordnet.synsets("bought") & wordnet.synsets("purchased"))  # doctest: +SKIP
    True
    """

    folder: Path
    index: Mapping[PartOfSpeech, Mapping[str, tuple[int, ...]]] = field(repr=False)
    exceptions: Mapping[PartOfSpeech, Mapping[str, tuple[str, ...]]] = field(repr=False)

    @classmethod
    def load(cls, folder: str | Path) -> "WordNet":
        """Read a folder of WordNet's database files."""
        folder = Path(folder)
        return cls(
            folder,
            {part: _read_index(folder / f"index.{part}", folder / f"data.{part}", part) for part in PARTS},
            {part: _read_exceptions(folder / f"{part}.exc") for part in PARTS},
        )

    def base_forms(self, word: str) -> dict[PartOfSpeech, list[str]]:
        """Return the words of the index that a word can be a form of, by part of speech."""
        lemma = word.casefold().replace(" ", "_")
        found = {part: self._forms(lemma, part) for part in PARTS}
        return {part: forms for part, forms in found.items() if forms}

    def synsets(self, word: str) -> frozenset[Synset]:
        """Return all synsets of a word, in whatever form it stands."""
        forms = self.base_forms(word).items()
        return frozenset(
            (part, offset) for part, lemmas in forms for lemma in lemmas for offset in self.index[part][lemma]
        )

    def words_of(self, synset: Synset) -> list[str]:
        """Return the words of a synset, read from its line in the data file."""
        part, offset = synset
        path = self.folder / f"data.{part}"
        fields = _line_at(path, offset).split(" ")
        try:
            if int(fields[0]) != offset or fields[2] not in _LETTERS[part]:
                raise ValueError
            count = int(fields[3], 16)
            words = fields[4 : 4 + 2 * count : 2]
            if not count or len(words) != count:
                raise ValueError
        except (ValueError, IndexError) as error:
            raise TenorError(
                f"{path} has no synset at {offset}, where the index says that one begins. The folder is "
                "damaged; get it again with: tenor fetch wordnet --force"
            ) from error
        # Adjectives may carry where they stand, such as (p) for after a verb.
        return [word.partition("(")[0] for word in words]

    def _forms(self, lemma: str, part: PartOfSpeech) -> list[str]:
        known, irregular = self.index[part], self.exceptions[part].get(lemma)
        others = _detached(lemma, part) if irregular is None else irregular
        return [form for form in dict.fromkeys((lemma, *others)) if form in known]


def _detached(lemma: str, part: PartOfSpeech) -> Iterator[str]:
    """Yield what a word may be a regular form of."""
    tail = ""
    if part == "noun":
        if lemma.endswith("ful"):
            lemma, tail = lemma[:-3], "ful"
        elif lemma.endswith("ss") or len(lemma) <= 2:
            return
    for ending, other in _RULES[part]:
        if lemma.endswith(ending) and len(lemma) > len(ending):
            yield lemma[: -len(ending)] + other + tail


def _read_index(path: Path, data: Path, part: PartOfSpeech) -> dict[str, tuple[int, ...]]:
    try:
        end = data.stat().st_size
    except OSError as error:
        raise TenorError(f"Cannot read {data}: {why(error)}. {_EXPECTED}") from error
    found = {}
    for number, line in _lines(path):
        fields = line.split()
        try:
            count, pointers = int(fields[2]), int(fields[3])
            offsets = tuple(map(int, fields[6 + pointers :]))
            if fields[1] not in _LETTERS[part] or pointers < 0 or count < 1 or len(offsets) != count:
                raise ValueError
        except (ValueError, IndexError) as error:
            raise TenorError(f"{path}:{number} is not a line of a WordNet index. {_EXPECTED}") from error
        if not all(0 <= offset < end for offset in offsets):
            raise TenorError(
                f"{path}:{number} names a synset at {max(offsets)}, but {data.name} ends at {end}. "
                + _EXPECTED
            )
        found[fields[0]] = offsets
    return found


def _read_exceptions(path: Path) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for number, line in _lines(path):
        form, *bases = line.split() or [""]  # white space of Unicode may be all of a line
        if not bases:
            raise TenorError(f"{path}:{number} names no base form of {form[:40]!r}. {_EXPECTED}")
        found[form] = (*found.get(form, ()), *bases)
    return found


_EXPECTED = "Expected are WordNet's database files, as `tenor fetch wordnet` brings them."


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers; those of its licence begin with a space."""
    try:
        with path.open("rb") as file:
            for number in range(1, _MOST_LINES + 2):
                line = file.readline(LONGEST_LINE + 1)
                if not line:
                    return
                if number > _MOST_LINES:
                    raise TenorError(f"{path} has more than {_MOST_LINES:,} lines. {_EXPECTED}")
                if line.strip() and not line.startswith(b" "):
                    yield number, _text(line, f"{path}:{number}")
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}. {_EXPECTED}") from error


def _line_at(path: Path, offset: int) -> str:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return _text(file.readline(LONGEST_LINE + 1), f"{path} at {offset}")
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}. {_EXPECTED}") from error


def _text(line: bytes, where: str) -> str:
    if len(line) > LONGEST_LINE:
        raise TenorError(f"{where} is a line of more than {LONGEST_LINE:,} bytes. {_EXPECTED}")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TenorError(f"{where} is not UTF-8. {_EXPECTED}") from error
