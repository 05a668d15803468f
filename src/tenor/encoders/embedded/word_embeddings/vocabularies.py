"""``vocabularies.json``: words, characters or pieces of each embedding, read without trusting the file."""

from collections.abc import Sequence
from pathlib import Path

from tenor.errors import TenorError
from tenor.files import read_json, write_json

VOCABULARIES = "vocabularies.json"


def read_vocabularies(folder: Path, count: int) -> list[list[str]]:
    """Read the vocabularies of so many embeddings."""
    path = folder / VOCABULARIES
    if not path.is_file():
        raise TenorError(f"{folder} lacks {VOCABULARIES}, which its config.json asks for.")
    content = read_json(path)
    if (
        not isinstance(content, list)
        or len(content) != count
        or not all(isinstance(each, list) and all(isinstance(word, str) for word in each) for each in content)
    ):
        raise TenorError(f"{path} must hold {count} lists of texts, one for each embedding of config.json.")
    return content


def write_vocabularies(folder: Path, vocabularies: Sequence[Sequence[str]]) -> None:
    """Write the vocabulary of each embedding."""
    write_json(folder / VOCABULARIES, [list(vocabulary) for vocabulary in vocabularies])
