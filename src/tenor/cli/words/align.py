"""The seed dictionary has a source word and its translation on each line, separated by a tab. DIR then holds
both languages in one space, and lexicon.tsv, the translations of the most frequent words. The methods are
those of VecMap (Artetxe et al. 2018), orthogonal Procrustes and RCSLS (Joulin et al. 2018).

\b
    tenor words align english.vec german.vec --seed seed.tsv --out en-de
    tenor words align en.vec de.vec --seed seed.tsv --test test.tsv --out DIR
    tenor words align en.vec de.vec --seed seed.tsv --alpha search --out en-de
    tenor words translate en-de house
"""

import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tenor.cli.console import notes, out, progress_bar
from tenor.cli.options import Json, Out
from tenor.cli.words.options import Reading, reads_vectors
from tenor.errors import TenorError


class MethodChoice(StrEnum):
    """How the two spaces are mapped onto each other."""

    procrustes = "procrustes"
    vecmap = "vecmap"
    vecmap_self = "vecmap-self"
    rcsls = "rcsls"


Source = Annotated[str, typer.Argument(metavar="SRC", help="Vectors of the source language: file or asset.")]
Target = Annotated[str, typer.Argument(metavar="TGT", help="Vectors of the target language.")]
Seed = Annotated[
    Path, typer.Option(metavar="FILE", help="Seed dictionary: pairs of words, a translation a line.")
]
Test = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Test dictionary, to score translations on (MRR, P@1, P@5)."),
]
MethodName = Annotated[
    MethodChoice,
    typer.Option(
        "--method",
        help="procrustes: a rotation; vecmap: supervised VecMap; vecmap-self: VecMap with self-learning; "
        "rcsls: a map trained for CSLS retrieval.",
    ),
]
Alpha = Annotated[
    str,
    typer.Option(
        metavar="A,B|search",
        help="Exponents of nth-order post-processing of source and target, as -0.25,0.15 (0,0: none); "
        "search: the best on held-out pairs of the seed dictionary, and none unless the whole method gains.",
    ),
]
DimReduction = Annotated[
    int | None, typer.Option(metavar="N", help="Keep N dimensions of the shared space, the strongest.")
]
Stochastic = Annotated[
    bool,
    typer.Option("--stochastic", help="VecMap's stochastic dictionary induction: slower, for small seeds."),
]
LexiconSize = Annotated[int, typer.Option(metavar="N", help="How many source words lexicon.tsv translates.")]


@reads_vectors(limit=200_000)
def align(
    source: Source,
    target: Target,
    seed: Seed,
    out_: Out,
    reading: Reading,
    method: MethodName = MethodChoice.vecmap_self,
    alpha: Alpha = "0,0",
    test: Test = None,
    dim_reduction: DimReduction = None,
    stochastic: Stochastic = False,
    lexicon_size: LexiconSize = 20_000,
    json_: Json = False,
) -> None:
    """Map the vectors of two languages into one space, from a seed dictionary."""
    from tenor.text.problems import Problems
    from tenor.words.crosslingual.align import AlignConfig
    from tenor.words.crosslingual.build import build_lexicon
    from tenor.words.crosslingual.self_learning import SelfLearningConfig

    learning = SelfLearningConfig.vecmap() if stochastic else SelfLearningConfig()
    config = AlignConfig(
        method=method.value, alpha=_alpha(alpha), dim_reduction=dim_reduction, self_learning=learning
    )
    first, second = reading.open(source), reading.open(target)
    problems = Problems(strict=reading.strict)
    total = len(first) + len(second) + min(lexicon_size, len(first))
    with progress_bar("Comparing words", total, quiet=reading.quiet) as bar:
        made = build_lexicon(
            first, second, seed, out_,
            config=config, test=test, lowercase=reading.lowercase, lexicon_size=lexicon_size,
            problems=problems, note=None if reading.quiet else notes.print, progress=bar.advance,
        )  # fmt: skip
    if summary := problems.summary():
        notes.print(summary)
    if json_:
        out.print(json.dumps(made.info, ensure_ascii=False, indent=2))
    elif not reading.quiet:
        _report(made.info, out_)


def _alpha(given: str) -> "tuple[float, float] | Literal['search']":
    if given == "search":
        return "search"
    parts = given.split(",")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    if len(values) not in (1, 2):
        raise TenorError(f"--alpha is {given!r}; expected two numbers as -0.25,0.15, or search.")
    return values[0], values[-1]


def _report(info: dict[str, Any], folder: Path) -> None:
    scores = info.get("test")
    if scores:
        notes.print(
            f"{scores['words']:,} test words ({scores['in_seed']:,} pairs are in the seed, left out):"
        )
        for retrieval in ("cosine", "csls"):
            shown = [
                f"{name} {100 * value:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
                for name, (value, low, high) in scores[retrieval].items()
            ]
            out.print(f"{retrieval:<7} {'  '.join(shown)}")
    notes.print(f"Written: {folder}. Next: tenor words translate {shlex.quote(str(folder))} WORD")
