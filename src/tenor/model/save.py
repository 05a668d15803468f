"""Writing a model folder in the layout of sentence-transformers.

The encoder's files are copied byte for byte, so that what was loaded is what is saved; ``encoders/layout.py``
writes what stands around them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenor.encoders.encoder_type import CONFIG, TOKENIZER_FILES, copy_files
from tenor.encoders.layout import write_layout
from tenor.errors import TenorError
from tenor.files import atomic_folder, write_json
from tenor.model.card import model_card
from tenor.model.fingerprint import fingerprint
from tenor.model.folder import FORMAT, SETTINGS, TENOR, ModelFolder
from tenor.model.heads import TrainedTask, write_heads
from tenor.model.phrases import PHRASES, write_phrases
from tenor.version import VERSION

if TYPE_CHECKING:
    from tenor.model.model import Model


def save_model(model: "Model", folder: Path, *, copy: Callable[[Path], None] | None = None) -> None:
    """Write a model to a new folder; it appears under its name only when it is whole.

    ``copy`` writes an encoder that has no folder of its own to be copied from.
    """
    made = {"how": "saved", "from": Path(model.name).name}
    with new_folder(folder) as aside:
        if copy is None:
            model.settings.type.copy(model.settings.encoder, aside)
        else:
            copy(aside)
        if model.own_tasks:
            write_heads(aside, model.own_tasks)
        if model.phrases is not None:
            write_phrases(aside, model.phrases)
        write_settings(
            aside, model.settings, width=model.width, name=folder.name, made=made, tasks=model.own_tasks
        )


@contextmanager
def new_folder(folder: str | Path) -> Iterator[Path]:
    """Yield a place to write a model to; it takes its name, which must be free, when it is whole."""
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TenorError(f"{folder} exists already; choose a folder that is new or empty.")
    with atomic_folder(folder) as aside:
        yield aside


def write_settings(
    aside: Path,
    settings: ModelFolder,
    *,
    width: int,
    name: str,
    made: Mapping[str, Any],
    tasks: Mapping[str, TrainedTask],
) -> None:
    """Write all but the weights, which stand in ``aside`` already: tokenizer, settings, tasks, card."""
    copy_files(settings.encoder, aside, (CONFIG, *TOKENIZER_FILES))
    is_mean = settings.opens_in_sentence_transformers and settings.type.averages
    write_layout(
        aside,
        module=settings.module,
        pooling=None if is_mean else settings.pooling,
        hidden_size=width // len(settings.pooling.kinds),
        normalize=settings.normalize,
        pools_prompt=settings.pools_prompt,
        max_tokens=settings.max_tokens,
        lower=settings.lower,
    )
    write_json(aside / SETTINGS, _st_settings(settings))
    print_ = fingerprint(replace(settings, encoder=aside))
    write_json(aside / TENOR, _tenor_settings(settings, print_, made, tasks))
    source = str(made.get("from", ""))
    card = model_card(
        settings, width=width, name=name, source=source, fingerprint=print_, tasks=tasks,
        phrases=(aside / PHRASES).is_file(),
    )  # fmt: skip
    (aside / "README.md").write_text(card, encoding="utf-8")


def _st_settings(settings: ModelFolder) -> dict[str, Any]:
    return {
        "__version__": {"tenor": VERSION},
        "prompts": settings.prompts,
        "default_prompt_name": settings.default_prompt,
        "similarity_fn_name": settings.similarity,
    }


def _tenor_settings(
    settings: ModelFolder, print_: str, made: Mapping[str, Any], tasks: Mapping[str, TrainedTask]
) -> dict[str, Any]:
    told = {
        "format": FORMAT,
        "tenor": VERSION,
        "fingerprint": print_,
        "pooling": str(settings.pooling),
        "normalize": settings.normalize,
        "max_tokens": settings.max_tokens,
        "opens_in_sentence_transformers": settings.opens_in_sentence_transformers,
        "made": dict(made),
    }
    return told | ({"tasks": {name: task.to_json() for name, task in tasks.items()}} if tasks else {})
