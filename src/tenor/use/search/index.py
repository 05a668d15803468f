"""Building an index of texts, adding texts later, and removing them.

What a change goes through, and how it survives being killed, stands in ``index_job.py``.
"""

import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tenor.assets.find import HUB
from tenor.assets.hub import is_on_disk
from tenor.errors import TenorError
from tenor.files import writing
from tenor.model import Model, load
from tenor.model.encoding import Long
from tenor.progress import Note, ProgressOf
from tenor.text.problems import Problems
from tenor.use.search.card import CARD, LOCK, UNFINISHED, Card, Unfinished, read_card, sole_writer
from tenor.use.search.columns import store_columns
from tenor.use.search.filters import compile_filter, quote_text
from tenor.use.search.index_job import IndexJob, Report, describe_job, publish, rolled_back
from tenor.use.search.intake import Survey, kept, survey
from tenor.use.search.passages import TABLE

_PASSAGE_PROMPTS = ("passage", "document", "corpus")


def build_index(
    source: str | Path,
    folder: str | Path,
    *,
    model: str | Model = "minilm",
    precision: str = "auto",
    column: str | None = None,
    id_column: str | None = None,
    long: Long = "truncate",
    encoding: str | None = None,
    strict: bool = False,
    progress: ProgressOf | None = None,
    note: Note = lambda text: None,
) -> Report:
    """Index the texts of a file, with all its other columns, in a new folder."""
    folder = Path(folder)
    _refuse_taken(folder)
    with kept(source) as file:
        surveyed = survey(file, column=column, id_column=id_column, encoding=encoding)
        encoder = _loaded(model, precision)
        card = _first_card(encoder, surveyed, long)
        job = describe_job("build", source, file, card)
        with _made(folder), sole_writer(folder):
            state = Unfinished(job, uuid.uuid4().hex, card)
            work = IndexJob(folder, state, encoder, Problems(strict), progress, note, encoding)
            return work.run(file, rows=surveyed.rows, base=None)


def add_to_index(
    source: str | Path,
    folder: str | Path,
    *,
    model: str | Model | None = None,
    precision: str = "auto",
    encoding: str | None = None,
    strict: bool = False,
    progress: ProgressOf | None = None,
    note: Note = lambda text: None,
) -> Report:
    """Add the texts of a file; one whose id is in the index already takes the place of the old text."""
    folder = Path(folder)
    base = read_card(folder)
    with kept(source) as file:
        surveyed = survey(file, column=base.text_column, id_column=base.id_column, encoding=encoding)
        encoder = matching_model(base, folder, model=model, precision=precision)
        with sole_writer(folder):
            base = read_card(folder)  # another writer may have been done meanwhile
            card = _with_columns(base, surveyed)
            job = describe_job("add", source, file, card)
            state = Unfinished(job, uuid.uuid4().hex, card)
            work = IndexJob(folder, state, encoder, Problems(strict), progress, note, encoding)
            return work.run(file, rows=surveyed.rows, base=base)


def remove_from_index(
    folder: str | Path, *, ids: Sequence[str] = (), where: str | None = None, note: Note = lambda text: None
) -> Report:
    """Remove the texts with these ids, or those that a filter names."""
    folder = Path(folder)
    card = read_card(folder)
    conditions = [f"id IN ({', '.join(map(quote_text, ids))})"] if ids else []
    if where is not None:
        conditions.append(compile_filter(where, card.filterable()))
    if not conditions:
        raise TenorError("Nothing to remove was named; give ids or a filter.")
    with sole_writer(folder):
        card = read_card(folder)
        store = rolled_back(folder, card, note)
        removed = store.remove(" OR ".join(conditions))
        if removed:
            card = publish(folder, store, replace(card, change=uuid.uuid4().hex), note)
        return Report(card, removed=removed)


def matching_model(card: Card, folder: Path, *, model: str | Model | None, precision: str) -> Model:
    """Load the model that made the index, or refuse one that would give other vectors."""
    made = f"The index {folder} was made with"
    if precision not in ("auto", card.precision):
        raise TenorError(
            f"{made} precision {card.precision}, and {precision} gives other vectors. "
            f"Leave --precision out, or build the index again with --precision {precision}."
        )
    if model is None and card.model.startswith(HUB) and not is_on_disk(card.model):
        raise TenorError(
            f"{made} {card.model}, which is not on this machine, and nothing is downloaded because an index "
            f"names it. Get it with: tenor fetch {card.model} (if you trust it), or give --model."
        )
    encoder = _loaded(card.model if model is None else model, card.precision)
    if encoder.fingerprint != card.fingerprint:
        raise TenorError(
            f"{made} the model {card.model} (fingerprint {card.fingerprint[:12]}…), and {encoder.name} is "
            f"another one ({encoder.fingerprint[:12]}…): their vectors cannot be compared. "
            "Use that model, or build the index again with this one."
        )
    if encoder.precision != card.precision:
        raise TenorError(
            f"{made} precision {card.precision}, and {encoder.name} runs here in {encoder.precision}. "
            "Build the index again on this machine, or with --precision fp32."
        )
    return encoder


def _first_card(encoder: Model, surveyed: Survey, long: Long) -> Card:
    prompt = next((name for name in _PASSAGE_PROMPTS if encoder.prompts.get(name)), None)
    folder = Path(encoder.name)
    return Card(
        model=str(folder.resolve()) if folder.is_dir() else encoder.name,
        fingerprint=encoder.fingerprint,
        precision=encoder.precision,
        dimensions=encoder.width,
        long=long,
        prompt=prompt,
        text_column=surveyed.text_column,
        id_column=surveyed.id_column,
        columns=store_columns(surveyed.kinds),
        stem=encoder.english is not False,
    )


def _with_columns(card: Card, surveyed: Survey) -> Card:
    """Return the card with the columns that the file brings along and the index did not have yet."""
    known = {column.name: column.kind for column in card.columns}
    new = {name: kind for name, kind in surveyed.kinds.items() if name not in known}
    return replace(card, columns=store_columns({**known, **new}))


def _refuse_taken(folder: Path) -> None:
    if (folder / CARD).exists():
        raise TenorError(f"{folder} is an index already. Add to it with --add, or give --out another folder.")
    if folder.exists() and not folder.is_dir():
        raise TenorError(f"{folder} is a file; --out names a folder for the index.")
    ours = {LOCK, UNFINISHED, f"{TABLE}.lance"}
    others = [name for name in _names(folder) if name not in ours and not name.endswith(".part")]
    if others:
        raise TenorError(f"{folder} holds other files ({others[0]}, …); --out names a new or empty folder.")


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make the folder, and take it away again if the job fails before anything is in it."""
    new = not folder.exists()
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if new and set(_names(folder)) <= {LOCK}:
            shutil.rmtree(folder, ignore_errors=True)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def _loaded(model: str | Model, precision: str) -> Model:
    return load(model, precision=precision) if isinstance(model, str) else model  # type: ignore[arg-type]
