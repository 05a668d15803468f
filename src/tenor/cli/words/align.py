"""The seed is a file with a source word and a target word in a row, parted by a tab. DIR then holds both
languages in one space, and lexicon.tsv, the translations of the most frequent words.

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
from tenor.cli.options import Json, Out, Quiet, Strict
from tenor.cli.words.options import Lower, open_vectors
from tenor.errors import TenorError


class MethodChoice(StrEnum):
    """How the two spaces are brought together."""

    procrustes = "procrustes"
    vecmap = "vecmap"
    vecmap_self = "vecmap-self"
    rcsls = "rcsls"


Source = Annotated[str, typer.Argument(metavar="SRC", help="Vectors of the one language: file or asset.")]
Target = Annotated[str, typer.Argument(metavar="TGT", help="Vectors of the other language.")]
Seed = Annotated[Path, typer.Option(metavar="FILE", help="Pairs of words that mean the same.")]
Test = Annotated[Path | None, typer.Option(metavar="FILE", help="Other pairs, to score the result on.")]
MethodName = Annotated[
    MethodChoice,
    typer.Option(
        "--method", help="A rotation; the advanced map; that after self-learning; a map trained for CSLS."
    ),
]
Alpha = Annotated[
    str,
    typer.Option(
        metavar="A,B|search",
        help="Order of similarity of source and target first, as -0.25,0.15 (0,0: as they are); "
        "search: what translates held-out seed words best.",
    ),
]
Axes = Annotated[int | None, typer.Option(metavar="N", help="Keep only the N strongest shared axes.")]
Stochastic = Annotated[
    bool, typer.Option("--stochastic", help="Self-learning as VecMap's: slower, for small or poor seeds.")
]
Limit = Annotated[int, typer.Option(metavar="N", help="Read only the first N words of either language.")]
Words = Annotated[int, typer.Option(metavar="N", help="How many source words lexicon.tsv translates.")]


def align(
    source: Source,
    target: Target,
    seed: Seed,
    out_: Out,
    method: MethodName = MethodChoice.vecmap_self,
    alpha: Alpha = "0,0",
    test: Test = None,
    axes: Axes = None,
    stochastic: Stochastic = False,
    words: Words = 20_000,
    lower: Lower = False,
    limit: Limit = 200_000,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring the word vectors of two languages into one space, from a seed dictionary."""
    from tenor.text.problems import Problems
    from tenor.words.crosslingual.align import AlignConfig
    from tenor.words.crosslingual.build import build_lexicon
    from tenor.words.crosslingual.self_learning import SelfLearningConfig

    quiet = quiet or json_
    learning = SelfLearningConfig.vecmap() if stochastic else SelfLearningConfig()
    config = AlignConfig(method=method.value, alpha=_alpha(alpha), axes=axes, self_learning=learning)
    first, second = (
        open_vectors(name, lower=lower, limit=limit, strict=strict, quiet=quiet) for name in (source, target)
    )
    problems = Problems(strict=strict)
    total = len(first) + len(second) + min(words, len(first))
    with progress_bar("Comparing words", total, quiet=quiet) as bar:
        made = build_lexicon(
            first, second, seed, out_,
            config=config, test=test, lower=lower, words=words, problems=problems,
            note=None if quiet else notes.print, progress=bar.advance,
        )  # fmt: skip
    if summary := problems.summary():
        notes.print(summary)
    if json_:
        out.print(json.dumps(made.info, ensure_ascii=False, indent=2))
    elif not quiet:
        _tell(made.info, out_)


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


def _tell(info: dict[str, Any], folder: Path) -> None:
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
