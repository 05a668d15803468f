"""What makes two models give the same vectors, as one short text.

The fingerprint covers the encoder's settings, its weights, the tokenizer's files, pooling, normalising, the
length limit and the prompts. Files of vectors and indexes record it, so that vectors of different models
never meet.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tenor.assets.cache import sha256_of
from tenor.assets.untouched import remembered
from tenor.errors import TenorError
from tenor.files import why
from tenor.model.folder import ModelFolder


def fingerprint(settings: ModelFolder, *, digests: Mapping[str, str] | None = None) -> str:
    """Return the sha256 of everything that decides a model's vectors, except the precision.

    ``digests`` stand for the files of an encoder that has none.
    """
    told: dict[str, Any] = {
        "files": settings.type.digests(settings.encoder, _digest) if digests is None else dict(digests),
        "pooling": str(settings.pooling),
        "normalize": settings.normalize,
        "max_tokens": settings.max_tokens,
        "lower": settings.lower,
    }
    # An empty prompt is no prompt: sentence-transformers writes some into every folder that it saves.
    if prompts := {name: text for name, text in settings.prompts.items() if text}:
        told["prompts"] = prompts
        told["default_prompt"] = prompts.get(settings.default_prompt or "")
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _digest(path: Path) -> str:
    """Return a file's sha256, remembered while the file is untouched: big weights take long to read."""
    try:
        if path.stat().st_size < 1 << 20:
            return sha256_of(path)
        return remembered([path], what="sha256", find_out=lambda: sha256_of(path))
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
