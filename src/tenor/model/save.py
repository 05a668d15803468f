"""Writing a model folder in the layout of sentence-transformers.

The encoder's files are copied byte for byte, so that what was loaded is what is saved. A pooling that
sentence-transformers knows is written in the keys that all its versions read. Any other is written under our
own name, which makes that library stop with an error: without ``modules.json`` it would silently take the
mean.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenor.encoders.stored import SAFETENSORS, SAFETENSORS_INDEX, read_stored, weight_files, write_safetensors
from tenor.errors import TenorError
from tenor.files import atomic_folder, write_json
from tenor.model.card import model_card
from tenor.model.fingerprint import fingerprint
from tenor.model.folder import FORMAT, LIMIT, MODULES, SETTINGS, ST_KEYS, ST_POOLINGS, TENOR, ModelFolder
from tenor.model.heads import TrainedTask, write_heads
from tenor.model.phrases import PHRASES, write_phrases
from tenor.version import VERSION

if TYPE_CHECKING:
    from tenor.model.model import Model

_COPIED = (
    "config.json", "tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json",
)  # fmt: skip
_MODULE = "sentence_transformers.models."  # The oldest spelling, which every version understands.


def save_model(model: "Model", folder: Path) -> None:
    """Write a model to a new folder; it appears under its name only when it is whole."""
    made = {"how": "saved", "from": Path(model.name).name}
    with new_folder(folder) as aside:
        _copy_encoder(model.settings.encoder, aside)
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
    for file in _COPIED:
        if (settings.encoder / file).is_file() and not (aside / file).exists():
            shutil.copyfile(settings.encoder / file, aside / file)
    _write_modules(settings, width, aside)
    if settings.max_tokens is not None:
        write_json(aside / LIMIT, {"max_seq_length": settings.max_tokens, "do_lower_case": settings.lower})
    write_json(aside / SETTINGS, _st_settings(settings))
    print_ = fingerprint(replace(settings, encoder=aside), weight_files(aside))
    write_json(aside / TENOR, _tenor_settings(settings, print_, made, tasks))
    source = str(made.get("from", ""))
    card = model_card(
        settings, width=width, name=name, source=source, fingerprint=print_, tasks=tasks,
        phrases=(aside / PHRASES).is_file(),
    )  # fmt: skip
    (aside / "README.md").write_text(card, encoding="utf-8")


def _copy_encoder(source: Path, target: Path) -> None:
    if (source / SAFETENSORS_INDEX).is_file():
        shutil.copyfile(source / SAFETENSORS_INDEX, target / SAFETENSORS_INDEX)
    weights = weight_files(source)
    if all(path.suffix == ".safetensors" for path in weights):
        for path in weights:
            shutil.copyfile(path, target / path.name)
    else:
        write_safetensors(target / SAFETENSORS, read_stored(source))


def _write_modules(settings: ModelFolder, width: int, target: Path) -> None:
    modules = [("StaticEmbedding" if settings.kind == "static" else "Transformer", "")]
    if settings.kind != "static":
        modules.append(("Pooling", "1_Pooling"))
        (target / "1_Pooling").mkdir()
        write_json(target / "1_Pooling/config.json", _pooling_config(settings, width))
    if settings.normalize:
        modules.append(("Normalize", f"{len(modules)}_Normalize"))
    entries = [
        {"idx": number, "name": str(number), "path": path, "type": _MODULE + kind}
        for number, (kind, path) in enumerate(modules)
    ]
    write_json(target / MODULES, entries)


def _pooling_config(settings: ModelFolder, width: int) -> dict[str, Any]:
    pooling = settings.pooling
    config: dict[str, Any] = {"word_embedding_dimension": width // len(pooling.kinds)}
    if not settings.opens_in_sentence_transformers:
        return config | {"pooling_mode": str(pooling)}
    theirs = {ours: name for name, ours in ST_POOLINGS.items()}
    names = [theirs[kind] for kind in pooling.kinds]
    if names == [name for name in ST_KEYS if name in names]:
        config |= {key: name in names for name, key in ST_KEYS.items()}
    else:  # The old keys cannot say an order; versions that know no other keys stop with an error.
        config["pooling_mode"] = names
    return config if settings.pools_prompt else config | {"include_prompt": False}


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
