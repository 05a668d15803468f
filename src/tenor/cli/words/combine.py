"""The axes of two tables do not correspond, so their plain average means little. geo-avg and geo-conc first
rotate and scale every source into one space in which a word's vectors are alike. The result holds the words
that all sources have.

\b
    tenor words combine glove-300d word2vec-300d --out both.safetensors
    tenor words combine a.vec b.vec c.vec --method geo-conc --out abc.vec
    tenor words evaluate both.safetensors glove-300d word2vec-300d
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import notes, progress_bar
from tenor.cli.options import Out, Quiet, Strict
from tenor.cli.words.options import Limit, Lower, open_vectors
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.words.combine import Combined


class MethodChoice(StrEnum):
    """How a word's vectors are put together."""

    geo_avg = "geo-avg"
    geo_conc = "geo-conc"
    avg = "avg"
    conc = "conc"
    rotate_avg = "rotate-avg"
    rotate_conc = "rotate-conc"


class NormaliseChoice(StrEnum):
    """What is done to every source first."""

    unit = "unit"
    none = "none"
    centre = "centre"
    unit_dimension = "unit-dimension"


Sources = Annotated[list[str], typer.Argument(metavar="VECTORS…", help="Two or more files or assets.")]
MethodName = Annotated[
    MethodChoice, typer.Option("--method", help="geo-avg is best for similarity, rotate-avg for analogies.")
]
C = Annotated[
    float | None,
    typer.Option("--c", help="Regulariser of the geometric methods. Default: chosen on words held out."),
]
Normalise = Annotated[
    list[NormaliseChoice],
    typer.Option(
        metavar="STEP",
        help="What is done to every source first: unit, centre, unit-dimension or none; may be repeated.",
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Keep the lengths of latent vectors as they are.")]


def combine(
    vectors: Sources,
    out: Out,
    method: MethodName = MethodChoice.geo_avg,
    c: C = None,
    normalise: Normalise = [NormaliseChoice.unit],  # noqa: B006 - typer copies it
    raw: Raw = False,
    lower: Lower = False,
    limit: Limit = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Combine several tables of word vectors into a better one."""
    from tenor.words.combine import CombineConfig
    from tenor.words.combine import combine as combine_sources

    if len(vectors) < 2:
        raise TenorError(f"Combining takes two sources or more; got {len(vectors)}.")
    sources = [open_vectors(one, lower=lower, limit=limit, strict=strict, quiet=quiet) for one in vectors]
    config = CombineConfig(
        method=method.value,
        c=c,
        normalise=tuple(step.value for step in normalise),
        unit_latent=not raw,
    )
    with progress_bar("Aligning", quiet=quiet) as bar:
        combined = combine_sources(sources, config, progress=bar.advance)
    combined.vectors.save(out)
    if not quiet:
        _tell(combined, str(out))


def _tell(combined: "Combined", path: str) -> None:
    made, alignment = combined.vectors, combined.alignment
    sizes = " and ".join(f"{count:,}" for count in combined.words)
    notes.print(f"{len(made):,} common words of sources with {sizes}; {made.width} numbers each.")
    if combined.found and alignment is not None:
        share = combined.found[alignment.c]
        notes.print(f"C = {alignment.c:g}: {share:.1%} of held-out words find themselves again.")
    notes.print(f"Written: {path}")
