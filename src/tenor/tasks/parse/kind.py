"""Dependency trees: the head of every word and its relation, scored by UAS and LAS."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.metrics.intervals import Interval
from tenor.metrics.of_sums import scores_of_sums
from tenor.tasks.answer import Answer
from tenor.tasks.config import TaskConfig, check_fraction
from tenor.tasks.kind import Kind, row_of
from tenor.tasks.parse.answer import ParseAnswer
from tenor.tasks.spec import TaskSpec
from tenor.text.conllu import ParsedSentence, read_trees, why_no_tree
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Origin
from tenor.text.file_profile import FileProfile
from tenor.text.problems import Problems
from tenor.text.ragged import Ragged
from tenor.text.tagged import looks_tagged

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task

Subwords = Literal["first", "mean"]
_LARGEST, _MOST_RELATIONS = 8_192, 1_000


@dataclass(frozen=True, kw_only=True)
class ParseConfig(TaskConfig):
    """The settings of a ``parse`` task, whose files are CoNLL-U."""

    kind: str = "parse"
    arc_size: int | None = None
    """Of the vectors that arcs are scored by. Default: 128."""
    relation_size: int | None = None
    """Of the vectors that relations are scored by. Default: 64."""
    subwords: Subwords | None = None
    """The vector of a word: that of its first word piece, or the mean of all. Default: first."""
    dropout: float | None = None
    """On what the parser reads and within it. Default: 0.2."""
    metric: Literal["las", "uas"] | None = None
    """Default: las."""

    def check(self) -> None:
        """Refuse sizes and a dropout that leave nothing."""
        super().check()
        check_fraction(self, "dropout")
        for key in ("arc_size", "relation_size"):
            if (value := getattr(self, key)) is not None and not 1 <= value <= _LARGEST:
                raise TenorError(f"{key} is {value}; expected a whole number from 1 to {_LARGEST:,}.")


@dataclass(frozen=True, kw_only=True)
class ParseSpec(TaskSpec):
    """A tree over the words; predictions are arrays [words, 3]: head, relation, probability of both."""

    metric: str = "las"
    relations: tuple[str, ...] = ()
    arc_size: int = 128
    relation_size: int = 64
    subwords: Subwords = "first"
    dropout: float = 0.2

    kind: ClassVar[str] = "parse"

    @property
    def labels_shown(self) -> tuple[str, ...]:
        """The relations."""
        return self.relations

    def wrong(self) -> str | None:
        """Say why no parser could be built from these settings."""
        if not self.relations or len(set(self.relations)) != len(self.relations):
            return "it needs relations, each once"
        if len(self.relations) > _MOST_RELATIONS:
            return f"it has {len(self.relations):,} relations; there can be {_MOST_RELATIONS:,}"
        if not all(1 <= each <= _LARGEST for each in (self.arc_size, self.relation_size)):
            return f"arc_size and relation_size must be from 1 to {_LARGEST:,}"
        return None if 0 <= self.dropout < 1 else "dropout must be at least 0 and below 1"

    def weight_shapes(self, hidden_size: int, *, pooling: PoolingConfig) -> Mapping[str, tuple[int, ...]]:
        """Return the weights of the four layers, of both biaffine scores, and of the root."""
        shapes: dict[str, tuple[int, ...]] = {"root": (hidden_size,)}
        for name, size in (("arc", self.arc_size), ("relation", self.relation_size)):
            for side in ("dependents", "heads"):
                shapes[f"{name}_{side}.weight"] = (size, hidden_size)
                shapes[f"{name}_{side}.bias"] = (size,)
        count = len(self.relations)
        return shapes | {
            "arcs.weight": (1, self.arc_size + 1, self.arc_size + 1),
            "labels.weight": (count, self.relation_size + 1, self.relation_size + 1),
        }

    def targets(self, examples: Sequence[Any], *, name: str) -> Ragged:
        """Return head and relation of every word [words, 2] as texts, or say which example has no tree."""
        for example in examples:
            if example.heads is None or len(example.heads) != len(example.words):
                raise TenorError(f"{example.origin}: not every word has a head; task {name} needs a tree.")
        rows = [list(zip(map(str, each.heads), each.tags, strict=True)) for each in examples]
        flat = Ragged.from_lists(rows, dtype=np.str_)
        return Ragged(flat.values.reshape(-1, 2), flat.starts)

    def scores(
        self, predictions: Any, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return UAS and LAS over all words; intervals resample sentences."""
        rows = [
            _right(gold, given)
            for gold, given in zip(targets.to_lists(), self.answers(predictions), strict=True)
        ]
        sums = np.array(rows, dtype=np.float64).reshape(-1, 3)
        return scores_of_sums(_attachment, sums, repeats=repeats, seed=seed)

    def answers(self, predictions: Any) -> list[Answer]:
        """Return the tree of every sentence."""
        return [
            ParseAnswer(
                tuple(int(word[0]) for word in row),
                tuple(self.relations[int(word[1])] for word in row),
                tuple(float(word[2]) for word in row),
            )
            for row in predictions
        ]

    def gold(self, example: Any) -> Any:
        """Return heads and relations in the form of an answer."""
        return [f"{head}:{relation}" for head, relation in zip(example.heads, example.tags, strict=True)]

    def prediction_row(self, example: Any, answer: Answer) -> dict[str, Any]:
        """Return gold and predicted trees, and which words are wrong."""
        row = super().prediction_row(example, answer)
        words, gold, given = example.words, row["gold"], row["predicted"]
        wrong = [at for at in range(len(gold)) if gold[at] != given[at]]
        shown = "; ".join(f"{words[at]}: gold {gold[at]}, predicted {given[at]}" for at in wrong[:4])
        return row | {
            "right": not wrong,
            "error": len(wrong) / max(1, len(gold)),
            "shown": shown or "the whole tree is right",
        }


