"""Texts of languages from files: plain text with a sentence a line, or tagged words."""

from collections.abc import Sequence
from pathlib import Path

from tenor.errors import TenorError
from tenor.text.lines import read_lines
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems
from tenor.text.tagged import looks_tagged, read_tagged
from tenor.text.words import split_words
from tenor.words.languages.distances import Text


def read_languages(files: Sequence[str | Path], *, problems: Problems) -> dict[str, Text]:
    """Return the text of each file under its name without the endings; under its path where two are alike."""
    names = [Path(file).name.partition(".")[0] for file in files]
    if len(set(names)) < len(names):
        names = [str(file) for file in files]
    if len(set(names)) < len(names):
        raise TenorError("A file is given twice; give one text of each language.")
    return {name: read_text(file, problems=problems) for name, file in zip(names, files, strict=True)}


def read_text(file: str | Path, *, problems: Problems) -> Text:
    """Return the words of each sentence of a file; a line of plain text is a sentence."""
    if looks_tagged(file):
        text: list[Sequence[str]] = [each.words for each in read_tagged(file, problems=problems)]
    else:
        with open_bytes(file) as opened:
            lines = read_lines(opened, encoding="utf-8-sig", problems=problems)
            text = [words for _, line in lines if (words := split_words(line).words)]
    if not text:
        raise TenorError(f"{file} has no words; give a text of the language, a sentence a line.")
    return text
