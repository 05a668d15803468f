"""Models of the Hugging Face hub, reached only for a name that is written ``hub:NAME``.

The package `huggingface_hub` does the transfer into its own cache, which other programs share; only weights,
JSON and text are taken, never code. When all of it has arrived, a small record in our cache says so, and from
then on the model is used from disk without asking the hub again.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tenor.assets.cache import cache_folder
from tenor.errors import TenorError
from tenor.extras import require
from tenor.files import read_json, write_json, writing

_TAKEN = ["*.json", "*.txt", "*.safetensors"]
# Read later only by torch's weights-only loading, and taken only where there are no safetensors.
_OLD_WEIGHTS = ["pytorch_model.bin", "pytorch_model-*.bin"]
_LEFT = ["onnx/*", "openvino/*", "coreml/*"]
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_PATIENCE = 10.0  # Seconds until a hub that does not answer is given up.


def find_in_hub(name: str, *, force: bool = False) -> Path:
    """Return the folder of a hub model, downloaded unless an earlier download was complete."""
    if not _NAME.fullmatch(name):
        raise TenorError(f"hub:{name} is not a name of a hub model; one looks like hub:owner/model.")
    record = _record_of(name)
    if not force and record.is_file() and (folder := _folder_in(record)):
        return folder
    hub = require("huggingface_hub", extra="hub", purpose=f"hub:{name}")
    folder, commit = _download(hub, name)
    with writing(record):
        record.parent.mkdir(parents=True, exist_ok=True)
    write_json(record, {"name": name, "commit": commit, "folder": str(folder)})
    return folder


def is_on_disk(name: str) -> bool:
    """Whether a name that begins with ``hub:`` was downloaded whole, so that opening it needs no network."""
    name = name.removeprefix("hub:")
    return bool(_NAME.fullmatch(name)) and _folder_in(_record_of(name)) is not None


def models_at_hand() -> Iterator[tuple[str, Path]]:
    """Yield name and folder of the hub models whose download was complete and whose files are still there."""
    for record in sorted((cache_folder() / "hub").glob("*.json")):
        if folder := _folder_in(record):
            yield record.stem.replace("--", "/", 1), folder


def _record_of(name: str) -> Path:
    return cache_folder() / "hub" / (name.replace("/", "--") + ".json")


def _folder_in(record: Path) -> Path | None:
    try:
        content = read_json(record)
    except TenorError:  # A damaged record only means that the hub is asked again.
        return None
    folder = content.get("folder") if isinstance(content, dict) else None
    return Path(folder) if isinstance(folder, str) and Path(folder).is_dir() else None


def _download(hub: Any, name: str) -> tuple[Path, str]:
    """Ask the hub what the model consists of, and transfer the files that we can use."""
    if import_module("huggingface_hub.constants").HF_HUB_OFFLINE:
        raise TenorError(
            f"hub:{name} is not on this machine, and HF_HUB_OFFLINE is set, which forbids downloading it."
        )
    try:
        about = hub.HfApi().model_info(name, timeout=_PATIENCE)
        names = [file.rfilename for file in about.siblings]
        patterns = _TAKEN if any(file.endswith(".safetensors") for file in names) else _TAKEN + _OLD_WEIGHTS
        folder = hub.snapshot_download(
            name, revision=about.sha, allow_patterns=patterns, ignore_patterns=_LEFT, etag_timeout=_PATIENCE
        )
    except (
        Exception
    ) as error:  # The transport below huggingface_hub, and so its errors, change between versions.
        raise TenorError(_why(name, error)) from error
    return Path(folder), about.sha


def _why(name: str, error: Exception) -> str:
    errors = import_module("huggingface_hub.errors")
    if isinstance(error, errors.GatedRepoError):
        return f"hub:{name} is gated: accept its terms on its page and log in."
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"hub:{name} does not exist on the hub, or is private; a name looks like hub:owner/model."
    if getattr(error, "errno", None) == 28:
        return f"hub:{name} cannot be stored: the disk is full."
    said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    return f"hub:{name} cannot be fetched: the hub did not answer ({said}). Check the network and try again."
