"""How close two texts are in meaning, and which of their phrases say the same; or a whole file of pairs.

What a model's own tasks say of the texts stands beside it: whether they are paraphrases (task
``paraphrase``), and the sentiment of each (task ``sentiment``). A model that went through a paraphrase stage
also says of each matched phrase whether it is a paraphrase, related or unrelated.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.model.words import WordStates
from tenor.tasks.answer import LabelAnswer
from tenor.text.examples import Pair
from tenor.text.language import LanguageWatch
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs
from tenor.text.tokens import NOT_A_WORD, Tokens
from tenor.text.words import split_words
from tenor.use.align.explain import Explanation, explain
from tenor.use.align.words import AlignSettings, middle_layer
from tenor.use.compare.relations import Relation, relations_of
from tenor.use.compare.scoring import PairScores, fitted_task, score_pairs
from tenor.use.compare.similarity import level
from tenor.use.compare.verdict import Verdict, verdict
from tenor.use.limits import count_beyond_limit, tell_beyond_limit
from tenor.use.specificity.scoring import SpecificityScorer
from tenor.use.text_watch import TextWatch
from tenor.use.windows import windows

# The texts may have nothing in common, so a link needs more support by its neighbours than in texts known to
# be paraphrases.
CAUTIOUS = AlignSettings(min_context=0.6)
# The least probability of a sentiment that is named: texts without any feeling get one or the other label
# too, but with less certainty.
CLEAR = 0.9
_MOST_WORDS = 2_000  # of a text whose phrases are matched; encoders of unlimited length read more
WINDOW_PAIRS = 8_192
WINDOW_CHARACTERS = 8_000_000
_SHOWN = 5  # words that the model does not know
_PLAIN = "{} has no scale fitted to people's scores: the similarity is 5 times the cosine, and not below 0."


@dataclass(frozen=True, slots=True)
class Comparison:
    """What :func:`compare` found out about two texts."""

    first: str
    second: str
    similarity: float  # 0 to 5
    level: str  # the similarity in words
    cosine: float
    fitted: bool  # whether the scale was fitted to people's scores for this model
    cut: tuple[int, int]  # tokens of each text beyond the model's limit
    verdict: Verdict  # from similarity, paraphrase and the order of the words
    explanation: Explanation
    warnings: tuple[str, ...]
    paraphrase: float | None = None  # its probability, where the model has such a task
    sentiments: tuple[LabelAnswer, ...] = ()  # of both texts, where the model has such a task
    relations: tuple[Relation | None, ...] = ()  # of the phrases, where the model has a phrasal classifier
    specificities: tuple[float, float] | None = None  # of both texts, where the model knows

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain lists, dictionaries, numbers and strings, in one level."""
        record = asdict(replace(self, sentiments=(), relations=()))
        record |= record.pop("explanation")
        del record["sentiments"], record["relations"]
        record["verdict"] = self.verdict.to_json()
        record["paraphrase"] = None if self.paraphrase is None else round(self.paraphrase, 4)
        record["sentiment"] = [
            answer.to_json() | {"clear": is_clear(answer)} for answer in self.sentiments
        ] or None
        record["similarity"] = round(self.similarity, 3)
        record["cosine"] = round(self.cosine, 5)
        for phrase in record["phrases"]:
            phrase["score"] = round(phrase["score"], 4)
            phrase |= {"relation": None, "probability": None}
        for phrase, relation in zip(record["phrases"], self.relations, strict=False):
            phrase["relation"] = None if relation is None else relation.name
            phrase["probability"] = None if relation is None else round(relation.probability, 4)
        return record


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair of a file and how close its texts are."""

    pair: Pair
    similarity: float  # 0 to 5
    cosine: float
    paraphrase: float | None = None

    def added(self) -> dict[str, Any]:
        """Return what is written beside the columns of the row: its line, and the scores."""
        known = {} if self.paraphrase is None else {"paraphrase": round(self.paraphrase, 4)}
        return {
            "line": self.pair.origin.line,
            "similarity": round(self.similarity, 3),
            "cosine": round(self.cosine, 5),
            **known,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the texts, their line in the file, and the scores."""
        added = self.added()
        texts = {"first": self.pair.first, "second": self.pair.second}
        return {"line": added.pop("line"), **texts, **added}


