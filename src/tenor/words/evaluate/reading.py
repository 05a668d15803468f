"""Reading test sets: a folder laid out like the vecto project's word benchmarks, or the asset ``word-tests``.

The layout is KIND/monolingual/LANGUAGE/NAME.csv, where KIND is word-similarity, word-analogy,
word-categorization, outlier-detection or semantic-relation. Single files of word pairs with a score (tab or
comma between them, lines with # left out) and of Google's questions (": category" lines) are read as well,
wherever in the folder they lie.
"""

import ast
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from tenor.errors import TenorError
from tenor.files import why
from tenor.words.evaluate.sets import (
    AnalogySet,
    Benchmarks,
    CategorySet,
    Group,
    OutlierSet,
    RelationSet,
    SimilaritySet,
)

ASSET = "word-tests"
_SKIPPED = {"sat": "its rows list all choices of a question and do not say which one is right"}
_PART_OF_SPEECH = re.compile(r"-[nvja]$")
_LARGEST = 64 << 20  # bytes of a file


def read_benchmarks(folder: str | Path | None = None, *, language: str = "en") -> Benchmarks:
    """Read all test sets of a folder, or those of the asset; nothing usable is an error."""
    found = Benchmarks()
    if folder is None:
        for path in _asset_files():
            _read_single(path, found)
    else:
        _read_folder(Path(folder), language, found)
    if not len(found):
        raise TenorError(
            f"{folder} holds no test sets for words; expected word-similarity/monolingual/{language}/*.csv "
            "and its like, files of word pairs with a score, or Google's questions-words.txt."
        )
    return found


def _asset_files() -> list[Path]:
    from tenor.assets import TABLE, find

    folder = find(ASSET)
    return [folder / file.name for file in TABLE[ASSET].files]


def _read_folder(folder: Path, language: str, found: Benchmarks) -> None:
    if not folder.is_dir():
        raise TenorError(f"There is no folder {str(folder)!r} with test sets for words.")
    readers: dict[str, Callable[[Path], None]] = {
        "word-similarity": lambda path: found.similarity.append(read_similarity_set(path)),
        "word-analogy": lambda path: found.analogies.append(read_analogy_set(path)),
        "word-categorization": lambda path: found.categories.append(read_category_set(path)),
        "outlier-detection": lambda path: found.outliers.append(_outliers(path)),
        "semantic-relation": lambda path: found.relations.append(_relations(path)),
    }
    for kind, read in readers.items():
        for path in sorted((folder / kind / "monolingual" / language).glob("*.csv")):
            if path.stem in _SKIPPED:
                found.skipped.append((path.stem, _SKIPPED[path.stem]))
            else:
                read(path)
    known = {test.name for test in found.analogies}
    for path in sorted(file for file in folder.iterdir() if file.suffix in (".txt", ".tsv", ".csv")):
        # The layout has Google's questions twice, in two formats.
        if not (path.stem == "questions-words" and "google-analogies" in known):
            _read_single(path, found)


def _read_single(path: Path, found: Benchmarks) -> None:
    """Read a file of pairs with a score or of questions by category; leave any other alone."""
    lines = [line for line in _text(path).splitlines() if line.strip() and not line.startswith("#")]
    if any(line.startswith(":") for line in lines[:50]):
        found.analogies.append(_questions(path.stem, lines))
        return
    rows = [re.split(r"[\t,;]", line) for line in lines]
    good = [row for row in rows if len(row) >= 3 and _number(row[2]) is not None]
    if len(good) >= max(3, len(rows) // 2):
        pairs = [(row[0].strip(), row[1].strip()) for row in good]
        found.similarity.append(SimilaritySet(path.stem, pairs, [float(row[2]) for row in good]))


def _questions(name: str, lines: Iterable[str]) -> AnalogySet:
    questions, categories, current = [], [], "all"
    for line in lines:
        parts = line.split()
        if line.startswith(":"):
            current = " ".join(parts[1:]) or "all"
        elif len(parts) == 4:
            questions.append((parts[0], parts[1], parts[2], parts[3]))
            categories.append(current)
    return AnalogySet(name, questions, categories)


def read_similarity_set(path: Path) -> SimilaritySet:
    """Read a CSV file with the columns word1, word2, similarity; a pair without a score is left out."""
    rows = _rows(path, ("word1", "word2", "similarity"))
    good = [row for row in rows if _number(row[2]) is not None]
    pairs = [(row[0], row[1]) for row in good]
    if good and all(_PART_OF_SPEECH.search(word) for pair in pairs for word in pair):
        pairs = [(first[:-2], second[:-2]) for first, second in pairs]  # MEN marks nouns, verbs, adjectives
    return SimilaritySet(path.stem, pairs, [float(row[2]) for row in good])


def read_analogy_set(path: Path) -> AnalogySet:
    """Read a CSV file with the columns type, word1, word2, word3, target."""
    rows = _rows(path, ("word1", "word2", "word3", "target", "type"))
    questions = [(row[0], row[1], row[2], row[3]) for row in rows]
    return AnalogySet(path.stem, questions, [row[4] for row in rows])


def read_category_set(path: Path) -> CategorySet:
    """Read a CSV file with the columns word, category; a word of two categories is left out."""
    rows = _rows(path, ("word", "category"))
    # A word of two categories cannot be put right by any clustering.
    count = Counter(word for word, _ in set(map(tuple, rows)))
    once = {word: category for word, category in rows if count[word] == 1}
    return CategorySet(path.stem, list(once), list(once.values()))


def _outliers(path: Path) -> OutlierSet:
    groups = []
    for name, words, outliers in _rows(path, ("category", "words", "outliers")):
        groups.append(Group(name, _listed(words, path), _listed(outliers, path)))
    return OutlierSet(path.stem, groups)


def _relations(path: Path) -> RelationSet:
    rows = [row for row in _rows(path, ("word1", "word2", "relation")) if row[2] != "?"]
    return RelationSet(path.stem, [(row[0], row[1]) for row in rows], [row[2] for row in rows])


def _rows(path: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """Read the named columns of a CSV file with a header."""
    reader = csv.DictReader(_text(path).splitlines())
    if missing := [name for name in columns if name not in (reader.fieldnames or [])]:
        raise TenorError(f"{path}:1: there is no column {missing[0]!r}; there are {reader.fieldnames}.")
    try:
        rows = [[(row[name] or "").strip() for name in columns] for row in reader]
    except csv.Error as error:
        raise TenorError(f"{path}:{reader.line_num}: {error}.") from error
    return [row for row in rows if all(row)]


def _listed(text: str, path: Path) -> list[str]:
    """Read a list of words that is written as a Python literal."""
    try:
        words = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise TenorError(f"{path}: {text[:60]!r} is not a list of words.") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TenorError(f"{path}: {text[:60]!r} is not a list of words.")
    return [word for word in words if word]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise TenorError(f"{path} has more than {_LARGEST:,} bytes; no test set of words is so big.")
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
