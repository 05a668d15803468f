"""Heads that come with Tenor for the starter encoder: sentiment, paraphrase and similarity, ready at once.

They hold for the very weights, tokenizer and pooling that they were trained on, which the fingerprint names,
under whatever name or folder these are opened. ``bench/starter_heads.py`` made them; ``scores`` and ``made``
in ``heads/minilm.json`` say from what, and how good they are on rows that were never trained on.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tenor.files import read_json
from tenor.model.heads import TrainedTask, tasks_from

if TYPE_CHECKING:
    from tenor.model.model import Model

STARTERS: Mapping[str, str] = {
    "3610388320e5bccc8e9bd1a8d1ebee3e1d84eca791adf39ae7e4b8e283e0bf38": "minilm",
}
FOLDER = Path(__file__).parent / "starter_heads"


def starter_tasks(model: "Model") -> dict[str, TrainedTask]:
    """Return the heads that were trained for a model's very vectors; none for any other model."""
    name = STARTERS.get(model.fingerprint)
    told = FOLDER / f"{name}.json"
    if name is None or not told.is_file():
        return {}
    tasks = read_json(told)["tasks"]
    heads = FOLDER / f"{name}.safetensors"
    return tasks_from(tasks, told, heads, width=model.width, pooling=model.settings.pooling)
