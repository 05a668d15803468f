"""Learning an aligner from word links, by the one loop of training.

The links are people's or, without any, those that were made without supervision: the network sees nothing of
how they were made, so that it learns what is regular in them and little of what is wrong (self-training).

The encoder is not changed. On the pairs held out the best epoch and the threshold of a link are chosen. What
is scored and kept is the running mean of the weights, which is steadier than any single step. The same seed
gives the same aligner on one machine, also when the work was killed in between and went on.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tenor.errors import TenorError
from tenor.machine import thread_count
from tenor.model import Model
from tenor.progress import Note, ProgressOf
from tenor.text.alignments import AlignedPair, read_alignments
from tenor.text.problems import Problems
from tenor.training.aligner.examples import Examples, look_at
from tenor.training.aligner.learner import NAME, LinkLearner
from tenor.training.aligner.network import GridNetwork
from tenor.training.api import train_learner
from tenor.training.callbacks import Callback, StepReport
from tenor.training.checkpoints import load_random_states, random_states
from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.config_dump import dump
from tenor.training.learner import Learner
from tenor.training.progress import MONITOR
from tenor.training.progress import Progress as RunProgress
from tenor.use.align.file import PairSource
from tenor.use.align.learned.aligner import Learned, LearnedLinks
from tenor.use.align.learned.grid import features
from tenor.use.align.learned.network import Shape
from tenor.use.align.pairs import Aligner, WordPair


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnSettings:
    """How an aligner is learned."""

    epochs: int = 5
    fewest_steps: int = 80  # of an epoch, which passes over few pairs several times
    patience: int = 3  # epochs without a better score on the pairs held out, after which it ends
    batch_size: int = 12  # pairs of a step
    rate: float = 3e-3  # the highest learning rate; it rises over a tenth of the steps and falls to nothing
    decay: float = 0.05
    word_dropout: float = 0.2  # of the numbers of a word vector
    cell_dropout: float = 0.1  # inside the network
    steady: float = 0.99  # of the running mean of the weights that stays at each step
    seed: int = 0

    def passes(self, pairs: int) -> int:
        """Return how often an epoch goes over so many pairs.

        >>> LearnSettings(fewest_steps=80, batch_size=12).passes(350), LearnSettings().passes(2098)
        (3, 1)
        """
        return -(-self.fewest_steps // -(-pairs // self.batch_size)) or 1

    def training(self) -> TrainingConfig:
        """Return the settings of the loop."""
        return TrainingConfig(
            epochs=self.epochs, patience=self.patience, head_lr=self.rate, weight_decay=self.decay,
            schedule="cosine", warmup=0.1, max_grad_norm=1.0, ema=self.steady, monitor=f"{NAME}.f1",
            checkpoint_steps=100, precision="fp32",
        )  # fmt: skip


# Of links made without supervision: what is wrong in them is learned last.
UNLABELLED = LearnSettings(epochs=3)
MOST_UNLABELLED = 5_000  # pairs, drawn at random: all are held in memory
_WINDOW = 400  # pairs that are linked at once


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
    progress: ProgressOf | None = None,
    note: Note | None = None,
) -> LearnedFile:
    """Learn from the ``links`` of a file of aligned pairs (see :mod:`tenor.text.alignments`) into ``out``.

    Phrase pairs of the file are not looked at: they follow from the links. While it goes on, the folder
    ``OUT.part`` holds its checkpoints; the same call goes on from there after a kill.
    """
    out = _checked(Path(out))
    problems = Problems(strict=strict)
    pairs = list(read_alignments(gold, problems=problems, with_links=True))
    _say(note, f"Looking at the words of {len(pairs):,} pairs, then learning.")
    told = {"precision": model.precision}, {"gold": {"file": str(gold), "sha256": _digest(pairs)}}
    learned = _into(
        out, look_at(model, pairs), settings or LearnSettings(), *told, _Following(progress, note)
    )
    return LearnedFile(learned, problems)


def learn_from_texts(
    aligner: Aligner,
    source: PairSource,
    out: str | Path,
    *,
    settings: LearnSettings = UNLABELLED,
    progress: ProgressOf | None = None,
    note: Note | None = None,
) -> LearnedFile:
    """Learn from pairs without links into ``out``: from those that ``aligner`` makes without supervision.

    Of many pairs ``MOST_UNLABELLED`` are drawn at random. A kill costs no more than for
    :func:`learn_from_file`.
    """
    out = _checked(Path(out))
    problems = Problems(strict=source.strict)
    drawn = _drawn(source.read(problems), MOST_UNLABELLED, settings.seed)
    _say(
        note, f"Linking the words of {len(drawn):,} pairs without an aligner, then learning from these links."
    )
    pairs = own_links(aligner, drawn)
    told = (
        {"precision": aligner.model.precision, "unlabelled": True},
        {"pairs": {"file": str(source.path), "sha256": _digest(pairs)}},
    )
    examples = look_at(aligner.model, pairs, unlabelled=True)
    learned = _into(out, examples, settings, *told, _Following(progress, note))
    return LearnedFile(learned, problems)


def own_links(aligner: Aligner, pairs: Sequence[WordPair]) -> list[AlignedPair]:
    """Link pairs without supervision, for :func:`~tenor.training.aligner.examples.look_at`."""
    if aligner.learned is not None:
        raise TenorError("An aligner learns from links made without supervision, not from those of another.")
    windows = (pairs[begin : begin + _WINDOW] for begin in range(0, len(pairs), _WINDOW))
    return [found for window in windows for found in aligner.align(window)]


def _drawn(pairs: Iterable[WordPair], most: int, seed: int) -> list[WordPair]:
    """Draw so many pairs of a stream, each with the same chance, in the order of the stream."""
    generator, kept = np.random.default_rng([seed, most]), []
    for number, pair in enumerate(pairs):
        if number < most:
            kept.append((number, pair))
        elif (place := int(generator.integers(0, number + 1))) < most:
            kept[place] = number, pair
    return [pair for _, pair in sorted(kept, key=lambda each: each[0])]


def _into(
    out: Path,
    examples: Examples,
    settings: LearnSettings,
    about: Mapping[str, Any],
    files: Mapping[str, Any],
    callback: Callback,
) -> Learned:
    """Learn, write the aligner, and throw away the checkpoints beside it."""
    folder = out.with_name(out.name + ".part")
    found = _learn(examples, settings, folder, about=about, data={NAME: files}, callback=callback)
    found.save(out)
    shutil.rmtree(folder, ignore_errors=True)
    return found.learned


def learn_aligner(
    model: Model,
    gold: Sequence[AlignedPair],
    *,
    settings: LearnSettings | None = None,
    progress: ProgressOf | None = None,
) -> LearnedLinks:
    """Learn to link words from pairs whose ``links`` people have made."""
    return learn_from_examples(look_at(model, gold), settings=settings, progress=progress)


def learn_from_examples(
    examples: Examples, *, settings: LearnSettings | None = None, progress: ProgressOf | None = None
) -> LearnedLinks:
    """Learn to link words from what :func:`~tenor.training.aligner.examples.look_at` has returned."""
    with tempfile.TemporaryDirectory() as folder:
        return _learn(
            examples, settings or LearnSettings(), Path(folder), callback=_Following(progress, None)
        )


def _learn(
    examples: Examples,
    settings: LearnSettings,
    folder: Path,
    *,
    callback: Callback,
    about: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
) -> LearnedLinks:
    """Train in a run folder, or go on there, and take the best weights."""
    torch.set_num_threads(thread_count())
    with _random_numbers_of_others():
        torch.manual_seed(settings.seed)
        learner = _learner(examples, settings)
        training = settings.training()
        ended = train_learner(
            learner,
            training,
            out=folder,
            seed=settings.seed,
            config=dump(
                RunConfig(encoder=examples.encoder_name, seed=settings.seed, training=training),
                {**asdict(settings), "fingerprint": examples.encoder, **(about or {})},
            ),
            data=data,
            callbacks=[callback],
        )
        f1, threshold = learner.score()
    learned = Learned(
        encoder=examples.encoder,
        encoder_name=examples.encoder_name,
        layers=examples.layers,
        middle=examples.middle,
        threshold=threshold,
        pairs=len(examples.train),
        held_out=len(examples.held_out),
        f1=round(f1, 4),
        epochs=-(-ended.best_steps[MONITOR] * settings.epochs // ended.steps),
        seed=settings.seed,
        unlabelled=examples.unlabelled,
    )
    return LearnedLinks(learned, examples.centre, learner.weights())


def _learner(examples: Examples, settings: LearnSettings) -> LinkLearner:
    shape = Shape(features=features(len(examples.layers)), inputs=examples.centre.size)
    network = GridNetwork(shape, word_dropout=settings.word_dropout, cell_dropout=settings.cell_dropout)
    return LinkLearner(
        network,
        examples.train,
        examples.held_out,
        batch=settings.batch_size,
        passes=settings.passes(len(examples.train)),
    )


class _Following(Callback):
    """Passes on what the loop tells: steps, also those of an earlier run, and that such a one goes on."""

    def __init__(self, progress: ProgressOf | None, note: Note | None) -> None:
        self._progress, self._note, self._told = progress, note, 0

    def note(self, text: str) -> None:
        _say(self._note, text)

    def on_step_end(self, learner: Learner, progress: RunProgress, report: StepReport) -> None:
        if self._progress is not None:
            self._progress(report.step - self._told, progress.steps)
            self._told = report.step


@contextmanager
def _random_numbers_of_others() -> Iterator[None]:
    """Leave the random generators of the process as they were: the loop seeds them, and a resume too."""
    kept = random_states()
    try:
        yield
    finally:
        load_random_states(kept)


def _checked(out: Path) -> Path:
    if out.suffix != ".safetensors":
        raise TenorError(f"Cannot write {str(out)!r}: give an aligner a name ending in .safetensors.")
    if not out.parent.is_dir():
        raise TenorError(f"Cannot write {out}: the folder {str(out.parent)!r} does not exist.")
    if out.is_dir():
        raise TenorError(f"Cannot write {out}: it is a folder.")
    return out


def _say(note: Note | None, text: str) -> None:
    """Say what takes a while without a step that could be counted."""
    if note is not None:
        note(text)


def _digest(pairs: Sequence[AlignedPair]) -> str:
    digest = hashlib.sha256()
    for pair in pairs:
        digest.update(pair.to_line().encode() + b"\n")
    return digest.hexdigest()
