"""What a model's tagger says of texts: the tag of every word, and the entities with their offsets.

A text is cut into words (:func:`tenor.text.words.split_words`), whose offsets are kept, so that tags land on
the original characters; a list of words is taken as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.heads import TrainedTask, find_task
from tenor.model.predicting import predict
from tenor.tasks.tag.answer import TagAnswer
from tenor.text.conll_sniff import looks_like_conll
from tenor.text.examples import Origin, Row
from tenor.text.problems import Problems
from tenor.text.readers import read_texts
from tenor.text.tagged import read_tagged
from tenor.text.words import Words, join_words, split_words
from tenor.use.text_watch import TextWatch
from tenor.use.windows import windows

Text = str | Sequence[str]
WINDOW_TEXTS = 2_048
WINDOW_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True)
class TaggedEntity:
    """A stretch of a text, its type, and the lowest probability of its words' tags."""

    type: str
    text: str
    begin: int  # offset of its first character
    end: int  # offset behind its last character
    probability: float


@dataclass(frozen=True, slots=True)
class Tagged:
    """A text with the tag of every word."""

    text: str
    words: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]  # of each word in the text
    tags: tuple[str, ...]
    probabilities: tuple[float, ...]
    entities: tuple[TaggedEntity, ...]
    origin: Origin | None = None
    spans: bool = True  # whether tags are those of spans, and not plain
    row: Row | None = None  # of the file, where it is a table

    def to_json(self) -> dict[str, Any]:
        """Return words, tags and entities for programs."""
        words = [
            {"word": word, "begin": begin, "end": end, "tag": tag, "probability": round(probability, 4)}
            for word, (begin, end), tag, probability in zip(
                self.words, self.offsets, self.tags, self.probabilities, strict=True
            )
        ]
        entities = [
            {
                "type": each.type,
                "text": each.text,
                "begin": each.begin,
                "end": each.end,
                "probability": round(each.probability, 4),
            }
            for each in self.entities
        ]
        line = {} if self.origin is None else {"line": self.origin.line}
        return {**line, "text": self.text, "words": words, "entities": entities}


def tag(
    model: Model,
    texts: Sequence[Text],
    *,
    task: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Tagged]:
    """Tag the words of texts; ``task`` is the model's only tagger when None."""
    if isinstance(texts, str):
        raise TypeError("tag takes a list of texts; a single text goes in a list of its own.")
    tagger = find_tagger(model, task)
    cut = [split_words(text) if isinstance(text, str) else join_words(list(text)) for text in texts]
    whole = [text if isinstance(text, str) else " ".join(text) for text in texts]
    full = [number for number, words in enumerate(cut) if len(words)]
    rows = [cut[number].words for number in full]
    answers: dict[int, Any] = {}
    if rows:
        predictions = predict(model, tagger, rows, progress=progress)
        answers = dict(zip(full, tagger.spec.answers(predictions), strict=True))
    return [
        _tagged(text, words, answers.get(number))
        for number, (text, words) in enumerate(zip(whole, cut, strict=True))
    ]


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

    A file of CoNLL columns is read for its words; any other for its texts. ``watch`` sees the texts.
    """
    tagger = find_tagger(model, task).name
    read = _read(path, column, encoding, problems)
    for window in windows(read, _characters, most=WINDOW_TEXTS, most_characters=WINDOW_CHARACTERS):
        if watch is not None:
            watch.see([text if isinstance(text, str) else " ".join(text) for text, _, _ in window])
        tagged = tag(model, [text for text, _, _ in window], task=tagger, progress=progress)
        for each, (_, origin, row) in zip(tagged, window, strict=True):
            yield replace(each, origin=origin, row=row)


def find_tagger(model: Model, name: str | None) -> TrainedTask:
    """Return a task of the model that tags words, or say which there are."""
    taggers = [task for task in model.tasks.values() if task.spec.answers_words]
    if name is not None:
        task = find_task(model.tasks, name, model=model.name)
        if not task.spec.answers_words:
            raise TenorError(f"Task {name} says nothing of single words: use tenor classify.")
        return task
    if len(taggers) == 1:
        return taggers[0]
    if not taggers:
        raise TenorError(
            f"{model.name} has no task that tags words. Train one: tenor init FILE.conll, then tenor train."
        )
    raise TenorError(f"{model.name} has several taggers; choose one of {', '.join(t.name for t in taggers)}.")


def _read(
    path: str | Path, column: str | int | None, encoding: str | None, problems: Problems
) -> Iterator[tuple[Text, Origin, Row | None]]:
    if str(path) != "-" and column is None and looks_like_conll(path):
        for sentence in read_tagged(path, encoding=encoding, problems=problems):
            yield list(sentence.words), sentence.origin, None
        return
    for example in read_texts(path, column=column, rows=True, encoding=encoding, problems=problems):
        yield example.text, example.origin, example.row


def _characters(item: tuple[Text, Origin, Row | None]) -> int:
    text = item[0]
    return len(text) if isinstance(text, str) else sum(map(len, text))


def _tagged(text: str, words: Words, answer: Any) -> Tagged:
    offsets = tuple((int(begin), int(end)) for begin, end in words.spans)
    if answer is None:
        return Tagged(text, words.words, offsets, (), (), ())
    assert isinstance(answer, TagAnswer)
    entities = tuple(
        TaggedEntity(
            each.type,
            text[offsets[each.begin][0] : offsets[each.end - 1][1]],
            offsets[each.begin][0],
            offsets[each.end - 1][1],
            min(answer.probabilities[each.begin : each.end]),
        )
        for each in answer.entities
    )
    return Tagged(text, words.words, offsets, answer.tags, answer.probabilities, entities, spans=answer.spans)
