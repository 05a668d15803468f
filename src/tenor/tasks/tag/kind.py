"""One label for every word: entities in a BIO scheme, parts of speech, chunks."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.layers.pooling_config import LayerChoice, PoolingConfig
from tenor.metrics.intervals import Interval
from tenor.metrics.of_sums import scores_of_sums
from tenor.metrics.spans import span_figures, span_scores
from tenor.tasks.answer import Answer
from tenor.tasks.config import TaskConfig, check_choice, check_fraction
from tenor.tasks.kind import Kind, row_of
from tenor.tasks.score_table import ScoreTable
from tenor.tasks.spec import TaskSpec
from tenor.tasks.survey import DataSurvey
from tenor.tasks.tag.answer import TagAnswer
from tenor.tasks.tag.heads.boundaries import boundary_shapes
from tenor.tasks.tag.heads.emissions import Decoding
from tenor.tasks.tag.heads.head import HeadType
from tenor.tasks.tag.heads.table import HEADS, HeadName
from tenor.tasks.tag.span_errors import span_errors
from tenor.tasks.tag.survey import TagSurvey
from tenor.tasks.tag.tables import span_tables
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.file_profile import FileProfile
from tenor.text.problems import Problems
from tenor.text.ragged import Ragged
from tenor.text.tag_schemes import TagScheme, convert, guess_scheme
from tenor.text.tagged import looks_tagged, read_tagged

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task

_EPOCHS, _MOST_EPOCHS = 5, 40
_STEPS = 800  # of training, which fewer sentences need more epochs for
Subwords = Literal["first", "mean"]
LabelUnits = Literal["parts", "whole"]
_LARGEST = 65_536


@dataclass(frozen=True, kw_only=True)
class TagConfig(TaskConfig):
    """The settings of a ``tag`` task; its files are CoNLL columns, CoNLL-U, TimeML, CCGbank or JSON lines."""

    kind: str = "tag"
    word: str | int | None = None
    """The column of the words: a number from 0, or a name. Default: the first with words; FORM in CoNLL-U."""
    tag: str | int | None = None
    """The column of the tags. Default: the last, or the only one with tags of spans; UPOS in CoNLL-U."""
    separator: str | None = None
    """Between columns; found out from the content when left out."""
    scheme: TagScheme | None = None
    """bio, bioes or iob1 where tags are those of spans, else plain. Default: from the train examples; iob1 is
    learned as bio."""
    head: HeadName | None = None
    """softmax: every word by itself, ``decoding`` makes a legal sequence of it; crf: a linear-chain
    conditional random field; experts: one expert for each type of entity, mixed by a supervised gate;
    spelled: labels are spelled out from their parts. Default: crf for spans, softmax for plain tags."""
    decoding: Decoding | None = None
    """Of head = "softmax": viterbi, the likeliest legal sequence; else the likeliest tag of every word, where
    an entity that changes its type becomes two (split) or has the type of its last word (retype). Default:
    viterbi."""
    expert_size: int | None = None
    """Of head = "experts". Default: 200."""
    gate_weight: float | None = None
    """Of head = "experts": the weight of the gate's loss. Default: 1."""
    boundary_weight: float | None = None
    """The weight of a second loss, of a CRF that learns where entities are whatever their type (Liu et al.,
    2020); only in training, and only of spans. Default: 0, no such loss."""
    decoder_size: int | None = None
    """Of head = "spelled". Default: 256."""
    beam: int | None = None
    """Of head = "spelled": the width of the search; 1 is greedy. Default: 5."""
    history: bool | None = None
    """Of head = "spelled": whether a label depends on those of the words before it. Default: true."""
    label_units: LabelUnits | None = None
    """Of head = "spelled": parts, or labels as a whole, for comparison. Default: parts."""
    decoder_dropout: float | None = None
    """Of head = "spelled": variational dropout of the decoder. Default: 0."""
    subwords: Subwords | None = None
    """The vector of a word: that of its first word piece, or the mean of all. Default: mean."""
    layers: LayerChoice | None = None
    """Which layers of the encoder are read: last, last_four, mix. Default: last."""
    casing: bool | None = None
    """Whether the head also sees the shapes of words (capitals, digits, marks), which uncased encoders lose.
    Default: true."""
    dropout: float | None = None
    """On what the head reads. Default: 0.1."""
    metric: str | None = None

    metrics: ClassVar[tuple[str, ...]] = ("f1", "accuracy", "f1_macro", "f1_boundary", "precision", "recall")

    def check(self) -> None:
        """Refuse a dropout that leaves nothing, and scores that there are not."""
        super().check()
        check_fraction(self, "dropout")
        check_fraction(self, "decoder_dropout")
        self._check_head()
        if self.metric is not None and self.metric not in self.metrics:
            raise TenorError(f"metric is {self.metric!r}, but a 'tag' task has {', '.join(self.metrics)}.")

    def _check_head(self) -> None:
        """Refuse numbers that are too small, and settings of another head than the one that is chosen."""
        for key in ("expert_size", "decoder_size", "beam"):
            if (value := getattr(self, key)) is not None and value < 1:
                raise TenorError(f"{key} is {value}; it must be at least 1.")
        for key in ("gate_weight", "boundary_weight"):
            if (value := getattr(self, key)) is not None and not 0 <= value < math.inf:
                raise TenorError(f"{key} is {value}; it must be a number from 0 on.")
        if self.decoding is not None:
            check_choice(self, "decoding", get_args(Decoding))
        for name, head in HEADS.items():
            for key in head.keys if name != self.head else ():
                if getattr(self, key) is not None:
                    raise TenorError(f"{key} is a setting of head = {name!r}, but head is {self.head!r}.")