def _right(gold: list[list[str]], given: Answer) -> tuple[int, int, int]:
    """Count the words whose head is right, those whose relation is right too, and all."""
    assert isinstance(given, ParseAnswer)
    heads = [int(head) == other for (head, _), other in zip(gold, given.heads, strict=True)]
    both = [
        right and relation == other
        for right, (_, relation), other in zip(heads, gold, given.relations, strict=True)
    ]
    return sum(heads), sum(both), len(gold)


def _attachment(sums: NDArray[np.float64]) -> dict[str, Any]:
    words = np.maximum(1, sums[..., 2])
    return {"uas": sums[..., 0] / words, "las": sums[..., 1] / words}


class ParseKind(Kind):
    """Parses sentences."""

    name = "parse"
    about = "gives every word its head and relation: dependency trees"
    config = ParseConfig
    spec = ParseSpec

    def read(self, config: ParseConfig, file: Path, *, problems: Problems) -> Iterator[ParsedSentence]:
        """Yield the trees of a CoNLL-U file."""
        found = False
        for sentence in read_trees(file, problems=problems):
            found = True
            yield sentence
        if not found:
            first = f" The first problem: {problems.first[0]}." if problems.first else ""
            raise TenorError(
                f"{file} has no trees that could be read.{first} Expected CoNLL-U: ten columns separated by "
                "tabs, the head of each word in the seventh."
            )

    def guess(self, path: str | Path, survey: FileProfile | None) -> TaskConfig | None:
        """Recognise CoNLL-U with trees; such files hold tags too, and ``tag`` is asked first."""
        if not looks_tagged(path) or next(read_trees(path, problems=Problems()), None) is None:
            return None
        return ParseConfig(train=Path(path))

    def suggested_training(self, examples: int) -> Mapping[str, int | float]:
        """Return learning rates of heads that are new and an encoder that is adapted."""
        return {"epochs": 10, "encoder_lr": 1e-4, "head_lr": 2e-3}

    def example(self, row: Any, origin: Origin) -> ParsedSentence:
        """Turn a row in memory into a sentence: words, heads and relations, a list of words, or a text."""
        if isinstance(row, ParsedSentence):
            return row
        if isinstance(row, Sequence) and not isinstance(row, str) and all(isinstance(w, str) for w in row):
            if len(row) != 1 or not any(character.isspace() for character in row[0]):
                return ParsedSentence(tuple(row), origin)
            row = row[0]  # no word has a space in it: a text alone
        values = row_of(row, ("words", "heads", "relations"), self.name)
        words = values.get("words", values.get("tokens", values.get("text")))
        if words is None:
            raise TenorError(f"A row of a 'parse' task has {', '.join(values)}; expected words.")
        if isinstance(words, str):
            from tenor.text.words import split_words

            words = split_words(words).words
        heads, relations = values.get("heads"), values.get("relations")
        if heads is None:
            return ParsedSentence(tuple(words), origin)
        if relations is None or not len(words) == len(heads) == len(relations):
            raise TenorError(f"{origin}: a tree needs a head and a relation for each of its words.")
        if (wrong := why_no_tree(tuple(heads))) is not None:
            raise TenorError(f"{origin}: {wrong}.")
        return ParsedSentence(tuple(words), origin, tuple(relations), tuple(heads))

    def faults(self, config: Any, train: ExampleStatistics, dev: ExampleStatistics | None) -> list[str]:
        """Say so where no word has a relation."""
        return [] if train.labels else ["no sentence has a tree"]

    def settle(self, config: ParseConfig, examples: Sequence[ParsedSentence], *, name: str) -> TaskSpec:
        """Find the relations."""
        targets = ParseSpec(relations=("root",)).targets(examples, name=name)
        if not len(targets.values):
            raise TenorError(f"Task {name}: there are no words to learn from.")
        return ParseSpec(
            metric=config.metric or "las",
            relations=tuple(sorted(set(targets.values[:, 1].tolist()))),
            arc_size=config.arc_size or 128,
            relation_size=config.relation_size or 64,
            subwords=config.subwords or "first",
            dropout=0.2 if config.dropout is None else config.dropout,
        )

    def build(
        self,
        name: str,
        spec: Any,
        *,
        encoder: "Encoder",
        pooling: PoolingConfig,
        seed: int,
        tasks: Mapping[str, "Task"],
    ) -> "Task":
        """Build the parser on the encoder's states."""
        from tenor.tasks.parse.task import ParseTask

        return ParseTask(name, spec, hidden_size=encoder.hidden_size, seed=seed)
