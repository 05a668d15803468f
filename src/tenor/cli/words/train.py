"""The text has one sentence or paragraph on a line. Skip-gram and CBOW are gensim's; ppmi counts and needs
nothing but the core. Context vectors and counts are kept in a .safetensors file.

\b
    tenor words train book.txt --out book.safetensors
    tenor words train book.txt --method ppmi --window 2 --out book.safetensors
"""

from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tenor.cli.console import counted, notes, progress_bar
from tenor.cli.options import Out, Quiet


class MethodChoice(StrEnum):
    """How vectors are made."""

    skip_gram = "skip-gram"
    cbow = "cbow"
    ppmi = "ppmi"


class SplitChoice(StrEnum):
    """Where words end."""

    words = "words"
    spaces = "spaces"


Text = Annotated[Path, typer.Argument(metavar="TEXT", help="A text file, plain or gzip.")]
How = Annotated[MethodChoice, typer.Option("--method", help="skip-gram, cbow, or ppmi (counts and SVD).")]
Width = Annotated[int, typer.Option(help="Numbers of a vector.")]
Window = Annotated[int, typer.Option(help="Words to each side that count as near.")]
Least = Annotated[int, typer.Option("--min-count", help="Leave out words that come less often.")]
Most = Annotated[int | None, typer.Option("--max-words", help="Keep only so many words, the most frequent.")]
Epochs = Annotated[int, typer.Option(help="Passes over the text (skip-gram, cbow).")]
Negative = Annotated[int, typer.Option(help="Negative samples for each word (skip-gram, cbow).")]
Seed = Annotated[int, typer.Option(help="Seed of all that is random.")]
Threads = Annotated[int, typer.Option(help="More than 1 is faster, but no longer repeats exactly.")]
Cased = Annotated[bool, typer.Option("--cased", help="Keep capital letters.")]
Cut = Annotated[SplitChoice, typer.Option("--split", help="Split at punctuation (words) or spaces only.")]


def train(
    text: Text,
    out: Out,
    method: How = MethodChoice.skip_gram,
    width: Width = 100,
    window: Window = 5,
    min_count: Least = 5,
    max_words: Most = None,
    epochs: Epochs = 5,
    negative: Negative = 5,
    seed: Seed = 1,
    threads: Threads = 1,
    cased: Cased = False,
    split: Cut = SplitChoice.words,
    quiet: Quiet = False,
) -> None:
    """Train word vectors on a text."""
    from tenor.words.corpus import read_corpus

    with progress_bar("reading lines", quiet=quiet) as bar:
        corpus = read_corpus(
            text, lower=not cased, split=split.value, least=min_count, most=max_words, progress=bar.advance
        )
    if not quiet:
        notes.print(f"{text}: {counted(len(corpus.ids), 'word')}, {len(corpus.words):,} different ones.")
    settings: dict[str, Any] = {
        "architecture": method.value, "width": width, "window": window, "negative": negative,
        "epochs": epochs, "seed": seed, "threads": threads,
    }  # fmt: skip
    if method == MethodChoice.ppmi:
        from tenor.words.counting import PpmiConfig, train_ppmi

        known = {field.name for field in fields(PpmiConfig)}
        config = PpmiConfig(**{name: value for name, value in settings.items() if name in known})
        with progress_bar("counting", len(corpus.ids), quiet=quiet) as bar:
            vectors = train_ppmi(corpus, config, progress=bar.advance)
    else:
        from tenor.words.training import Word2VecConfig, train_word2vec

        with progress_bar("training", epochs * len(corpus), quiet=quiet) as bar:
            vectors = train_word2vec(corpus, Word2VecConfig(**settings), progress=bar.advance)
    vectors.save(out)
    if not quiet:
        notes.print(f"Written: {out} ({counted(len(vectors), 'word')}, {vectors.width} numbers each)")