@dataclass(frozen=True, kw_only=True)
class TagSpec(TaskSpec):
    """A label for every word; predictions are arrays [words, …], whose columns are those of the head."""

    metric: str = "f1"
    labels: tuple[str, ...] = ()
    scheme: TagScheme = "bio"
    head: HeadName = "crf"
    subwords: Subwords = "first"
    layers: LayerChoice = "last"
    casing: bool = False
    dropout: float = 0.1
    decoding: Decoding = "viterbi"
    expert_size: int = 200
    gate_weight: float = 1.0
    boundary_weight: float = 0.0
    decoder_size: int = 256
    beam: int = 5
    history: bool = True
    label_units: LabelUnits = "parts"
    decoder_dropout: float = 0.0

    kind: ClassVar[str] = "tag"
    answers_words: ClassVar[bool] = True

    @property
    def head_type(self) -> HeadType:
        """The head, as its table has it."""
        return HEADS[self.head]

    @property
    def spans(self) -> bool:
        """Whether tags are those of spans."""
        return self.scheme != "plain"

    @property
    def learns_boundaries(self) -> bool:
        """Whether training also learns where entities are, whatever their type."""
        return self.spans and self.boundary_weight > 0

    @property
    def labels_shown(self) -> tuple[str, ...]:
        """The types of spans, or the tags."""
        if not self.spans:
            return self.labels
        return tuple(dict.fromkeys(label.partition("-")[2] for label in self.labels if "-" in label))

    @property
    def probability_labels(self) -> tuple[str, ...]:
        """The tags; none where the head has no list of them."""
        return self.head_type.probability_labels(self)

    def probabilities(self, predictions: Any) -> list[NDArray[np.float32]]:
        """Return the probabilities of every word's tags."""
        return [self.head_type.probabilities(self, row) for row in predictions]

    def wrong(self) -> str | None:
        """Say why no head could be built from these settings."""
        if len(self.labels) < 2 or len(set(self.labels)) != len(self.labels):
            return "it needs at least two different tags"
        if len(self.labels) > (most := self.head_type.most_labels):
            return f"it has {len(self.labels):,} tags; there can be {most:,}"
        if not all(1 <= each <= _LARGEST for each in (self.expert_size, self.decoder_size, self.beam)):
            return f"expert_size, decoder_size and beam must be from 1 to {_LARGEST:,}"
        if not all(0 <= each < math.inf for each in (self.gate_weight, self.boundary_weight)):
            return "gate_weight and boundary_weight must be numbers from 0 on"
        if not (0 <= self.dropout < 1 and 0 <= self.decoder_dropout < 1):
            return "dropout and decoder_dropout must be at least 0 and below 1"
        return None

    def weight_shapes(self, hidden_size: int, *, pooling: PoolingConfig) -> Mapping[str, tuple[int, ...]]:
        """Return the weights of the head, and of that of boundaries."""
        shapes = dict(self.head_type.weight_shapes(self, hidden_size))
        return shapes | (boundary_shapes(self, hidden_size) if self.learns_boundaries else {})

    def targets(self, examples: Sequence[Any], *, name: str) -> Ragged:
        """Return the tags of all words in the task's own scheme; one that it does not know stays as it is."""
        for example in examples:
            if example.tags is None or len(example.tags) != len(example.words):
                raise TenorError(
                    f"{example.origin}: not every word has a tag; task {name} needs one for each."
                )
        source = guess_scheme([example.tags for example in examples]) if self.spans else self.scheme
        rows = [list(example.tags) for example in examples]
        if self.spans and source != "plain":
            rows = [convert(tags, source, self.scheme)[0] for tags in rows]  # slips are mended, too
        self._check_known({tag for tags in rows for tag in tags} - {"O"}, name)
        return Ragged.from_lists(rows, dtype=np.str_)

    def _check_known(self, found: set[str], name: str) -> None:
        """Refuse examples whose tags are all of another tag set; single ones may be new."""
        types = {_type_of(tag) for tag in self.labels}
        if found and len(self.labels) > 2 and not any(_type_of(tag) in types for tag in found):
            raise TenorError(
                f"Task {name} has the tags {', '.join(self.labels_shown[:8])}, but none of the examples': "
                f"{', '.join(sorted(found)[:8])}. Is it the right column, or another tag set?"
            )

    def scores(
        self, predictions: Any, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return entity scores as conlleval counts them, or of plain tags the accuracy, with intervals."""
        gold, given = targets.to_lists(), self.tags_of(predictions)
        if self.spans:
            return span_scores(gold, given, repeats=repeats, seed=seed)
        return scores_of_sums(_accuracy, _words_right(gold, given), repeats=repeats, seed=seed)

    def plain_scores(self, predictions: Any, targets: Any) -> dict[str, float]:
        """Return the same scores without intervals."""
        if not self.spans:
            return super().plain_scores(predictions, targets)
        return dict(span_figures(targets.to_lists(), self.tags_of(predictions)))

    def notes(self, targets: Any) -> list[str]:
        """Say how many words have tags that the model never learned."""
        known = set(self.labels)
        new = Counter(tag for tag in targets.values.tolist() if tag not in known)
        if not new:
            return []
        words = "1 word has a tag" if new.total() == 1 else f"{new.total():,} words have tags"
        shown = ", ".join(tag for tag, _ in new.most_common(5))
        consequence = self.head_type.unseen_labels(self)
        return [f"{words} that the model never learned ({shown}): {consequence}."]

    def tables(self, predictions: Any, targets: Any) -> tuple[ScoreTable, ...]:
        """Return the scores of every type of span, and what types are taken for."""
        return span_tables(targets.to_lists(), self.tags_of(predictions)) if self.spans else ()

    def tags_of(self, predictions: Sequence[NDArray[np.float32]]) -> list[list[str]]:
        """Return the tags of every row."""
        return [self.head_type.tags(self, row) for row in predictions]

    def answers(self, predictions: Any) -> list[Answer]:
        """Return the tag of every word and its probability."""
        return [
            TagAnswer(
                tuple(tags),
                tuple(self.head_type.tag_probabilities(self, row)),
                self.spans,
                self.head_type.gates(self, row),
            )
            for tags, row in zip(self.tags_of(predictions), predictions, strict=True)
        ]

    def gold(self, example: Any) -> Any:
        """Return the tags in the task's own scheme."""
        tags = list(example.tags)
        source = guess_scheme([tags]) if self.spans else self.scheme
        # Of one sentence alone "I-X" may be a slip or iob1: both are read as the same entities.
        return tags if source == "plain" or not self.spans else convert(tags, source, self.scheme)[0]

    def prediction_row(self, example: Any, answer: Answer) -> dict[str, Any]:
        """Return gold and predicted tags, which are wrong, and what they are taken for."""
        assert isinstance(answer, TagAnswer)
        row = super().prediction_row(example, answer)
        gold, given = row["gold"], list(answer.tags)
        wrong = [place for place, (one, two) in enumerate(zip(gold, given, strict=True)) if one != two]
        found = span_errors(example.words, gold, given) if self.spans else []
        found = found or [
            f"{example.words[place]}: gold {gold[place]}, predicted {given[place]}" for place in wrong
        ]
        shown = "; ".join(found[:4]) + (f"; and {len(found) - 4} more" if len(found) > 4 else "")
        kinds = [_type_of(tag) for tag in gold], [_type_of(tag) for tag in given]
        return row | {
            "right": not wrong,
            "error": len(wrong) / max(1, len(gold)),
            "shown": shown or "all tags are right",
            "confusion": [list(pair) for pair in zip(*kinds, strict=True)],
        }


def _head_settings(config: TagConfig) -> dict[str, Any]:
    """Return the settings of heads that a run file gives."""
    keys = (key for head in HEADS.values() for key in head.keys)
    return {key: value for key in keys if (value := getattr(config, key)) is not None}


def _type_of(tag: str) -> str:
    """Return the type of a span's tag, whatever its place in the span."""
    return tag.partition("-")[2] or tag


def _words_right(gold: list[list[str]], given: list[list[str]]) -> NDArray[np.float64]:
    """Count the words of each sentence that are right, and all of them [n, 2]."""
    pairs = zip(gold, given, strict=True)
    rows = [(sum(g == p for g, p in zip(one, two, strict=True)), len(one)) for one, two in pairs]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def _accuracy(sums: NDArray[np.float64]) -> dict[str, Any]:
    return {"accuracy": sums[..., 0] / np.maximum(1, sums[..., 1])}


class TagKind(Kind):
    """Tags words."""

    name = "tag"
    about = "gives every word its tag: entities, parts of speech"
    config = TagConfig
    spec = TagSpec

    def read(self, config: TagConfig, file: Path, *, problems: Problems) -> Iterator[TaggedSentence]:
        """Yield the sentences of a CoNLL file, or of JSON lines with words and tags."""
        return read_tagged(
            file,
            word=config.word,
            tag=config.tag,
            separator=config.separator,
            encoding=config.file_encoding,
            problems=problems,
        )

    def example(self, row: Any, origin: Origin) -> TaggedSentence:
        """Turn a row in memory into a sentence: words and tags, a list of words, or a text."""
        if isinstance(row, TaggedSentence):
            return row
        if isinstance(row, Sequence) and not isinstance(row, str) and all(isinstance(w, str) for w in row):
            return TaggedSentence(tuple(row), origin)
        values = row_of(row, ("words", "tags"), self.name)
        words = values.get("words", values.get("tokens", values.get("text")))
        if words is None:
            raise TenorError(f"A row of a 'tag' task has {', '.join(values)}; expected words and tags.")
        if isinstance(words, str):
            from tenor.text.words import split_words

            words = split_words(words).words
        tags = values.get("tags")
        if not all(isinstance(each, str) for each in (*words, *(tags or ()))):
            raise TenorError(f"{origin}: words and tags are texts; found {str((words, tags))[:80]}.")
        return TaggedSentence(tuple(words), origin, None if tags is None else tuple(tags))

    def faults(self, config: TagConfig, train: ExampleStatistics, dev: ExampleStatistics | None) -> list[str]:
        """Say so where there is nothing to tell apart, or no tag at all."""
        if not train.labels:
            return ["no word has a tag; the file seems to hold words alone"]
        if len(train.labels) < 2:
            return [f"every tag is {next(iter(train.labels))!r}; at least two values are needed"]
        if train.too_many_labels:
            return [f"there are more than {len(train.labels):,} tags; is it the right column?"]
        return []

    def suggested_training(self, examples: int) -> Mapping[str, int | float]:
        """Return learning rates that suit the starter, and more epochs where sentences are few."""
        epochs = min(_MOST_EPOCHS, max(_EPOCHS, math.ceil(_STEPS * 16 / max(1, examples))))
        return {"epochs": epochs, "encoder_lr": 1e-4, "head_lr": 3e-3}

    def survey(self) -> DataSurvey:
        """Count spans by type, tags that the scheme does not allow, and entities that dev has new."""
        return TagSurvey()

    def guess(self, path: str | Path, survey: FileProfile | None) -> TaskConfig | None:
        """Recognise files of tagged words by their content."""
        if not looks_tagged(path):
            return None
        return TagConfig(train=Path(path))

    def settle(self, config: TagConfig, examples: Sequence[TaggedSentence], *, name: str) -> TaskSpec:
        """Find the scheme and the tags."""
        scheme = config.scheme or guess_scheme([example.tags or () for example in examples])
        scheme = "bio" if scheme == "iob1" else scheme
        spans = scheme != "plain"
        spec = TagSpec(scheme=scheme, labels=("O", "B-X"))
        found = Counter(spec.targets(examples, name=name).values.tolist())
        labels = _all_labels(found, scheme)
        if len(labels) < 2:
            raise TenorError(
                f"Task {name}: every tag is {next(iter(found), '')!r}; there is nothing to learn."
            )
        if config.metric not in (None, "accuracy") and not spans:
            raise TenorError(
                f"Task {name}: metric is {config.metric!r}, a score of spans, but the tags are plain; take "
                "accuracy."
            )
        if config.boundary_weight and not spans:
            raise TenorError(
                f"Task {name}: boundary_weight is {config.boundary_weight}, but the tags are plain and have "
                "no boundaries; leave it out."
            )
        return TagSpec(
            metric=config.metric or ("f1" if spans else "accuracy"),
            labels=labels,
            scheme=scheme,
            head=config.head or ("crf" if spans else "softmax"),
            subwords=config.subwords or "mean",
            layers=config.layers or "last",
            casing=True if config.casing is None else config.casing,
            dropout=0.1 if config.dropout is None else config.dropout,
            boundary_weight=config.boundary_weight or 0.0,
            **_head_settings(config),
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
        """Build the tagger on the encoder's states."""
        from tenor.tasks.tag.task import TagTask

        return TagTask(name, spec, hidden_size=encoder.hidden_size, num_layers=encoder.num_layers, seed=seed)


def _all_labels(found: Counter[str], scheme: TagScheme) -> tuple[str, ...]:
    """List the tags, with all prefixes of every type of span: a rare one may be missing in few sentences."""
    if scheme == "plain":
        return tuple(sorted(found))
    prefixes = "BI" if scheme == "bio" else "BIES"
    types = sorted({tag.partition("-")[2] for tag in found if tag != "O" and "-" in tag})
    return ("O", *(f"{prefix}-{kind}" for kind in types for prefix in prefixes))
