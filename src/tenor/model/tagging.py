"""What a model's tagger says of texts: the tag of every word, and the entities with their offsets.

A text is cut into words (:func:`tenor.text.words.split_words`), whose offsets are kept, so that tags land on
the original characters; a list of words is taken as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tenor.errors import TenorError
from tenor.model.heads import TrainedTask, find_task
from tenor.model.long_tagging import joined_answers, stretches_of
from tenor.model.predicting import predict
from tenor.tasks.tag.answer import TagAnswer
from tenor.text.examples import Origin, Row
from tenor.text.words import Words, join_words, split_words

if TYPE_CHECKING:
    from tenor.model.model import Model

Text = str | Sequence[str]
_WORDS_AT_ONCE = 50_000


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
    gates: tuple[dict[str, float], ...] | None = None
    """How much each expert says of every word, where the head has experts."""

    def to_json(self) -> dict[str, Any]:
        """Return words, tags and entities for programs."""
        words: list[dict[str, Any]] = [
            {"word": word, "begin": begin, "end": end, "tag": tag, "probability": round(probability, 4)}
            for word, (begin, end), tag, probability in zip(
                self.words, self.offsets, self.tags, self.probabilities, strict=True
            )
        ]
        for told, weights in zip(words, self.gates or (), strict=False):
            told["gates"] = {name: round(weight, 4) for name, weight in weights.items()}
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
    model: "Model",
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
    answers = dict(
        zip(full, _answers(model, tagger, [cut[number].words for number in full], progress), strict=True)
    )
    return [
        _tagged(text, words, answers.get(number))
        for number, (text, words) in enumerate(zip(whole, cut, strict=True))
    ]


def _answers(
    model: "Model",
    tagger: TrainedTask,
    rows: Sequence[Sequence[str]],
    progress: Callable[[int], None] | None,
) -> list[Any]:
    """Return what the tagger says of rows of words; long ones are cut into stretches that are read apart."""
    stretches = [stretches_of(words) for words in rows]
    flat = [
        words[part.begin : part.end] for words, parts in zip(rows, stretches, strict=True) for part in parts
    ]
    said: list[Any] = []
    for batch in _batches(flat):
        said += tagger.spec.answers(predict(model, tagger, batch, progress=progress))
    answers, spoken = [], iter(said)
    for parts in stretches:
        own = [next(spoken) for _ in parts]
        answers.append(own[0] if len(own) == 1 else joined_answers(parts, own))
    return answers


def _batches(rows: Sequence[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Yield rows in lists of a bounded number of words, so that memory does not grow with a text."""
    batch: list[Sequence[str]] = []
    words = 0
    for row in rows:
        batch.append(row)
        words += len(row)
        if words >= _WORDS_AT_ONCE:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch


def find_tagger(model: "Model", name: str | None) -> TrainedTask:
    """Return a task of the model that tags words, or say which there are."""
    taggers = [task for task in model.tasks.values() if task.spec.answers_words]
    if name is not None:
        task = find_task(model.tasks, name, model=model.name)
        if not task.spec.answers_words:
            raise TenorError(f"Task {name} does not tag words: use tenor classify.")
        return task
    if len(taggers) == 1:
        return taggers[0]
    if not taggers:
        raise TenorError(
            f"{model.name} has no task that tags words. Train one: tenor init FILE.conll, then tenor train."
        )
    raise TenorError(f"{model.name} has several taggers; choose one of {', '.join(t.name for t in taggers)}.")


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
    return Tagged(
        text,
        words.words,
        offsets,
        answer.tags,
        answer.probabilities,
        entities,
        spans=answer.spans,
        gates=answer.gates,
    )
