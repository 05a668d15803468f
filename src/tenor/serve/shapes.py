"""What goes in and out of the API: every request and every answer, as dataclasses.

They give the OpenAPI document at ``/openapi.json`` and the reader of requests (``schema.py``). Places in a
text (``begin``, ``end``) count Unicode code points: in JavaScript ``Array.from(text).slice(begin, end)``.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from tenor.serve.schema import Rule

Texts = Annotated[list[str], Rule("The texts; /api/models says how many and how long.", min_items=1)]
Count = Annotated[int, Rule("How many to return.", least=1, most=100)]
Word = Annotated[str, Rule(min_length=1)]


@dataclass(frozen=True, slots=True)
class EmbedRequest:
    """Texts to turn into vectors."""

    texts: Texts
    prompt: Annotated[
        str | None, Rule("A prompt of the model by name, or a text to put before every text.")
    ] = None


@dataclass(frozen=True, slots=True)
class EmbedAnswer:
    """A vector for every text."""

    model: str
    width: int
    vectors: list[list[float]]
    tokens: Annotated[int, Rule("Tokens that were read, special ones included.")]
    cut: Annotated[list[int], Rule("Tokens of each text beyond the model's limit, which were left out.")]


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Two texts to compare."""

    first: Word
    second: Word
    long: Annotated[
        Literal["truncate", "chunk"],
        Rule("Beyond the model's limit: leave out, or take all of a text into the similarity."),
    ] = "truncate"


@dataclass(frozen=True, slots=True)
class StretchOf:
    """A piece of a text."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """A phrase of the first text and its counterpart in the second."""

    first: StretchOf
    second: StretchOf
    score: Annotated[float, Rule("The cosine of the two phrases.")]
    same_words: bool
    relation: Annotated[
        Literal["paraphrase", "related", "unrelated"] | None,
        Rule("What the model's classifier of phrases says; null without one, or beyond its reach."),
    ]
    probability: Annotated[float | None, Rule("That of the relation.", least=0, most=1)]


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a task says of a text: its label, and the probability of each."""

    label: str | None
    probabilities: dict[str, float]
    clear: Annotated[bool, Rule("Whether it is certain enough to be named.")]


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    """How close two texts are, and which of their phrases say the same."""

    first: str
    second: str
    similarity: Annotated[float, Rule("0 (unrelated) to 5 (the same meaning).", least=0, most=5)]
    level: Annotated[str, Rule("The similarity in words.")]
    cosine: float
    fitted: Annotated[bool, Rule("Whether the scale was fitted to people's scores for this model.")]
    paraphrase: Annotated[float | None, Rule("Probability that the two are paraphrases, if known.")]
    sentiment: Annotated[list[Labelled] | None, Rule("The sentiment of either text, if known.")]
    phrases: list[Phrases]
    only_first: Annotated[list[StretchOf], Rule("What has no counterpart in the second text.")]
    only_second: Annotated[list[StretchOf], Rule("What has no counterpart in the first text.")]
    words: Annotated[tuple[list[str], list[str]], Rule("The words of either text.")]
    links: Annotated[list[tuple[int, int]], Rule("Words that match: a place in either list of words.")]
    cut: Annotated[tuple[int, int], Rule("Tokens of each text beyond the model's limit.")]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class TwoTexts:
    """Two texts that belong together."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class ClassifyRequest:
    """Texts, or else pairs of texts, to label; without ``tasks`` by every task of the model that fits."""

    texts: Annotated[list[str], Rule("For tasks about single texts.", min_items=1)] | None = None
    pairs: Annotated[list[TwoTexts], Rule("For tasks about two texts.", min_items=1)] | None = None
    tasks: list[str] | None = None


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """What a task says of a text or pair: labels and the probability of each known one, or a score."""

    labels: Annotated[list[str], Rule("One; of tasks with several labels per text any number.")]
    probabilities: dict[str, float] | None
    score: float | None


@dataclass(frozen=True, slots=True)
class ClassifyAnswer:
    """For every text or pair, what each task says of it."""

    model: str
    results: Annotated[list[dict[str, TaskAnswer]], Rule("One object per text or pair, by task name.")]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query for the index that the server was started with."""

    query: Word
    k: Count = 10
    mode: Annotated[
        Literal["hybrid", "vector", "lexical"], Rule("By words and meaning, by meaning, or by words.")
    ] = "hybrid"
    where: Annotated[str | None, Rule("A filter on columns, such as: year > 2000 and lang = 'en'")] = None


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
class SearchAnswer:
    """The best hits, best first."""

    hits: list[SearchHit]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class DedupeRequest:
    """A small list of texts, to find those that say the same."""

    texts: Texts
    threshold: Annotated[
        float | None, Rule("The lowest cosine with a group's centre. Default: that of `tenor dedupe`.")
    ] = None
    floor: Annotated[
        float, Rule("The lowest cosine of the pairs that are returned.", least=0.0, most=1.0)
    ] = 0.5


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A text of a group, by its row, and why it is there."""

    row: int
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class DedupeAnswer:
    """Groups at the threshold, and what is needed to group anew at any other threshold above the floor."""

    threshold: float
    groups: Annotated[list[list[GroupMember]], Rule("The largest first; a group's centre is its first.")]
    floor: Annotated[
        float, Rule("Every pair from here up is in ``pairs``; higher than asked if they are many.")
    ]
    pairs: Annotated[
        list[tuple[int, int, float]],
        Rule("Two rows of ``same`` (the smaller first) and their cosine, best first."),
    ]
    same: Annotated[
        list[int], Rule("For each row the first row that is equal but for case and spaces; -1 if blank.")
    ]
    points: Annotated[list[tuple[float, float]], Rule("A place for each row on a map, from -1 to 1.")]
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
    score: Annotated[float, Rule("A cosine; of a set query the distance, negative. Higher is nearer.")]


@dataclass(frozen=True, slots=True)
class WordsAnswer:
    """Words, best first."""

    words: list[ScoredWord]


@dataclass(frozen=True, slots=True)
class LimitsInfo:
    """What one request may hold; more is answered with 413."""

    texts: int
    characters: int
    tokens: int
    dedupe_texts: int
    body_bytes: int


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task that /api/classify knows."""

    name: str
    kind: str
    labels: list[str]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model that is served."""

    name: str
    width: int
    max_tokens: int | None
    engine: str
    precision: str
    fingerprint: str
    prompts: list[str]
    tasks: list[TaskInfo]


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column of the index that a filter may name."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The index that /api/search looks into."""

    name: str
    texts: int
    columns: list[ColumnInfo]


