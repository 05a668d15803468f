"""``tenor.learn_aligner``: an aligner of words, learned from a file of pairs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tenor.model.given import ModelLike, given_model
from tenor.training.aligner.learning import (
    UNLABELLED,
    LearnedFile,
    LearnSettings,
    learn_from_file,
    learn_from_texts,
)
from tenor.use.align.file import PairSource, Shape
from tenor.use.align.pairs import Aligner
from tenor.use.notes import log_problems


def learn_aligner(
    pairs: str | Path,
    *,
    out: str | Path,
    model: ModelLike = "minilm",
    unlabelled: bool = False,
    columns: Mapping[str, str | int] | None = None,
    shape: Shape = "text",
    seed: int = 0,
    strict: bool = False,
) -> LearnedFile:
    """Learn an aligner for :func:`tenor.align` from links that people have made, into the file ``out``.

    ``pairs`` is a file of aligned pairs, as :func:`tenor.align` writes them. If ``unlabelled`` it is any file
    of pairs that say the same: the aligner learns from the links that are made without it.

    >>> import tenor
    >>> learned = tenor.learn_aligner("gold.jsonl", out="aligner.safetensors")  # doctest: +SKIP
    >>> tenor.align([("a", "b")], aligner="aligner.safetensors")                # doctest: +SKIP
    """
    encoder = given_model(model)
    if unlabelled:
        source = PairSource(pairs, columns, shape, strict)
        learned = learn_from_texts(Aligner(encoder), source, out, settings=replace(UNLABELLED, seed=seed))
    else:
        settings = LearnSettings(seed=seed)
        learned = learn_from_file(encoder, pairs, out, settings=settings, strict=strict)
    log_problems(learned.problems)
    return learned