@dataclass(slots=True)
class CompareReport:
    """What was noticed while the pairs of a file were compared."""

    pairs: int = 0
    beyond_limit: int = 0
    watch: TextWatch | None = None

    def warnings(self, model: Model, *, long: Long) -> list[str]:
        """Say what a person should know about the scores."""
        watched = None if self.watch is None else self.watch.warning()
        return _without_none(tell_beyond_limit(self.beyond_limit, long), watched, _scale(model))


def compare(model: Model, first: str, second: str, *, long: Long = "truncate") -> Comparison:
    """Compare two texts: similarity, matching phrases, and what has no counterpart.

    With ``long="chunk"`` the similarity takes in all of a text beyond the model's limit; phrases are matched
    within the limit in any case.

    Each text is tokenised once and goes through the encoder once. Further passes are needed for chunks of a
    text beyond the limit, for a model's default prompt, for heads with a pooling of their own, and for the
    phrasal classifier, which reads both texts as one sequence.
    """
    texts = (first, second)
    for name, text in zip(("first", "second"), texts, strict=True):
        if not isinstance(text, str):
            raise TypeError(
                f"compare takes two texts, but the {name} is {text!r:.40} ({type(text).__name__})."
            )
        if not len(split_words(text)):
            raise TenorError(
                f"The {name} text has nothing to read in it; expected at least one word or punctuation."
            )
    encoded = model.encode_with_words(texts, layer=middle_layer(model.engine.layers))
    states, cut = (_beginning(encoded.words[0]), _beginning(encoded.words[1])), _cut(encoded.tokens)
    scores = score_pairs(model, [first], [second], long=long, sentiments=True, encoded=encoded)
    similarity = float(scores.similarities[0])
    paraphrase = None if scores.paraphrases is None else float(scores.paraphrases[0])
    watch = LanguageWatch()
    watch.see(texts)
    explanation = explain(texts, states, settings=CAUTIOUS)
    return Comparison(
        first=first,
        second=second,
        similarity=similarity,
        level=level(similarity),
        cosine=float(scores.cosines[0]),
        fitted=scores.fitted,
        cut=cut,
        specificities=_specificities(model, texts),
        verdict=verdict(
            first,
            second,
            similarity=similarity,
            paraphrase=paraphrase,
            fitted=scores.fitted,
            known=_known(model, encoded.tokens),
        ),
        explanation=explanation,
        warnings=tuple(
            _without_none(
                _beyond(cut, model, long),
                _unknown(model, texts, encoded.tokens),
                _language(watch, model),
                _scale(model),
            )
        ),
        paraphrase=paraphrase,
        sentiments=scores.sentiments,
        relations=relations_of(model, states, explanation),
    )


def compare_file(
    model: Model,
    path: str | Path,
    *,
    columns: Mapping[str, str | int] | None = None,
    long: Long = "truncate",
    encoding: str | None = None,
    rows: bool = False,
    problems: Problems,
    report: CompareReport,
    progress: Callable[[int], None] | None = None,
) -> Iterator[ScoredPair]:
    """Yield the scores of the pairs of a file, in order, in memory that does not grow with the file.

    Pairs with an empty text are reported in ``problems`` and left out; ``report`` collects what else a
    person should know. With ``rows`` every pair has its whole row with it.
    """
    read = read_pairs(path, columns=columns, rows=rows, encoding=encoding, problems=problems)
    report.watch = report.watch or TextWatch(model)
    for pairs in windows(read, _characters, most=WINDOW_PAIRS, most_characters=WINDOW_CHARACTERS):
        texts = [pair.first for pair in pairs] + [pair.second for pair in pairs]
        scores = score_pairs(model, texts[: len(pairs)], texts[len(pairs) :], long=long)
        report.pairs += len(pairs)
        report.beyond_limit += count_beyond_limit(model, texts)
        report.watch.see(texts)
        yield from _scored(pairs, scores)
        if progress is not None:
            progress(len(pairs))


