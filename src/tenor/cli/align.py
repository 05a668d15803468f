"""PAIRS is CSV, TSV, JSON, Excel or Parquet, compressed with gzip or not, or - for standard input.

OUT gets one JSON object a line: all columns of the input, and beside them the words of both texts ("s", "t"),
word links counted from 0 ("links"), the phrases of each text, and the phrase pairs that no link leaves
("alignments"); ends of spans are inclusive.
A job that was killed resumes when the same command is run again.

\b
    tenor align pairs.tsv --out aligned.jsonl
    tenor align pairs.csv --columns question1,question2 --out - | head
    tenor align words.tsv --pretokenized --blocks minimal --out aligned.jsonl
    tenor align parsed.tsv --trees --out aligned.jsonl
    tenor align pairs.tsv --phrases spacy --out aligned.jsonl

With --learn, PAIRS is such a file of aligned pairs whose "links" people have made, and OUT gets an aligner
that has learned from them, for the same model; --aligner uses it.

\b
    tenor align gold.jsonl --learn --out aligner.safetensors
    tenor align pairs.tsv --aligner aligner.safetensors --out aligned.jsonl

With --learn --unlabelled, PAIRS is any file of pairs that say the same: an aligner learns from the links that
are made without it, and makes better ones.

\b
    tenor align pairs.tsv --learn --unlabelled --out aligner.safetensors
"""

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import counted, note_printer, notes, out, print_notes, print_problems, progress_bar
from tenor.cli.options import (
    Device,
    Encoding,
    Model,
    PairColumns,
    Precision,
    PrecisionChoice,
    Quiet,
    Seed,
    Strict,
    pair_of,
)
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.model import Model as LoadedModel
    from tenor.use.align.file import PairSource
    from tenor.use.align.pairs import Aligner


class BlocksChoice(StrEnum):
    """Which consistent phrase pairs are written."""

    all = "all"
    minimal = "minimal"
    maximal = "maximal"


class PhrasesChoice(StrEnum):
    """What the candidate phrases are, where the texts are no trees."""

    ngrams = "ngrams"
    spacy = "spacy"


Out = Annotated[Path, typer.Option("--out", "-o", help="Where to write; - is standard output.")]
Source = Annotated[str, typer.Argument(metavar="PAIRS", help="The file of pairs; - is standard input.")]
Pretokenized = Annotated[
    bool, typer.Option("--pretokenized", help="The texts are words separated by spaces; keep them.")
]
Trees = Annotated[
    bool, typer.Option("--trees", help="The texts are bracketed trees; their constituents are the phrases.")
]
Blocks = Annotated[
    BlocksChoice,
    typer.Option(help="Phrase pairs: all, those that hold no other, or those that no other holds."),
]
Phrases = Annotated[
    PhrasesChoice,
    typer.Option(
        help="Phrases: chunk-like n-grams, or noun chunks and subtrees by spaCy's parser "
        "(needs the extra spacy and `tenor fetch spacy-en`)."
    ),
]
Longest = Annotated[int, typer.Option(min=1, max=40, metavar="N", help="Words of the longest n-gram.")]
LearnedFrom = Annotated[
    Path | None, typer.Option("--aligner", help="Link by this aligner, which --learn has made.")
]
Learn = Annotated[
    bool, typer.Option("--learn", help="Learn an aligner from the links in PAIRS; OUT gets it.")
]
Unlabelled = Annotated[
    bool,
    typer.Option(
        "--unlabelled", help="With --learn: PAIRS has no links; learn from those made without an aligner."
    ),
]


