"""PAIRS has texts that say the same (CSV, TSV, JSON, Excel or Parquet), or is what `tenor align` made of
them. Pairs that it labels as different are left out.

The encoder learns to tell aligned phrases and sentences of PAIRS from random ones (transfer fine-tuning), and
needs fewer labelled pairs afterwards. DIR gets the encoder to be fine-tuned (`plain/`), and the same with its
classifiers (`explaining/`), by which `tenor compare` says how phrases are related. A run that was stopped
resumes when the same command is run again.

\b
    tenor transfer paraphrases.tsv --out runs/transfer --leave-out test.tsv
    tenor train run.toml --set encoder=runs/transfer/plain --out runs/better
    tenor compare A B --model runs/transfer/explaining

The learning rates are for some ten thousand pairs. For millions the paper has --epochs 3 --encoder-lr 5e-5
--head-lr 5e-5.
"""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import counted, note_printer, notes, out, progress_bar
from tenor.cli.options import Device, Encoding, Model, PairColumns, Quiet, Seed, Strict, pair_of


class VariantChoice(StrEnum):
    """What is learned: phrases of three classes and sentences (full), or parts of that."""

    full = "full"
    simple = "simple"
    sentence = "sentence"
    three_way = "3way"
    three_way_simple = "3way-simple"
    binary = "binary"


_VARIANTS = {
    VariantChoice.full: "transfer fine-tuning",
    VariantChoice.simple: "simple transfer fine-tuning",
    VariantChoice.sentence: "+sentence",
    VariantChoice.three_way: "+3way-pp elaborate",
    VariantChoice.three_way_simple: "+3way-pp simple",
    VariantChoice.binary: "+binary-pp",
}

Source = Annotated[Path, typer.Argument(metavar="PAIRS", help="The file of pairs.")]
Folder = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder for all of it.")]
LeaveOut = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE", help="Pairs that you measure on later: nothing of them is learned. May be repeated."
    ),
]
HeldOut = Annotated[int, typer.Option(min=1, metavar="N", help="Pairs of the validation split, at most.")]
Variant = Annotated[
    VariantChoice,
    typer.Option(help="Phrases of three classes and sentences (full), simple features, or one of the two."),
]
Epochs = Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the pairs, at most.")]
EncoderLr = Annotated[float, typer.Option(metavar="LR", help="Learning rate of the encoder.")]
HeadLr = Annotated[float, typer.Option(metavar="LR", help="Learning rate of the classifiers.")]
BatchSize = Annotated[
    int, typer.Option(min=2, metavar="N", help="Pairs of a step, each with a random other one.")
]
MaxTokens = Annotated[int, typer.Option(min=8, metavar="N", help="Tokens of two texts as one sequence.")]


def transfer(
    source: Source,
    out_: Folder,
    model: Model = "minilm",
    columns: PairColumns = None,
    encoding: Encoding = None,
    leave_out: LeaveOut = None,
    held_out: HeldOut = 500,
    variant: Variant = VariantChoice.full,
    epochs: Epochs = 1,
    encoder_lr: EncoderLr = 1e-4,
    head_lr: HeadLr = 5e-4,
    batch_size: BatchSize = 50,
    max_tokens: MaxTokens = 128,
    seed: Seed = 1,
    device: Device = "auto",
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Train an encoder on paraphrases, so that fine-tuning needs fewer labelled pairs."""
    from tenor.cli.training_bar import listening
    from tenor.tasks.phrases.kind import VARIANTS
    from tenor.training.transfer import USUAL, Transfer, prepare_pairs, teach

    asked = Transfer(
        pairs=source, encoder=model, columns=pair_of(columns), file_encoding=encoding,
        measured=leave_out or (), held_out=held_out,
        config=VARIANTS[_VARIANTS[variant]],
        training=replace(USUAL, epochs=epochs, encoder_lr=encoder_lr, head_lr=head_lr),
        batch_size=batch_size, max_tokens=max_tokens, seed=seed, strict=strict,
    )  # fmt: skip
    with progress_bar("Aligning", quiet=quiet) as bar:
        note = note_printer(quiet=quiet)
        prepare_pairs(asked, out=out_, device=device, progress=bar.follow, note=note)
    with listening(notes, quiet=quiet) as training_bar:
        done = teach(asked, out=out_, device=device, callbacks=[training_bar])
    scores = ", ".join(f"{name.replace('_', ' ')} {score:.3f}" for name, score in done.scores.items())
    out.print(f"Learned from {counted(done.pairs.train, 'pair')}. On {done.pairs.dev:,} others: {scores}.")
    out.print(f"encoder to fine-tune: {done.plain}\nencoder that explains: {done.explaining}")
