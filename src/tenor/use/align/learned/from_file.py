"""Learning an aligner from a file of pairs with human links, into one file of weights."""

from dataclasses import dataclass
from pathlib import Path

from tenor.errors import TenorError
from tenor.model import Model
from tenor.text.alignments import read_alignments
from tenor.text.problems import Problems
from tenor.use.align.learned.aligner import Learned
from tenor.use.align.learned.learning import LearnSettings, Progress, learn_aligner


@dataclass(frozen=True, slots=True)
class LearnedFile:
    """What was learned, and what was wrong with the input."""

    learned: Learned
    problems: Problems


def learn_from_file(
    model: Model,
    gold: str | Path,
    out: str | Path,
    *,
    settings: LearnSettings | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> LearnedFile:
    """Learn from the ``links`` of a file of aligned pairs (see :mod:`tenor.text.alignments`) into ``out``.

    Phrase pairs of the file are not looked at: they follow from the links.
    """
    out = Path(out)
    if out.suffix != ".safetensors":
        raise TenorError(f"Cannot write {str(out)!r}: give an aligner a name ending in .safetensors.")
    if not out.parent.is_dir():
        raise TenorError(f"Cannot write {out}: the folder {str(out.parent)!r} does not exist.")
    problems = Problems(strict=strict)
    pairs = list(read_alignments(gold, problems=problems))
    found = learn_aligner(model, pairs, settings=settings, progress=progress)
    found.save(out)
    return LearnedFile(found.learned, problems)
