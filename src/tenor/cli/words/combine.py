"""A meta-embedding has one vector for each word that all sources have. The axes of two sources do not
correspond, so their plain average means little: geo-avg and geo-conc first map every source into one space
(a rotation each, and a common metric) in which a word's vectors are alike.

\b
    tenor words combine glove-300d word2vec-300d --out both.safetensors
    tenor words combine a.vec b.vec c.vec --method geo-conc --out abc.vec
    tenor words evaluate both.safetensors glove-300d word2vec-300d
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import notes, progress_bar
from tenor.cli.options import Out
from tenor.cli.words.options import ManyVectors, Reading, reads_vectors
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.words.combine import Combined


class MethodChoice(StrEnum):
    """How a word's vectors are combined."""

    geo_avg = "geo-avg"
    geo_conc = "geo-conc"
    avg = "avg"
    conc = "conc"
    rotate_avg = "rotate-avg"
    rotate_conc = "rotate-conc"


class NormalizeChoice(StrEnum):
    """How every source is normalised first."""

    unit = "unit"
    none = "none"
    centre = "centre"
    unit_dimension = "unit-dimension"


MethodName = Annotated[
    MethodChoice, typer.Option("--method", help="geo-avg is best for similarity, rotate-avg for analogies.")
]
C = Annotated[
    float | None,
    typer.Option("--c", help="Regularisation C of geo-avg and geo-conc. Default: chosen on held-out words."),
]
Normalize = Annotated[
    list[NormalizeChoice],
    typer.Option(
        metavar="STEP",
        help="Normalisation of every source: unit, centre, unit-dimension or none; may be repeated.",
    ),
]
KeepNorms = Annotated[
    bool, typer.Option("--keep-norms", help="Do not scale mapped vectors to unit length before combining.")
]


@reads_vectors()
def combine(
    vectors: ManyVectors,
    out: Out,
    reading: Reading,
    method: MethodName = MethodChoice.geo_avg,
    c: C = None,
    normalize: Normalize = [NormalizeChoice.unit],  # noqa: B006 - typer copies it
    keep_norms: KeepNorms = False,
) -> None:
    """Combine several word embeddings into one meta-embedding."""
    from tenor.words.combine import CombineConfig
    from tenor.words.combine import combine as combine_sources
    from tenor.words.combine.overlap import ONE_LANGUAGE, frequent_overlap
    from tenor.words.writing import check_target

    check_target(out)
    if len(vectors) < 2:
        raise TenorError(f"Combining takes two sources or more; got {len(vectors)}.")
    sources = [reading.open(path) for path in vectors]
    if not reading.quiet and (share := frequent_overlap(sources)) < ONE_LANGUAGE:
        notes.print(
            f"Only {share:.0%} of the frequent words are in common. Are the vectors of different languages, "
            "or is one lower-cased (--lowercase)? Words are matched by their spelling; tenor words align "
            "maps two languages by a dictionary.",
            style="yellow",
        )
    config = CombineConfig(
        method=method.value,
        c=c,
        normalize=tuple(step.value for step in normalize),
        unit_latent=not keep_norms,
    )
    with progress_bar("Aligning", quiet=reading.quiet) as bar:
        combined = combine_sources(sources, config, progress=bar.advance)
    combined.vectors.save(out)
    if not reading.quiet:
        _report(combined, str(out))


def _report(combined: "Combined", path: str) -> None:
    made, alignment = combined.vectors, combined.alignment
    sizes = " and ".join(f"{count:,}" for count in combined.vocabulary_sizes)
    notes.print(f"{len(made):,} common words of sources with {sizes}; {made.vector_size} dimensions.")
    if combined.retrieval_by_c and alignment is not None:
        share = combined.retrieval_by_c[alignment.c]
        notes.print(f"C = {alignment.c:g}: {share:.1%} of held-out words are retrieved in the other source.")
    notes.print(f"Written: {path}")
