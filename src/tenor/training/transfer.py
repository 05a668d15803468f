"""Transfer fine-tuning on pairs of one's own: aligned, parted, learned from, and written as an encoder.

aligned.jsonl    the pairs with their word links and phrases, unless they were given so
train.jsonl      what the stage learns from, and ``dev.jsonl``, what it is measured on
run/             log and settings of the stage; its checkpoints while it runs
explaining/      the encoder with both classifiers, for `tenor compare`
plain/           the encoder alone, to be fine-tuned; it is there only when all is done
transfer.json    what was asked for, how many pairs there were, and the scores

Every part is kept once it is done: the same call goes on after a kill.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from tenor.assets import MODELS, find
from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.files import read_json, write_json, writing
from tenor.machine import thread_count
from tenor.machine.devices import find_device
from tenor.model import load
from tenor.model.folder import read_folder
from tenor.objectives.paraphrase.exporting import export_encoder
from tenor.objectives.paraphrase.leaks import Measured, TextPair
from tenor.objectives.paraphrase.split import DEV, TRAIN, Parted, part_pairs
from tenor.progress import Note, ProgressOf
from tenor.tasks.phrases.aligned_file import AlignedFile
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.text.alignments import holds_alignments
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs
from tenor.training.callbacks import Callback
from tenor.training.config import TrainingConfig
from tenor.training.paraphrase_stage import StageRun, run_stage
from tenor.use.align.file import PairSource, align_file
from tenor.use.align.pairs import Aligner

ALIGNED, RUN, EXPLAINING, PLAIN, ABOUT = "aligned.jsonl", "run", "explaining", "plain", "transfer.json"
# For some ten thousand pairs; ``paraphrase_stage.PAPER`` has the rates for millions.
USUAL = TrainingConfig(epochs=1, encoder_lr=1e-4, head_lr=5e-4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """What is learned from which pairs, and by which encoder."""

    pairs: Path
    """Pairs that say the same, or such pairs aligned by ``tenor align`` or by others."""
    encoder: str = "minilm"
    columns: Mapping[str, str | int] | None = None
    file_encoding: str | None = None
    measured: Sequence[Path] = ()
    """Files of pairs that are measured on later; neither they nor texts of theirs are learned from."""
    held_out: int = 500
    """Pairs that the stage is measured on, at most; never more than a fifth."""
    config: PhrasesSpec = field(default_factory=PhrasesSpec)
    training: TrainingConfig = USUAL
    batch_size: int = 50
    max_tokens: int = 128
    evaluations: int = 5
    seed: int = 1
    strict: bool = False

    def __post_init__(self) -> None:
        for name in ("held_out", "batch_size", "max_tokens", "evaluations"):
            if getattr(self, name) < 1:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be at least 1.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transferred:
    """The two folders that a transfer leaves, its scores on the pairs held out, and how many pairs it had."""

    plain: Path
    explaining: Path
    scores: Mapping[str, float]
    pairs: Parted


def transfer(
    asked: Transfer, *, out: str | Path, device: str = "auto", callbacks: Sequence[Callback] = ()
) -> Transferred:
    """Do all of it in ``out``, or go on there."""

    def note(text: str) -> None:
        for callback in callbacks:
            callback.note(text)

    prepare_pairs(asked, out=out, device=device, note=note)
    return teach(asked, out=out, device=device, callbacks=callbacks)


def prepare_pairs(
    asked: Transfer,
    *,
    out: str | Path,
    device: str = "auto",
    progress: ProgressOf | None = None,
    note: Note | None = None,
) -> Parted:
    """Align the pairs and part them, as far as that has not been done; ``note`` hears what is wrong."""
    out, note = Path(out), note or _unheard
    encoder = find(asked.encoder, kinds=MODELS)
    if not read_folder(encoder).type.segments:
        raise TenorError(
            f"{asked.encoder} reads no two texts as one sequence, which the stage needs; give a BERT encoder."
        )
    _begin(asked, out)
    about = read_json(out / ABOUT)
    if "parted" in about:
        return Parted(**about["parted"])
    aligned = _aligned(asked, out, str(encoder), device, progress, note)
    problems = Problems(asked.strict)
    pairs = AlignedFile(aligned, problems=problems)
    measured = Measured(_measured_pairs(asked.measured, note)) if asked.measured else None
    parted = part_pairs(
        pairs,
        out,
        max(1, min(asked.held_out, len(pairs) // 5)),
        refused=None if measured is None else measured.holds,
    )
    _tell(problems, note)
    if parted.left_out:
        count = f"{parted.left_out:,} pairs are" if parted.left_out > 1 else "1 pair is"
        note(f"{count} left out: texts of theirs are in the files of --leave-out.")
    write_json(out / ABOUT, about | {"parted": asdict(parted)})
    return parted


def teach(
    asked: Transfer, *, out: str | Path, device: str = "auto", callbacks: Sequence[Callback] = ()
) -> Transferred:
    """Run the stage on the pairs that :func:`prepare_pairs` has left in ``out``, and write the encoders."""
    out = Path(out)
    encoder = find(asked.encoder, kinds=MODELS)
    if find_device(device).type == "cpu":
        torch.set_num_threads(thread_count())
    stage = StageRun(
        encoder=encoder, train=out / TRAIN, dev=out / DEV, config=asked.config, training=asked.training,
        batch_size=asked.batch_size, max_tokens=asked.max_tokens, evaluations=asked.evaluations,
    )  # fmt: skip
    found = run_stage(stage, out=out / RUN, callbacks=callbacks, device=device, seed=asked.seed)
    settings, network = read_folder(encoder), found.network.cpu()
    about = read_json(out / ABOUT)
    write_json(out / ABOUT, about | {"scores": found.scores})
    shutil.rmtree(out / EXPLAINING, ignore_errors=True)  # of an earlier end that was killed
    # The plain one last: it says that all is done.
    for name, heads in ((EXPLAINING, True), (PLAIN, False)):
        export_encoder(
            network, settings, out / name, name=Path(asked.encoder).name, heads=heads, scores=found.scores
        )
    for rest in (out / RUN / "checkpoints", out / f"{RUN}-arrays"):
        shutil.rmtree(rest, ignore_errors=True)
    return Transferred(
        plain=out / PLAIN, explaining=out / EXPLAINING, scores=found.scores, pairs=Parted(**about["parted"])
    )


def _begin(asked: Transfer, out: Path) -> None:
    """Write down what was asked for, or make sure that it is what was asked for before."""
    if out.exists() and not out.is_dir():
        raise TenorError(f"{out} is a file; a transfer needs a folder. Choose another --out.")
    if (out / PLAIN).is_dir():
        raise TenorError(
            f"The transfer in {out} is finished; its encoder is in {out / PLAIN}. Choose another --out, or "
            "delete the folder to start over."
        )
    for file in (asked.pairs, *asked.measured):
        if not file.is_file():
            raise TenorError(f"{file} is not a file; give files of pairs, which can be read several times.")
    told: dict[str, Any] = {
        "pairs": {"file": asked.pairs.name, "sha256": sha256_of(asked.pairs)},
        "columns": None
        if asked.columns is None
        else {role: str(name) for role, name in asked.columns.items()},
        "encoder": asked.encoder,
        "measured": [sha256_of(file) for file in asked.measured],
        "held_out": asked.held_out,
    }
    if (out / ABOUT).is_file():
        before = read_json(out / ABOUT)
        for name, value in told.items():
            if before.get(name) != value:
                raise TenorError(
                    f"{out} holds another transfer, whose {name} differ from what is asked for now. Choose "
                    "another --out, or delete the folder to start over."
                )
        return
    if out.is_dir() and any(out.iterdir()):
        raise TenorError(
            f"{out} holds files that are not a transfer's; choose a folder that is new or empty."
        )
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    write_json(out / ABOUT, told)


def _aligned(
    asked: Transfer, out: Path, encoder: str, device: str, progress: ProgressOf | None, note: Note
) -> Path:
    """Return the file of aligned pairs: that given, or one made of the pairs given."""
    if holds_alignments(asked.pairs):
        if asked.columns is not None:
            raise TenorError(
                f"{asked.pairs} holds aligned pairs, which have no columns; leave out --columns."
            )
        return asked.pairs
    aligned = out / ALIGNED
    if not aligned.is_file():
        source = PairSource(
            asked.pairs,
            asked.columns,
            strict=asked.strict,
            encoding=asked.file_encoding,
            paraphrases=True,
        )
        aligner = Aligner(load(encoder, device=device))
        _tell(align_file(aligner, source, aligned, progress=progress, note=note).problems, note)
    return aligned


def _measured_pairs(files: Sequence[Path], note: Note) -> Iterator[TextPair]:
    for file in files:
        problems = Problems()
        for pair in read_pairs(file, problems=problems):
            yield pair.texts
        _tell(problems, note)


def _tell(problems: Problems, note: Note) -> None:
    if (summary := problems.summary()) is not None:
        note(summary)


def _unheard(text: str) -> None:
    """Hear nothing."""
