"""IN is plain lines, CSV, TSV, JSON, Excel or Parquet, compressed with gzip or not, or - for standard input.

Every member of a group reaches the threshold with the group's centre. The threshold can be calibrated on
pairs of your own that are labelled 1 (say the same) or 0: --calibrate prints what each threshold gives and
uses the best; without IN it only prints.

\b
    tenor dedupe questions.txt
    tenor dedupe shop.csv --column review --threshold 0.9 --out groups.csv
    tenor dedupe shop.csv --column review --keep unique.csv
    tenor dedupe questions.txt --calibrate pairs.tsv --precision-at 0.95
"""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import Bar, counted, notes, one_line, out, print_notes, print_problems, progress_bar
from tenor.cli.options import (
    Column,
    Device,
    Encoding,
    Json,
    Long,
    LongChoice,
    Model,
    OptionalSource,
    Precision,
    PrecisionChoice,
    Prompt,
    Quiet,
    Strict,
)
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.metrics.binary import BinaryScores
    from tenor.model import Model as LoadedModel
    from tenor.use.dedupe.calibrate import Calibration
    from tenor.use.dedupe.file import Deduped

_WIDTH = 100  # characters of a text that are shown
_MEMBERS = 10  # texts of a group that are shown

Threshold = Annotated[
    float | None, typer.Option(help="Lowest cosine that counts as saying the same.  [default: 0.85]")
]
Groups = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write the rows of the groups, with all columns of IN: .csv, .tsv, .jsonl, .json, .parquet, -.",
    ),
]
Keep = Annotated[
    Path | None,
    typer.Option(help="Write the rows without duplicates, the centre of each group kept, likewise; or -."),
]
Vectors = Annotated[
    Path | None, typer.Option(help="Vectors of IN that `tenor embed` made, to avoid encoding it again.")
]
Calibrate = Annotated[Path | None, typer.Option(help="Labelled pairs to find the threshold on.")]
PairColumns = Annotated[
    str | None,
    typer.Option(help="Columns of the labelled pairs: FIRST,SECOND,LABEL. Default: found by content."),
]
PrecisionAt = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="SHARE",
        help="With --calibrate: the lowest threshold of this precision, not the best F1.",
    ),
]
Show = Annotated[int, typer.Option(min=0, metavar="N", help="How many groups to print.")]


