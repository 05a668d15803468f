"""Which distance tells how useful a language is: rankings of the auxiliary languages beside their scores.

For each target, the languages are ranked by the perplexity of characters and of words, by the overlap of the
vocabularies of texts (dV) and of the target's tagged sentences with the texts (dV*), and by the vote of all.
Spearman's ρ compares a ranking with the test scores of mono+X of the same seed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tenor.files import read_json, write_json
from tenor.metrics.correlation import spearman
from tenor.metrics.outcomes import Outcome
from tenor.recipes.auxiliary_languages.claims import HITS, OVER_BEST
from tenor.recipes.auxiliary_languages.data import Target, read_rows, read_text, shared_folder
from tenor.recipes.recipe import CellResult, Context
from tenor.words.languages.distances import OVERLAP, VOTE, overlap, rank_languages
from tenor.words.languages.vote import ranked, spelled, vote

TAGGED_OVERLAP = "overlap of tagged words"
Rankings = Mapping[str, Mapping[str, float]]


def distance_use(targets: Sequence[Target], context: Context) -> CellResult:
    """Rank the languages of all targets, and compare with what they were good for."""
    rankings = {target.name: rankings_of(target, context) for target in targets}
    outcomes: dict[str, Outcome] = {}
    for kind, spans in (("NER", True), ("POS", False)):
        chosen = [target for target in targets if target.spans == spans]
        for measure in rankings[chosen[0].name] if chosen else ():
            found = [_rho(rankings[target.name][measure], _scores(target, context)) for target in chosen]
            outcomes[f"{measure} ({kind})"] = Outcome.number(float(np.mean(found)))
    entities = [target for target in targets if target.spans]
    hits = [_hit(rankings[target.name][VOTE], _scores(target, context)) for target in entities]
    outcomes[HITS] = Outcome.number(float(np.mean(hits)))
    outcomes[OVER_BEST] = Outcome.number(float(np.mean([_over_best(each, context) for each in entities])))
    notes = [f"{name}, nearest first by the vote: {spelled(each[VOTE])}." for name, each in rankings.items()]
    return CellResult(outcomes=outcomes, notes=tuple(notes), extras={"rankings": rankings})


def rankings_of(target: Target, context: Context) -> dict[str, dict[str, float]]:
    """Return the ranking of the other languages by each measure, the vote of all last."""
    most = int(context.settings["distance_words"])

    def make(folder: Path) -> None:
        texts = {language: read_text(language, context) for language in target.languages}
        found = rank_languages(texts, target.language, most_words=most)
        words = {name: sorted({word.lower() for row in text for word in row}) for name, text in texts.items()}
        write_json(folder / "distances.json", {"rankings": found.rankings, "words": words})

    folder = shared_folder(
        context, f"{'-'.join(target.languages)}-distances", make, distance_words=most, target=target.name
    )
    kept = read_json(folder / "distances.json")
    words = {name: set(each) for name, each in kept["words"].items()}
    tagged = {word.lower() for row in read_rows(target, "train", context) for word in row.words}
    words[target.language] = tagged
    overlaps = {name: overlap(words, target.language, name) for name in target.others}
    single = {measure: ranks for measure, ranks in kept["rankings"].items() if measure != VOTE}
    single[TAGGED_OVERLAP] = ranked(overlaps, largest_first=True)
    assert OVERLAP in single
    return {**single, VOTE: vote(list(single.values()))}


def _scores(target: Target, context: Context) -> dict[str, float]:
    """Return the test score of mono+X for each other language X."""
    return {name: context.result_of(f"mono+{name}").outcomes[target.name].score for name in target.others}


def _rho(ranking: Mapping[str, float], scores: Mapping[str, float]) -> float:
    """Return Spearman's ρ of a ranking and scores, positive where the nearest are the most useful."""
    rho = float(spearman([-ranking[name] for name in scores], list(scores.values())))
    return rho if np.isfinite(rho) else 0.0


def _hit(ranking: Mapping[str, float], scores: Mapping[str, float]) -> float:
    """Return 1 where the first of a ranking has the best score, a part of it where several are first."""
    first = [name for name in ranking if ranking[name] == min(ranking.values())]
    return (max(scores, key=scores.__getitem__) in first) / len(first)


def _over_best(target: Target, context: Context) -> float:
    """Return how far meta is above the mono+X that has the best dev score."""
    results = {name: context.result_of(f"mono+{name}") for name in target.others}
    best = max(results, key=lambda name: float(results[name].extras["dev"][target.name]))
    meta = context.result_of("meta").outcomes[target.name].score
    return meta - results[best].outcomes[target.name].score
