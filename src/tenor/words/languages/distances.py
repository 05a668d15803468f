"""Ranking auxiliary languages for a target language by what their texts are like (Lange et al., 2020).

    dP(L1, L2) = perplexity of a language model of L1 on text of L2        (lower is nearer)
    dV(L1, L2) = (W(L1|L2) + W(L2|L1)) / (2 min(N(L1), N(L2)))             (larger is nearer)

W(L1|L2) is the number of words of L1 that L2 has too, N(L1) that of words which any other of the languages
has. Words are types, not tokens: so dV is symmetric and lies between 0 and 1. Perplexity is taken of
characters (order 7) and of words (order 1). All models are trained on texts of the same length, as perplexity
falls with the text, and read the last fifth of each language's text, which none is trained on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tenor.errors import TenorError
from tenor.words.languages.ngram_lm import NgramModel, Unit
from tenor.words.languages.vote import ranked, vote

Text = Sequence[Sequence[str]]
"""A text as the words of its sentences."""
Distances = Mapping[str, Mapping[str, float]]
PERPLEXITIES: Mapping[str, Unit] = {"char perplexity": "char", "word perplexity": "word"}
OVERLAP, VOTE = "overlap", "vote"
_HELD_OUT = 5  # the last fifth of a text is read, not trained on
MOST_WORDS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRanking:
    """Languages ranked by how near they are to a target."""

    target: str
    distances: Distances
    """measure -> language -> value; of perplexities also the target's own, on text it was not trained on."""
    rankings: Mapping[str, Mapping[str, float]]
    """measure -> language -> rank from 1 on, the vote of all measures last."""

    @property
    def best(self) -> tuple[str, ...]:
        """The language that the vote has first, or several that share the place."""
        order = self.rankings[VOTE]
        return tuple(name for name in order if order[name] == min(order.values()))


def rank_languages(
    texts: Mapping[str, Text], target: str, *, symmetric: bool = False, most_words: int = MOST_WORDS
) -> LanguageRanking:
    """Rank all languages but the target; ``symmetric`` averages both directions of the perplexities.

    Language models are trained on ``most_words`` words of a text at the most; vocabularies are those of the
    whole texts.

    >>> dutch, german = [["de", "kat", "zat"]] * 5, [["die", "katze", "saß"]] * 5
    >>> texts = {"nl": dutch, "de": german, "fi": [["kissa", "istui", "siinä"]] * 5}
    >>> rank_languages(texts, "nl").best
    ('de',)
    """
    if target not in texts:
        raise TenorError(f"There is no text of the target {target!r}; there are {', '.join(texts)}.")
    others = [name for name in texts if name != target]
    if len(others) < 2:
        raise TenorError("Give the texts of a target and of two or more other languages to rank.")
    distances: dict[str, Mapping[str, float]] = {}
    for measure, unit in PERPLEXITIES.items():
        distances[measure] = perplexities(
            texts, target, unit=unit, symmetric=symmetric, most_words=most_words
        )
    words = {name: {word.lower() for row in text for word in row} for name, text in texts.items()}
    distances[OVERLAP] = {name: overlap(words, target, name) for name in others}
    rankings = {
        measure: ranked({name: values[name] for name in others}, largest_first=measure == OVERLAP)
        for measure, values in distances.items()
    }
    return LanguageRanking(
        target=target, distances=distances, rankings={**rankings, VOTE: vote(list(rankings.values()))}
    )


def perplexities(
    texts: Mapping[str, Text],
    target: str,
    *,
    unit: Unit = "char",
    order: int | None = None,
    symmetric: bool = False,
    most_words: int = MOST_WORDS,
) -> dict[str, float]:
    """Return dP of a target and every language, itself among them, from models of equally long texts."""
    trained, held_out = _parts(texts, most_words)
    model = NgramModel(trained[target], unit=unit, order=order)
    found = {name: model.perplexity(held_out[name]) for name in texts}
    if not symmetric:
        return found
    for name in texts:
        if name != target:
            back = NgramModel(trained[name], unit=unit, order=order).perplexity(held_out[target])
            found[name] = (found[name] + back) / 2
    return found


def overlap(words: Mapping[str, set[str]], first: str, second: str) -> float:
    """Return dV of two languages among the vocabularies of all; 0 where a language shares no word at all.

    >>> overlap({"a": {"x", "y"}, "b": {"y", "z"}, "c": {"x"}}, "a", "b")
    1.0
    """
    shared = [
        len(words[name] & set().union(*(words[other] for other in words if other != name)))
        for name in (first, second)
    ]
    common = len(words[first] & words[second])
    return 2 * common / (2 * min(shared)) if min(shared) else 0.0


def _parts(texts: Mapping[str, Text], most_words: int) -> tuple[dict[str, Text], dict[str, Text]]:
    """Part each text into four fifths, cut to the shortest of the languages, and the last fifth."""
    trained, held_out = {}, {}
    for name, text in texts.items():
        cut = len(text) - len(text) // _HELD_OUT
        trained[name], held_out[name] = text[:cut], text[cut:]
        if not held_out[name]:
            raise TenorError(f"{name} has {len(text)} sentences; give {_HELD_OUT} or more of each language.")
    shortest = min(sum(map(len, text)) for text in trained.values())
    most = min(shortest, most_words)
    return {name: _first(text, most) for name, text in trained.items()}, {
        name: _first(text, most) for name, text in held_out.items()
    }


def _first(text: Text, words: int) -> Text:
    """Return the first sentences that have so many words together, one at least."""
    ends = list(accumulate(map(len, text)))
    return text[: max(1, sum(end <= words for end in ends))]
