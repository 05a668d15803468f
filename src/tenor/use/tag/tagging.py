"""What a model's tagger says of the texts of a file; ``tenor.model.tagging`` has the tagging itself."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tenor.model import Model
from tenor.model.tagging import Tagged, TaggedEntity, Text, find_tagger, tag
from tenor.text.examples import Origin, Row
from tenor.text.problems import Problems
from tenor.text.readers import read_texts
from tenor.text.tagged import looks_like_words, read_tagged
from tenor.use.text_watch import TextWatch
from tenor.use.windows import windows

__all__ = ["Tagged", "TaggedEntity", "Text", "find_tagger", "tag", "tag_file"]

WINDOW_TEXTS = 2_048
WINDOW_CHARACTERS = 4_000_000


def tag_file(
    model: Model,
    path: str | Path,
    *,
    task: str | None = None,
    column: str | int | None = None,
    encoding: str | None = None,
    watch: TextWatch | None = None,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Tagged]:
    """Yield the tagged texts of a file in order, in memory that does not grow with the file.

    A file of tagged words is read for its words; any other for its texts. ``watch`` sees the texts.
    """
    tagger = find_tagger(model, task).name
    read = _read(path, column, encoding, problems)
    for window in windows(read, _characters, most=WINDOW_TEXTS, most_characters=WINDOW_CHARACTERS):
        if watch is not None:
            watch.see([text if isinstance(text, str) else " ".join(text) for text, _, _ in window])
        tagged = tag(model, [text for text, _, _ in window], task=tagger, progress=progress)
        for each, (_, origin, row) in zip(tagged, window, strict=True):
            yield replace(each, origin=origin, row=row)


def _read(
    path: str | Path, column: str | int | None, encoding: str | None, problems: Problems
) -> Iterator[tuple[Text, Origin, Row | None]]:
    if str(path) != "-" and column is None and looks_like_words(path):
        for sentence in read_tagged(path, encoding=encoding, problems=problems):
            yield list(sentence.words), sentence.origin, None
        return
    for example in read_texts(path, column=column, rows=True, encoding=encoding, problems=problems):
        yield example.text, example.origin, example.row


def _characters(item: tuple[Text, Origin, Row | None]) -> int:
    text = item[0]
    return len(text) if isinstance(text, str) else sum(map(len, text))
