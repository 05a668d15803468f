"""The text has one sentence or paragraph on a line. Skip-gram and CBOW are gensim's word2vec with negative
sampling; ppmi-svd factorises positive pointwise mutual information and needs nothing but the core. Context
vectors and word counts are kept in a .safetensors file.

\b
    tenor words train book.txt --out book.safetensors
    tenor words train a.txt --method ppmi-svd --window 2 --out a.safetensors
"""

from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tenor.cli.console import counted, notes, progress_bar
from tenor.cli.options import Out, Quiet


class MethodChoice(StrEnum):
    """How vectors are trained."""

    skip_gram = "skip-gram"
    cbow = "cbow"
    ppmi_svd = "ppmi-svd"


class SplitChoice(StrEnum):
    """How a text is tokenised."""

    words = "words"
    spaces = "spaces"


Text = Annotated[Path, typer.Argument(metavar="TEXT", help="A text file, plain or gzip.")]
How = Annotated[MethodChoice, typer.Option("--method", help="word2vec's skip-gram or cbow, or ppmi-svd.")]
VectorSize = Annotated[int, typer.Option(help="Dimensions of the vectors.")]
Window = Annotated[int, typer.Option(help="Context words on each side of a word.")]
MinCount = Annotated[int, typer.Option(help="Ignore words with fewer occurrences.")]
MaxFinalVocab = Annotated[
    int | None, typer.Option(help="Vocabulary size: keep the most frequent words only. Default: all.")
]
Epochs = Annotated[int, typer.Option(help="Passes over the text (skip-gram, cbow).")]
Negative = Annotated[int, typer.Option(help="Negative samples per positive one (skip-gram, cbow).")]
Seed = Annotated[int, typer.Option(help="Random seed.")]
Workers = Annotated[int, typer.Option(help="Threads; with more than 1, results differ from run to run.")]
Cased = Annotated[bool, typer.Option("--cased", help="Keep capital letters.")]
Split = Annotated[
    SplitChoice, typer.Option("--split", help="Tokenise at punctuation (words) or spaces only.")
]


def train(
    text: Text,
    out: Out,
    method: How = MethodChoice.skip_gram,
    vector_size: VectorSize = 100,
    window: Window = 5,
    min_count: MinCount = 5,
    max_final_vocab: MaxFinalVocab = None,
    epochs: Epochs = 5,
    negative: Negative = 5,
    seed: Seed = 1,
    workers: Workers = 1,
    cased: Cased = False,
    split: Split = SplitChoice.words,
    quiet: Quiet = False,
) -> None:
    """Train word vectors on a text: skip-gram, CBOW or PPMI-SVD."""
    from tenor.words.corpus import read_corpus
    from tenor.words.writing import check_target

    check_target(out)
    with progress_bar("reading lines", quiet=quiet) as bar:
        corpus = read_corpus(
            text,
            lowercase=not cased,
            split=split.value,
            min_count=min_count,
            max_final_vocab=max_final_vocab,
            progress=bar.advance,
        )
    if not quiet:
        notes.print(
            f"{text}: {counted(len(corpus.ids), 'token')}, vocabulary of {len(corpus.words):,} words."
        )
    settings: dict[str, Any] = {
        "architecture": method.value, "vector_size": vector_size, "window": window, "negative": negative,
        "epochs": epochs, "seed": seed, "workers": workers,
    }  # fmt: skip
    if method == MethodChoice.ppmi_svd:
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
        notes.print(f"Written: {out} ({counted(len(vectors), 'word')}, {vectors.vector_size} dimensions)")