def align(
    source: Source,
    out_: Out,
    columns: PairColumns = None,
    pretokenized: Pretokenized = False,
    trees: Trees = False,
    blocks: Blocks = BlocksChoice.all,
    phrases: Phrases = PhrasesChoice.ngrams,
    longest: Longest = 6,
    aligner: LearnedFrom = None,
    learn: Learn = False,
    unlabelled: Unlabelled = False,
    seed: Seed = 0,
    model: Model = "minilm",
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    encoding: Encoding = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Link the words of text pairs, and pair the phrases that say the same."""
    from tenor.model import load
    from tenor.use.align.file import PairSource, Shape
    from tenor.use.align.learned import load_aligner
    from tenor.use.align.pairs import Aligner, PhraseSettings
    from tenor.use.align.spacy_phrases import SpacyPhrases

    parsed = phrases is PhrasesChoice.spacy
    _check(pretokenized, trees, parsed)
    if unlabelled and not learn:
        raise TenorError("--unlabelled says what --learn learns from; give both.")
    if learn and (parsed or aligner):
        raise TenorError("--learn makes an aligner: leave out --phrases and --aligner.")
    if learn and not unlabelled:
        if columns or pretokenized or trees or encoding:
            raise TenorError(
                "--learn reads aligned pairs as `tenor align` writes them: leave out --columns, --encoding, "
                "--pretokenized and --trees. For pairs without links add --unlabelled."
            )
        if Path(source.removesuffix(".gz")).suffix.lower() in (".tsv", ".csv", ".parquet"):
            raise TenorError(
                f"{source} is a table of pairs, and --learn reads the links that people have made, as JSON "
                "lines of aligned pairs. For pairs without links add --unlabelled."
            )
        _learn(source, out_, load(model, precision=precision.value, device=device), seed, strict, quiet)
        return
    shape: Shape = "trees" if trees else "words" if pretokenized else "text"
    pairs = PairSource(source, pair_of(columns), shape, strict, encoding, rows=not learn)
    learned = None if aligner is None else load_aligner(aligner)
    chosen = Aligner(
        load(model, precision=precision.value, device=device),
        phrases=PhraseSettings(blocks=blocks.value, longest=longest),
        learned=learned,
        parser=SpacyPhrases.load() if parsed else None,
    )
    if learn:
        _learn_from_texts(chosen, pairs, out_, seed, quiet)
        return
    _align(chosen, pairs, out_, quiet)


def _align(aligner: "Aligner", pairs: "PairSource", out_: Path, quiet: bool) -> None:
    from tenor.use.align.file import align_file, align_to_stream
    from tenor.use.row_files import STDOUT

    with progress_bar("Aligning", quiet=quiet) as bar:
        if out_ == STDOUT:
            done = align_to_stream(aligner, pairs, sys.stdout, progress=bar.follow)
        else:
            note = note_printer(quiet=quiet)
            done = align_file(aligner, pairs, out_, progress=bar.follow, note=note)
    print_problems(done.problems, quiet=quiet)
    print_notes((done.warning,), quiet=quiet)
    if done.cut and not quiet:
        what = "1 text goes" if done.cut == 1 else f"{done.cut:,} texts go"
        notes.print(f"{what} beyond the model's limit; phrases there are kept, but not aligned.")
    if out_ == STDOUT:
        return
    without = f" ({done.unaligned:,} without)" if done.unaligned else ""
    out.print(
        f"{counted(done.pairs, 'pair')}{without}, {counted(done.alignments, 'phrase pair')} and "
        f"{counted(done.links, 'word link')} in {out_}."
    )


def _check(pretokenized: bool, trees: bool, parsed: bool) -> None:
    if pretokenized and trees:
        raise TenorError("Give either --pretokenized or --trees, whose leaves are the words, not both.")
    if parsed and trees:
        raise TenorError(
            "Give either --trees, whose constituents are the phrases, or --phrases spacy, not both."
        )


def _learn(source: str, out_: Path, model: "LoadedModel", seed: int, strict: bool, quiet: bool) -> None:
    from tenor.training.aligner.learning import LearnSettings, learn_from_file

    settings = LearnSettings(seed=seed)
    note = note_printer(quiet=quiet)
    with progress_bar("Learning", quiet=quiet) as bar:
        done = learn_from_file(
            model, source, out_, settings=settings, strict=strict, progress=bar.follow, note=note
        )
    print_problems(done.problems, quiet=quiet)
    facts = done.learned
    out.print(
        f"Learned from {counted(facts.pairs, 'pair')}; on {facts.held_out:,} others its links have an F1 of "
        f"{facts.f1:.3f}. The aligner is in {out_}."
    )


def _learn_from_texts(aligner: "Aligner", source: "PairSource", out_: Path, seed: int, quiet: bool) -> None:
    from tenor.training.aligner.learning import UNLABELLED, learn_from_texts

    note = note_printer(quiet=quiet)
    with progress_bar("Learning", quiet=quiet) as bar:
        done = learn_from_texts(
            aligner, source, out_, settings=replace(UNLABELLED, seed=seed), progress=bar.follow, note=note
        )
    print_problems(done.problems, quiet=quiet)
    facts = done.learned
    out.print(
        f"Learned from {counted(facts.pairs, 'pair')} without links. On {facts.held_out:,} others its links "
        f"agree with those made without it by an F1 of {facts.f1:.3f}, which is not their accuracy. "
        f"The aligner is in {out_}."
    )
