"""``tenor.align``: the words and phrases of text pairs that correspond, in memory or from file to file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, overload

from tenor.model.given import ModelLike, given_model
from tenor.text.alignments import AlignedPair
from tenor.text.words import split_words
from tenor.use.align.candidates import LONGEST
from tenor.use.align.file import AlignReport, PairSource, Shape, align_file
from tenor.use.align.learned import load_aligner
from tenor.use.align.pairs import Aligner, Blocks, PhraseSettings, WordPair
from tenor.use.align.spacy_phrases import SpacyPhrases
from tenor.use.notes import log_note, log_problems

Phrases = Literal["ngrams", "spacy"]
Side = str | Sequence[str]
_WINDOW = 1_000  # pairs whose word vectors are in memory at once


@overload
def align(
    pairs: Sequence[tuple[Side, Side]],
    *,
    model: ModelLike = ...,
    blocks: Blocks = ...,
    phrases: Phrases = ...,
    longest: int = ...,
    aligner: str | Path | None = ...,
) -> list[AlignedPair]: ...


@overload
def align(
    pairs: str | Path,
    *,
    out: str | Path,
    model: ModelLike = ...,
    blocks: Blocks = ...,
    phrases: Phrases = ...,
    longest: int = ...,
    aligner: str | Path | None = ...,
    columns: Mapping[str, str | int] | None = ...,
    shape: Shape = ...,
    strict: bool = ...,
) -> AlignReport: ...


def align(
    pairs: Sequence[tuple[Side, Side]] | str | Path,
    *,
    out: str | Path | None = None,
    model: ModelLike = "minilm",
    blocks: Blocks = "all",
    phrases: Phrases = "ngrams",
    longest: int = LONGEST,
    aligner: str | Path | None = None,
    columns: Mapping[str, str | int] | None = None,
    shape: Shape = "text",
    strict: bool = False,
) -> list[AlignedPair] | AlignReport:
    """Link the words of pairs of texts, and pair the phrases that say the same.

    A side of a pair in memory is a text or a list of words. A path is a file of pairs, whose alignments go to
    ``out`` as JSON lines beside all columns of the file, by a job that goes on after a kill. ``shape`` says
    whether its texts are plain, in ``words`` separated by spaces, or bracketed ``trees``; ``blocks`` which
    consistent phrase pairs are kept; ``aligner`` is a file that :func:`tenor.learn_aligner` has made.

    >>> import tenor
    >>> (found,) = tenor.align([("He purchased a car.", "He bought a car.")])
    >>> [(found.first[i], found.second[j]) for i, j in found.links][:2]
    [('He', 'He'), ('purchased', 'bought')]
    """
    chosen = Aligner(
        given_model(model),
        phrases=PhraseSettings(blocks=blocks, longest=longest),
        learned=None if aligner is None else load_aligner(Path(aligner)),
        parser=SpacyPhrases.load() if phrases == "spacy" else None,
    )
    if isinstance(pairs, str | Path):
        if out is None:
            raise TypeError("The alignments of a file go to a file: give out, a name ending in .jsonl.")
        report = align_file(chosen, PairSource(pairs, columns, shape, strict, rows=True), out, note=log_note)
        log_problems(report.problems)
        return report
    if out is not None:
        raise TypeError("out is for the pairs of a file; those in memory are returned.")
    words = [WordPair(_words(first), _words(second)) for first, second in pairs]
    windows = (words[begin : begin + _WINDOW] for begin in range(0, len(words), _WINDOW))
    return [found for window in windows for found in chosen.align(window)]


def _words(side: Side) -> tuple[str, ...]:
    return split_words(side).words if isinstance(side, str) else tuple(side)