def _scored(pairs: list[Pair], scores: PairScores) -> Iterator[ScoredPair]:
    paraphrases = [None] * len(pairs) if scores.paraphrases is None else scores.paraphrases.tolist()
    columns = (scores.similarities.tolist(), scores.cosines.tolist(), paraphrases)
    return (ScoredPair(*row) for row in zip(pairs, *columns, strict=True))


def _characters(pair: Pair) -> int:
    return len(pair.first) + len(pair.second)


def _specificities(model: Model, texts: tuple[str, str]) -> tuple[float, float] | None:
    """Say how specific both texts are, where the model knows."""
    scorer = SpecificityScorer.if_any(model.settings)
    if scorer is None:
        return None
    first, second = scorer.scores(texts).tolist()
    return first, second


def _beginning(states: WordStates) -> WordStates:
    """Return the words that phrases are matched among: all words with all words take memory."""
    if len(states.words) <= _MOST_WORDS:
        return states
    kept = slice(_MOST_WORDS)
    return WordStates(states.words[kept], states.spans[kept], states.vectors[kept], cut=True)


def _cut(tokens: Tokens) -> tuple[int, int]:
    return (0, 0) if tokens.dropped is None else (int(tokens.dropped[0]), int(tokens.dropped[1]))


def is_clear(sentiment: LabelAnswer) -> bool:
    """Whether the label of a sentiment is certain enough to be named."""
    return max((sentiment.probabilities or {}).values(), default=1.0) >= CLEAR


def _beyond(cut: tuple[int, int], model: Model, long: Long) -> str | None:
    """Say which text goes beyond the limit, by how much, and what that means."""
    named = zip(("first", "second"), cut, strict=True)
    found = [f"the {name} text by {count:,} tokens" for name, count in named if count]
    if not found:
        return None
    within = "the phrases" if long == "chunk" else "similarity and phrases"
    beyond = f"Beyond the limit of {model.max_tokens} tokens: {' and '.join(found)}"
    return f"{beyond}; {within} cover only what is within it."


def _unknown(model: Model, texts: tuple[str, str], tokens: Tokens) -> str | None:
    """Say which words the model has no token for: it takes all of them for the same one."""
    if model.tokenizer.unknown is None or tokens.words is None:
        return None
    unknown: dict[str, None] = {}  # in the order of the texts
    for number, text in enumerate(texts):
        own = slice(int(tokens.starts[number]), int(tokens.starts[number + 1]))
        positions = tokens.words[own][tokens.ids[own] == model.tokenizer.unknown].tolist()
        words = split_words(text).words if positions else ()
        unknown |= dict.fromkeys(words[position] for position in positions if position != NOT_A_WORD)
    if not unknown:
        return None
    shown = ", ".join(f'"{word[:20]}"' for word in list(unknown)[:_SHOWN])
    more = ", …" if len(unknown) > _SHOWN else ""
    drops = model.tokenizer.drops_unknown
    fate = "it leaves them out" if drops else "it reads all such words as the same token"
    return f"{model.name} does not know {shown}{more}; {fate}."


def _known(model: Model, tokens: Tokens) -> bool:
    """Whether the model knows at least one word of each text."""
    if model.tokenizer.unknown is None or tokens.words is None:
        return True
    known = (tokens.words != NOT_A_WORD) & (tokens.ids != model.tokenizer.unknown)
    return all(known[start:end].any() for start, end in pairwise(tokens.starts.tolist()))


def _language(watch: LanguageWatch, model: Model) -> str | None:
    # Whether a model is English takes a look at its whole vocabulary, so it is asked last.
    warning = watch.warning(model.name)
    return warning if warning is not None and model.english else None


def _scale(model: Model) -> str | None:
    return None if fitted_task(model) is not None else _PLAIN.format(model.name)


def _without_none(*notes: str | None) -> list[str]:
    return [note for note in notes if note is not None]
