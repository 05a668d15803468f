"""The schemas of the API's work on texts and words: requests and responses, as dataclasses.

They give the OpenAPI document at ``/openapi.json`` and the reader of requests (``schema.py``). Positions in a
text (``begin``, ``end``) count Unicode code points: in JavaScript ``Array.from(text).slice(begin, end)``.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from tenor.serve.schema import Meta

Texts = Annotated[list[str], Meta("The texts; /api/models says how many and how long.", min_items=1)]
Count = Annotated[int, Meta("How many to return.", minimum=1, maximum=100)]
Text = Annotated[str, Meta(min_length=1)]
Word = Annotated[str, Meta(min_length=1, max_length=1_000)]
Name = Annotated[str, Meta(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class EmbedRequest:
    """Texts to turn into vectors."""

    texts: Texts
    prompt: Annotated[
        str | None, Meta("A prompt of the model by name, or a text to put before every text.")
    ] = None


@dataclass(frozen=True, slots=True)
class EmbedResponse:
    """A vector for every text."""

    model: str
    dimensions: int
    vectors: list[list[float]]
    tokens: Annotated[int, Meta("Tokens that were read, special ones included.")]
    cut: Annotated[list[int], Meta("Tokens of each text beyond the model's limit, which were left out.")]


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Two texts to compare."""

    first: Text
    second: Text
    long: Annotated[
        Literal["truncate", "chunk"],
        Meta("Beyond the model's limit: leave out, or take all of a text into the similarity."),
    ] = "truncate"


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A span of a text."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class PhrasePair:
    """A phrase of the first text and its counterpart in the second."""

    first: TextSpan
    second: TextSpan
    score: Annotated[float, Meta("The cosine of the two phrases.")]
    same_words: bool
    relation: Annotated[
        Literal["paraphrase", "related", "unrelated"] | None,
        Meta("What the model's classifier of phrases says; null without one, or beyond its reach."),
    ]
    probability: Annotated[float | None, Meta("That of the relation.", minimum=0, maximum=1)]


@dataclass(frozen=True, slots=True)
class LabelPrediction:
    """The prediction of a task for a text: its label, and the probability of each."""

    label: str | None
    probabilities: dict[str, float]
    clear: Annotated[bool, Meta("Whether it is certain enough to be named.")]


@dataclass(frozen=True, slots=True)
class ComparisonVerdict:
    """Whether two texts say the same, from similarity, paraphrase and the order of their words."""

    says: Annotated[
        Literal["same", "partly", "different", "reordered", "unknown"],
        Meta(
            "reordered: the same words in another order, which the model hardly sees; unknown: the model "
            "knows no word of one text, so that all numbers mean nothing."
        ),
    ]
    certainty: Literal["high", "medium", "low"]
    text: Annotated[str, Meta("The verdict as a sentence.")]


@dataclass(frozen=True, slots=True)
class CompareResponse:
    """How close two texts are, and which of their phrases say the same."""

    first: str
    second: str
    verdict: ComparisonVerdict
    similarity: Annotated[float, Meta("0 (unrelated) to 5 (the same meaning).", minimum=0, maximum=5)]
    level: Annotated[str, Meta("The similarity in words.")]
    cosine: float
    fitted: Annotated[bool, Meta("Whether the scale was fitted to people's scores for this model.")]
    paraphrase: Annotated[float | None, Meta("Probability that the two are paraphrases, if known.")]
    sentiment: Annotated[list[LabelPrediction] | None, Meta("The sentiment of either text, if known.")]
    phrases: list[PhrasePair]
    only_first: Annotated[list[TextSpan], Meta("What has no counterpart in the second text.")]
    only_second: Annotated[list[TextSpan], Meta("What has no counterpart in the first text.")]
    specificities: Annotated[
        list[float] | None, Meta("How specific both texts are, where the model is one of word operators.")
    ]
    words: Annotated[tuple[list[str], list[str]], Meta("The words of either text.")]
    links: Annotated[list[tuple[int, int]], Meta("Words that match: an index into either list of words.")]
    cut: Annotated[tuple[int, int], Meta("Tokens of each text beyond the model's limit.")]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts that belong together."""

    first: str
    second: str


@dataclass(frozen=True)
class ClassifyRequest:
    """Texts, or else pairs of texts, to label; without ``tasks`` by every task of the model that fits."""

    __either__: ClassVar[tuple[str, ...]] = ("texts", "pairs")
    texts: Annotated[list[str], Meta("For tasks about single texts.", min_items=1)] | None = None
    pairs: Annotated[list[TextPair], Meta("For tasks about two texts.", min_items=1)] | None = None
    tasks: Annotated[list[Name], Meta("Tasks of the model, by name.", min_items=1)] | None = None


@dataclass(frozen=True, slots=True)
class TaskPrediction:
    """The prediction of a task for a text or pair: labels with probabilities, or a score."""

    labels: Annotated[list[str], Meta("One; of tasks with several labels per text any number.")]
    probabilities: dict[str, float] | None
    score: float | None


@dataclass(frozen=True, slots=True)
class ClassifyResponse:
    """The predictions of each task for every text or pair."""

    model: str
    results: Annotated[
        list[dict[str, TaskPrediction | dict[str, Any]]],
        Meta("One object per text or pair, by task name; of a kind of one's own, what that kind says."),
    ]


@dataclass(frozen=True, slots=True)
class TagRequest:
    """Texts whose words are to be tagged; without ``task`` by the model's only tagger."""

    texts: Texts
    task: Name | None = None


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word of a text, where it stands, and its tag."""

    word: str
    begin: int
    end: int
    tag: str
    probability: float
    gates: Annotated[
        dict[str, float] | None, Meta("How much each expert says of the word, where the head has experts.")
    ] = None


@dataclass(frozen=True, slots=True)
class TextEntity:
    """A stretch of a text and its type; the probability is the lowest of its words' tags."""

    type: str
    text: str
    begin: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class TaggedText:
    """The words of a text with their tags, and the entities that these mark."""

    text: str
    words: list[TaggedWord]
    entities: list[TextEntity]


