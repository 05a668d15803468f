"""Several vectors are compared on the words that all of them have: same pairs, questions and candidates.
Intervals are 95% bootstraps over the items of a test.

\b
    tenor words evaluate glove-300d
    tenor words evaluate glove-300d word2vec-300d --plot scores.svg
    tenor words evaluate mine.vec --tests benchmarks/ --kind similarity

Tests come from the asset word-tests (WordSim-353, SimLex-999, Google's analogies), from a file of word pairs
with a score (tab, comma, semicolon or space, with or without header), or from a folder of such files, laid
out like the vecto project's word-benchmarks or in any other way. With --oov subword, words that fastText's
.bin files do not list get the vector of their n-grams.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenor.cli.console import notes, out, progress_bar
from tenor.cli.options import Json
from tenor.cli.words.options import ManyVectors, Oov, OovChoice, Reading, reads_vectors

if TYPE_CHECKING:
    from tenor.words.evaluate import Result

Tests = Annotated[
    Path | None, typer.Option("--tests", metavar="PATH", help="A folder of test sets, or a single file.")
]
Language = Annotated[str, typer.Option(help="Which language of the folder.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Only this kind: similarity, analogy, category, outlier or relation; may be repeated.",
    ),
]
RestrictVocab = Annotated[
    int, typer.Option(metavar="N", help="Answer analogies among the N most frequent words only.")
]
Plot = Annotated[Path | None, typer.Option(metavar="SVG", help="Plot the scores of whole tests to a file.")]
Seed = Annotated[int, typer.Option(help="Random seed of the clustering and the bootstrap.")]


@reads_vectors()
def evaluate(
    vectors: ManyVectors,
    reading: Reading,
    tests: Tests = None,
    language: Language = "en",
    kind: Kinds = None,
    restrict_vocab: RestrictVocab = 200_000,
    seed: Seed = 0,
    plot: Plot = None,
    oov: Oov = OovChoice.skip,
    json_: Json = False,
) -> None:
    """Evaluate word vectors: similarity, analogies, categorisation, outliers, relations."""
    from tenor.words.evaluate import read_benchmarks
    from tenor.words.evaluate.evaluating import KINDS
    from tenor.words.evaluate.evaluating import evaluate as score

    benchmarks = read_benchmarks(tests, language=language)
    tables = [reading.open_for(name, benchmarks.words(), oov) for name in vectors]
    chosen: Any = kind or KINDS
    with progress_bar("testing", len(benchmarks), quiet=reading.quiet) as bar:
        results = score(
            tables,
            benchmarks,
            kinds=chosen,
            restrict_vocab=restrict_vocab,
            seed=seed,
            progress=lambda _: bar.advance(1),
        )
    if json_:
        printed = {"vectors": vectors, "results": [result.as_json(vectors) for result in results]}
        skipped = [{"test": name, "why": why} for name, why in benchmarks.skipped]
        out.print(json.dumps({**printed, "skipped": skipped}, ensure_ascii=False, indent=2))
    else:
        _print(results, vectors)
        for name, why in benchmarks.skipped:
            notes.print(f"Not used: {name}: {why}.")
    if plot is not None:
        from tenor.words.evaluate.plotting import draw

        draw(results, vectors, plot)
        notes.print(f"Plotted: {plot}")


def _print(results: "Sequence[Result]", names: Sequence[str]) -> None:
    widths = [max(22, len(name)) for name in names]
    heads = "  ".join(f"{name:<{width}}" for name, width in zip(names, widths, strict=True))
    out.print(f"{'test':<44} {'measure':<9} {'items':>13}  {heads}")
    for result in results:
        name = f"{result.kind} {result.test}" if not result.part else f"    {result.part}"
        scores = "  ".join(
            f"{'–' if result.used == 0 else str(score):<{width}}"
            for score, width in zip(result.scores, widths, strict=True)
        )
        items = f"{result.used:,}/{result.total:,}"
        out.print(f"{name:<44} {result.measure:<9} {items:>13}  {scores}".rstrip())
