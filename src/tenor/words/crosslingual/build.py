"""From the vectors of two languages and a seed dictionary to a folder that translates, in one call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.progress import Note
from tenor.text.problems import Problems
from tenor.words.crosslingual.align import AlignConfig, align
from tenor.words.crosslingual.lexicon import Lexicon
from tenor.words.crosslingual.lexicon_scores import Retrieval, score_lexicon
from tenor.words.crosslingual.seed import known_pairs, read_dictionary
from tenor.words.vectors import WordVectors


def build_lexicon(
    source: WordVectors,
    target: WordVectors,
    seed: str | Path,
    folder: str | Path,
    *,
    config: AlignConfig | None = None,
    test: str | Path | None = None,
    lowercase: bool = False,
    lexicon_size: int = 20_000,
    problems: Problems | None = None,
    note: Note | None = None,
    progress: Callable[[int], None] | None = None,
) -> Lexicon:
    """Align two languages from a seed file, score them on a test file, and write the folder.

    Test pairs whose source word is in the seed are left out of the score. ``progress`` counts words, those of
    both languages and the ``lexicon_size`` words that the table of the folder translates.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TenorError(f"{folder} exists already; choose another name, or remove it first.")
    problems = problems if problems is not None else Problems()
    pairs = read_dictionary(seed, lowercase=lowercase, problems=problems)
    tested = None if test is None else read_dictionary(test, lowercase=lowercase, problems=problems)
    aligned = align(source, target, pairs, config=config, note=note)
    if tested is not None:
        aligned.report["test"] = _scores(aligned.source, aligned.target, pairs, tested)
    lexicon = Lexicon.of(aligned, progress=progress)
    lexicon.save(folder, lexicon_size=lexicon_size, progress=progress)
    return lexicon


def _scores(
    source: WordVectors, target: WordVectors, seed: list[tuple[str, str]], test: list[tuple[str, str]]
) -> dict[str, Any]:
    seen = {first for first, _ in seed}
    fresh = [pair for pair in test if pair[0] not in seen]
    known = known_pairs(fresh, source.index, target.index)
    report: dict[str, Any] = {"pairs": len(test), "in_seed": len(test) - len(fresh), "used": len(known)}
    methods: tuple[Retrieval, Retrieval] = ("cosine", "csls")
    for retrieval in methods:
        score = score_lexicon(source.vectors, target.vectors, known, retrieval=retrieval)
        scores = {"mrr": score.mrr(), "p@1": score.precision(1), "p@5": score.precision(5)}
        report[retrieval] = {name: [one.estimate, one.low, one.high] for name, one in scores.items()}
        report["words"] = len(score.ranks)
    return report