@dataclass(frozen=True, slots=True)
class TagResponse:
    """The tagged texts, in the order of the request."""

    model: str
    results: list[TaggedText]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query for the index that the server was started with."""

    query: Annotated[str, Meta(min_length=1, max_length=10_000)]
    k: Count = 10
    mode: Annotated[
        Literal["hybrid", "vector", "lexical"], Meta("By words and meaning, by meaning, or by words.")
    ] = "hybrid"
    where: Annotated[
        str | None, Meta("A filter on columns, such as: year > 2000 and lang = 'en'", max_length=10_000)
    ] = None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A text that was found; ``score`` is what it is ranked by."""

    id: str
    text: str
    score: float
    cosine: float | None
    bm25: float | None
    columns: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The best hits, best first."""

    hits: list[SearchHit]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class DedupeRequest:
    """A small list of texts, to find those that say the same."""

    texts: Texts
    threshold: Annotated[
        float | None,
        Meta(
            "The lowest cosine with a group's centre. Default: that of `tenor dedupe`.",
            above=0.0,
            maximum=1.0,
        ),
    ] = None
    floor: Annotated[
        float, Meta("The lowest cosine of the pairs that are returned.", minimum=0.0, maximum=1.0)
    ] = 0.5


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A text of a group, by its row, and why it is there."""

    row: int
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class DedupeResponse:
    """Groups at the threshold, and what is needed to group anew at any other threshold above the floor."""

    threshold: float
    groups: Annotated[list[list[GroupMember]], Meta("The largest first; a group's centre is its first.")]
    floor: Annotated[
        float, Meta("Every pair from here up is in ``pairs``; higher than asked if they are many.")
    ]
    pairs: Annotated[
        list[tuple[int, int, float]],
        Meta("Two rows of ``same`` (the smaller first) and their cosine, best first."),
    ]
    same: Annotated[
        list[int],
        Meta("For each row the first row that is equal but for case and spaces; -1 if blank."),
    ]
    points: Annotated[list[tuple[float, float]], Meta("A point for each row on a map, from -1 to 1.")]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class NeighboursRequest:
    """A word whose neighbours are wanted."""

    word: Word
    k: Count = 10


@dataclass(frozen=True, slots=True)
class AnalogyRequest:
    """``a`` is to ``b`` as ``c`` is to what?"""

    a: Word
    b: Word
    c: Word
    k: Count = 10


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A set query, such as ``noble & metal``: & and, | or, - without, ~ not, and parentheses."""

    query: Word
    k: Count = 10


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word and how well it answers."""

    word: str
    score: Annotated[float, Meta("A cosine; of a set query the distance, negative. Higher is nearer.")]


@dataclass(frozen=True, slots=True)
class WordsResponse:
    """Words, best first."""

    words: list[ScoredWord]
    points: Annotated[
        list[tuple[float, float]] | None,
        Meta("Of neighbours: a map of the word that was asked for, then of each of these, from -1 to 1."),
    ] = None
