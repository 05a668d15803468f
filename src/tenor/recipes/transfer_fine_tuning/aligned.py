"""The pairs of the stage, aligned once and kept: ``train.jsonl`` and ``dev.jsonl``, streamed from there."""

from pathlib import Path

from tenor.files import atomic_file, read_json, write_json
from tenor.recipes.recipe import Context
from tenor.recipes.rows import write_rows
from tenor.recipes.transfer_fine_tuning.stage_pairs import gather_pairs

COUNTS = "counts.json"
STAGE_DEV = 500  # pairs that the stage is measured on


def aligned_folder(context: Context, aligner: str, *, in_task: bool) -> Path:
    """Return the folder of aligned pairs; an alignment that was killed goes on where it was."""
    with context.lasting("aligned", settings={"in_task": in_task, **starter_version(context)}) as folder:
        if not (folder / COUNTS).is_file():
            _align(context, aligner, folder, in_task=in_task)
    return folder


def starter_version(context: Context) -> dict[str, str]:
    """Return what tells the starter's weights from others, for what is made with them."""
    from tenor.assets import TABLE

    name = context.settings["starter"]
    return {"weights": TABLE[name].fingerprint} if name in TABLE else {}


def counts_note(folder: Path) -> str:
    """Say how many pairs each source gave, and how many rows were dropped and why."""
    told = read_json(folder / COUNTS)
    parts = [
        f"{source} {found['kept']:,} of {found['pairs']:,} ({found['leaks']:,} stand in evaluated tasks, "
        f"{found['repeats']:,} repeat others or themselves)"
        for source, found in told["sources"].items()
    ]
    return (
        f"The stage learns from {told['train']:,} pairs of texts with {told['alignments']:,} aligned phrase "
        f"pairs, and is measured on {told['dev']:,}. Sources: {'; '.join(parts)}."
    )


def _align(context: Context, aligner: str, folder: Path, *, in_task: bool) -> None:
    import tenor
    from tenor.objectives.paraphrase.split import part_pairs
    from tenor.tasks.phrases.aligned_file import AlignedFile
    from tenor.use.align.file import PairSource, align_file
    from tenor.use.align.pairs import Aligner

    pairs, sources = gather_pairs(context, in_task=in_task)
    given, aligned = folder / "pairs.jsonl", folder / "aligned.jsonl"
    with atomic_file(given) as aside:
        write_rows(aside, ({"first": first, "second": second} for first, second in pairs))
    source = PairSource(given, columns={"first": "first", "second": "second"})
    if not aligned.is_file():
        model = tenor.load(aligner, precision="fp32")
        align_file(
            Aligner(model), source, aligned, progress=lambda done, total: context.progress(done, total or 1)
        )
    told = part_pairs(AlignedFile(aligned), folder, min(STAGE_DEV, len(pairs) // 5))
    counts = {"train": told.train, "dev": told.dev, "alignments": told.alignments}
    write_json(folder / COUNTS, {"sources": sources, **counts})