@dataclass(frozen=True, slots=True)
class VectorsInfo:
    """The word vectors of /api/words."""

    name: str
    words: int
    width: int


@dataclass(frozen=True, slots=True)
class ModelsAnswer:
    """What this server has: models, and an index and word vectors if it was given them."""

    models: list[ModelInfo]
    index: IndexInfo | None
    vectors: VectorsInfo | None
    limits: LimitsInfo
    version: str


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """That the server is up; ``waiting`` counts the texts in the queue."""

    status: Literal["ok", "closing"]
    waiting: int


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """What is wrong and what to do, in the form that OpenAI's clients expect."""

    message: str
    type: str
    param: str | None
    code: str | None


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """The answer of a request that was refused or failed."""

    error: ErrorInfo


@dataclass(frozen=True)
class OpenAIRequest:
    """A request in the form of OpenAI's embeddings API; fields that it does not name are passed over."""

    __open__: ClassVar[bool] = True
    input: Annotated[
        str | list[str] | list[int] | list[list[int]],
        Rule("A text or a list of texts. Token numbers are refused: they belong to another vocabulary."),
    ]
    model: Annotated[str, Rule("The name of the served model, see /v1/models.")]
    encoding_format: Annotated[
        Literal["float", "base64"] | None, Rule("base64: little-endian 32-bit floats.")
    ] = None
    dimensions: Annotated[int | None, Rule("Only the width of the model is taken.", least=1)] = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class OpenAIEmbedding:
    """A vector, as a list of numbers or in base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


@dataclass(frozen=True, slots=True)
class OpenAIUsage:
    """Tokens that were read."""

    prompt_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class OpenAIAnswer:
    """Vectors in the form of OpenAI's embeddings API."""

    object: Literal["list"]
    data: list[OpenAIEmbedding]
    model: str
    usage: OpenAIUsage


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A model in the form of OpenAI's API."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


@dataclass(frozen=True, slots=True)
class OpenAIModels:
    """The models in the form of OpenAI's API."""

    object: Literal["list"]
    data: list[OpenAIModel]