def dedupe(
    source: OptionalSource = None,
    column: Column = None,
    threshold: Threshold = None,
    groups: Groups = None,
    keep: Keep = None,
    vectors: Vectors = None,
    calibrate: Calibrate = None,
    pair_columns: PairColumns = None,
    precision_at: PrecisionAt = None,
    show: Show = 20,
    model: Model = "minilm",
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    prompt: Prompt = None,
    long: Long = LongChoice.truncate,
    encoding: Encoding = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Group the texts that say the same."""
    from tenor.model import load
    from tenor.text.sniff import Asked
    from tenor.use.dedupe.calibrate import calibrate_file
    from tenor.use.dedupe.deduping import DEFAULT_THRESHOLD
    from tenor.use.dedupe.file import dedupe_file
    from tenor.use.row_files import STDOUT, check_out

    _check(source, threshold, calibrate, pair_columns, precision_at)
    for path in (groups, keep):
        check_out(path, source)
    if groups is not None and keep is not None and groups.absolute() == keep.absolute():
        raise TenorError(f"--out and --keep both name {keep}; give each a file of its own.")
    loaded = load(model, precision=precision.value, device=device)
    if calibrate is not None:
        with progress_bar("Encoding pairs", quiet=quiet) as bar:
            picked = calibrate_file(
                loaded,
                calibrate,
                columns=_pair_columns(pair_columns),
                precision_at=precision_at,
                prompt=prompt,
                long=long.value,
                encoding=encoding,
                strict=strict,
                progress=bar.follow,
            )
        _print_calibration(picked, to_notes=json_)
        threshold = picked.threshold
        if source is None and json_:
            out.print(json.dumps(_calibration_json(picked), ensure_ascii=False, indent=2))
    if source is None:
        return
    with _Stages(quiet) as stages:
        deduped = dedupe_file(
            loaded,
            source,
            column=column,
            vectors=vectors,
            threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
            prompt=prompt,
            long=long.value,
            strict=strict,
            reading=Asked(encoding=encoding),
            progress=stages.follow,
            note=None if quiet else notes.print,
        )
    print_problems(deduped.problems, quiet=quiet)
    print_notes((deduped.beyond_limit, deduped.warning), quiet=quiet)
    _write(deduped, groups, keep, as_json=json_)
    if STDOUT in (groups, keep):
        return
    if json_:
        _print_json(deduped)
    else:
        _print(deduped, loaded, show if groups is None else 0)
        for path, what in ((groups, "The groups are"), (keep, "The texts without duplicates are")):
            if path is not None:
                out.print(f"{what} in {path}.")


def _check(
    source: str | None,
    threshold: float | None,
    calibrate: Path | None,
    pair_columns: str | None,
    precision_at: float | None,
) -> None:
    if source is None and calibrate is None:
        raise TenorError("Give a file with texts, or --calibrate with a file of labelled pairs.")
    if calibrate is not None and threshold is not None:
        raise TenorError("Give either --threshold or --calibrate, which finds one, not both.")
    if calibrate is None and (pair_columns or precision_at is not None):
        raise TenorError("--pair-columns and --precision-at belong to --calibrate, which is missing.")


def _pair_columns(value: str | None) -> dict[str, str | int] | None:
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    if len(names) != 3:
        raise TenorError(f"--pair-columns is {value!r}; expected three columns as FIRST,SECOND,LABEL.")
    return dict(zip(("first", "second", "label"), names, strict=True))


class _Stages:
    """One bar after another, as the stages of the work are heard of."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._stack = ExitStack()
        self._bars: dict[str, Bar] = {}

    def __enter__(self) -> "_Stages":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def follow(self, stage: str, count: int, total: int | None) -> None:
        """Move the bar of a stage, closing the one before."""
        if stage not in self._bars:
            self._stack.close()
            self._bars[stage] = self._stack.enter_context(progress_bar(stage, total, quiet=self._quiet))
        self._bars[stage].advance(count)


def _print_calibration(picked: "Calibration", *, to_notes: bool) -> None:
    say = (notes if to_notes else out).print
    say(f"{picked.pairs:,} pairs, {picked.same:,} of them say the same.")
    if summary := picked.problems.summary():
        notes.print(summary)
    say("threshold  precision             recall                F1")
    for row in picked.table:
        mark = "  <- picked" if row.threshold == picked.threshold else ""
        scores = row.scores
        say(f"{row.threshold:9.4f}  {scores.precision}  {scores.recall}  {scores.f1}{mark}")
    held = picked.cross_validated
    say(f"Picked {picked.threshold:.4f} for {picked.wanted}. On held-out pairs,")
    say(f"by five-fold cross-validation: precision {held.precision}, recall {held.recall}, F1 {held.f1}.")
    say("Among all pairs of a collection far fewer are duplicates than here: expect lower precision there.")


def _calibration_json(picked: "Calibration") -> dict[str, object]:
    def figures(scores: "BinaryScores") -> dict[str, float]:
        named = {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}
        return {name: round(score.estimate, 5) for name, score in named.items()}

    return {
        "threshold": picked.threshold,
        "wanted": picked.wanted,
        "pairs": picked.pairs,
        "same": picked.same,
        "table": [{"threshold": row.threshold, **figures(row.scores)} for row in picked.table],
        "cross_validated": figures(picked.cross_validated),
    }


def _write(deduped: "Deduped", groups: Path | None, keep: Path | None, *, as_json: bool) -> None:
    from tenor.use.row_files import row_file

    for path, written in ((groups, deduped.grouped_rows), (keep, deduped.kept_rows)):
        if path is not None:
            lines = path == keep and deduped.plain_lines
            with row_file(path, as_json=as_json, lines=lines) as rows:
                for row, added in written():
                    rows.write(row, added)


def _print(deduped: "Deduped", model: "LoadedModel", show: int) -> None:
    from tenor.use.dedupe.reasons import aligned_reason

    for number, group in enumerate(deduped.groups[:show], start=1):
        out.print(f"Group {number}: {len(group)} texts")
        for member in group.members[:_MEMBERS]:
            line, text = deduped.lines[member.row], one_line(member.text, _WIDTH)
            if member.kind == "centre":
                out.print(f"  centre  line {line}: {text}")
            else:
                why = one_line(aligned_reason(model, group, member), 2 * _WIDTH)
                out.print(f"  {member.score:6.3f}  line {line}: {text}  ({why})")
        if len(group) > _MEMBERS:
            out.print(f"  … and {len(group) - _MEMBERS:,} more")
    left = len(deduped.groups) - show
    if show and left > 0:
        out.print(f"… and {left:,} more {'group' if left == 1 else 'groups'}; --out groups.csv writes all.")
    texts, groups = counted(deduped.filled, "text"), counted(len(deduped.groups), "group")
    out.print(
        f"{texts}, {groups} at or above {deduped.threshold:g}; {counted(deduped.superfluous, 'duplicate')}."
    )
    if not deduped.groups and deduped.filled > 1:
        out.print("No two texts are that close; try a lower --threshold.")


def _print_json(deduped: "Deduped") -> None:
    result = {"texts": deduped.filled, "threshold": deduped.threshold, "rows": list(deduped.rows())}
    out.print(json.dumps(result, ensure_ascii=False, indent=2))
