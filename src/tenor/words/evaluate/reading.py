"""Reading test sets of word vectors: a folder, a single file, or the asset ``word-tests``.

In the layout of the vecto project's word benchmarks, KIND/monolingual/LANGUAGE/NAME.csv, the folder says what
a file holds: KIND is word-similarity, word-analogy, word-categorization, outlier-detection or
semantic-relation. Any other file is recognised by its content, wherever in the folder it lies: by the names
of its columns, by Google's ": category" lines, as questions of four words, or as pairs of words with a score
(``pair_files.py``). What cannot be read is listed in ``skipped`` with the reason.
"""

import ast
import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from tenor.errors import TenorError
from tenor.files import why
from tenor.words.evaluate.pair_files import read_pair_file
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
_LARGEST = 64 << 20  # bytes of a file
_PROSE = ("README", "LICENSE", "LICENCE", "NOTICE")  # files that go with data and hold none
_HEADERS = {
    "word-analogy": ("word1", "word2", "word3", "target"),
    "word-categorization": ("word", "category"),
    "outlier-detection": ("category", "words", "outliers"),
    "semantic-relation": ("word1", "word2", "relation"),
}


def read_benchmarks(source: str | Path | None = None, *, language: str = "en") -> Benchmarks:
    """Read all test sets of a folder, a single file, or those of the asset; nothing usable is an error.

    A folder may be laid out by kind and language, or in any other way; then all its files are looked at.
    """
    found = Benchmarks()
    if source is None:
        for path in _asset_files():
            _read_single(path, found)
    elif (path := Path(source)).is_file():
        _read_single(path, found)  # its error is the answer
    else:
        _read_folder(path, language, found)
    if not len(found):
        reasons = "".join(f" {name}: {why}." for name, why in found.skipped[:3])
        raise TenorError(
            f"{source} holds no test sets for words; expected word-similarity/monolingual/{language}/*.csv "
            f"and its like, files of word pairs with a score, or Google's questions-words.txt.{reasons}"
        )
    return found


def _asset_files() -> list[Path]:
    from tenor.assets import TABLE, find

    folder = find(ASSET)
    return [folder / file.name for file in TABLE[ASSET].files]


def _readers(found: Benchmarks) -> dict[str, Callable[[Path], None]]:
    return {
        "word-similarity": lambda path: _pairs(path, found),
        "word-analogy": lambda path: found.analogies.append(read_analogy_set(path)),
        "word-categorization": lambda path: found.categories.append(read_category_set(path)),
        "outlier-detection": lambda path: found.outliers.append(_outliers(path)),
        "semantic-relation": lambda path: found.relations.append(_relations(path)),
    }


def _read_folder(folder: Path, language: str, found: Benchmarks) -> None:
    if not folder.is_dir():
        raise TenorError(f"There is no folder or file {str(folder)!r} with test sets for words.")
    kinds = _readers(found)
    for kind, read in kinds.items():
        for path in sorted((folder / kind / "monolingual" / language).glob("*.csv")):
            _attempt(path, read, found)
    known = {test.name for test in found.analogies}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        of_layout = place.parts[0] in kinds
        hidden = any(part.startswith(".") for part in place.parts)
        if of_layout or hidden or not path.is_file() or path.name.upper().startswith(_PROSE):
            continue
        # The layout has Google's questions twice, in two formats.
        if not (path.stem == "questions-words" and "google-analogies" in known):
            _attempt(path, lambda file: _read_single(file, found), found)


def _attempt(path: Path, read: Callable[[Path], None], found: Benchmarks) -> None:
    """Read a file, or note why it cannot be used: the others are still worth a score."""
    if path.stem in _SKIPPED:
        found.skipped.append((path.stem, _SKIPPED[path.stem]))
        return
    try:
        read(path)
    except TenorError as error:
        found.skipped.append((path.name, str(error).rstrip(".")))


def _read_single(path: Path, found: Benchmarks) -> None:
    """Read a file by what it holds."""
    lines = [
        (number, line)
        for number, line in enumerate(_text(path).splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    texts = [line for _, line in lines]
    if any(line.startswith(":") for line in texts[:50]):
        found.analogies.append(_questions(path.stem, texts))
    elif kind := _kind_by_header(texts):
        _readers(found)[kind](path)
    elif lines and all(len(line.split()) == 4 and not _has_number(line) for line in texts):
        found.analogies.append(_questions(path.stem, texts))
    else:
        _pairs(path, found)


def _kind_by_header(lines: list[str]) -> str | None:
    """Name the kind of a CSV file whose header has the columns of one that is not pairs with a score."""
    names = set(next(csv.reader(lines[:1]), []))
    return next((kind for kind, columns in _HEADERS.items() if set(columns) <= names), None)


def _has_number(line: str) -> bool:
    return any(cell.replace(".", "", 1).isdecimal() for cell in line.split())


def _pairs(path: Path, found: Benchmarks) -> None:
    numbered = enumerate(_text(path).splitlines(), start=1)
    lines = [(number, line) for number, line in numbered if line.strip() and not line.startswith("#")]
    read = read_pair_file(path, lines)
    found.similarity.append(read.test)
    if read.left_out:
        found.skipped.append((f"a part of {path.name}", read.left_out))


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
    _rows(path, ("word1", "word2", "similarity"))  # refuses another header
    only = Benchmarks()
    _pairs(path, only)
    return only.similarity[0]


def read_analogy_set(path: Path) -> AnalogySet:
    """Read a CSV file with the columns word1, word2, word3, target and, for categories, type."""
    header = next(csv.reader(_text(path).splitlines()[:1]), [])
    columns = ("word1", "word2", "word3", "target", *(["type"] if "type" in header else []))
    rows = _rows(path, columns)
    questions = [(row[0], row[1], row[2], row[3]) for row in rows]
    return AnalogySet(path.stem, questions, [row[4] if "type" in header else "all" for row in rows])


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


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise TenorError(f"{path} has more than {_LARGEST:,} bytes; no test set of words is so big.")
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = _unpacked(path)
        return _decoded(content, path)
    except (OSError, EOFError, zlib.error) as error:
        if not isinstance(error, OSError):
            raise TenorError(f"{path} is a damaged gzip file.") from error
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error


def _unpacked(path: Path) -> bytes:
    with gzip.open(path) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise TenorError(f"{path} has more than {_LARGEST:,} bytes; no test set of words is so big.")
    return content


def _decoded(content: bytes, path: Path) -> str:
    """Decode UTF-8, UTF-16 with its mark, or else Windows' Western encoding; refuse what is no text."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content[:4096]:
        raise TenorError(f"{path} is no text file; expected a table of words.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
