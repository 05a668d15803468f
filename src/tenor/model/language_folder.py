"""A pre-trained encoder as a folder, with the head of its language model under the published names.

`transformers` opens it as BertForMaskedLM or BertForPreTraining and, as every other folder, as BertModel; the
decoder's weight is the word embeddings and is not written twice.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from tenor.encoders.bert.checkpoint import BertCheckpoint, named_weights
from tenor.encoders.bert.encoder import BertEncoder
from tenor.encoders.stored import read_stored
from tenor.errors import TenorError
from tenor.model.folder import ModelFolder
from tenor.model.network import Network
from tenor.model.save import new_folder, write_settings
from tenor.tasks.language import KEYS, LanguageTask
from tenor.tensors import Stored

_PREFIX = "bert."  # of encoders that stand beside a head


def save_language_model(
    network: Network,
    settings: ModelFolder,
    folder: str | Path,
    *,
    name: str,
    made: Mapping[str, Any] | None = None,
) -> Path:
    """Write the encoder and the language model's head of a network to a new folder."""
    encoder = network.encoder
    tasks = [task for task in network.tasks.values() if isinstance(task, LanguageTask)]
    if not isinstance(encoder, BertEncoder) or len(tasks) != 1:
        raise TenorError("A language model is a BERT encoder with one language task.")
    head = {
        key: Stored("F32", value.detach().float().cpu().contiguous().numpy())
        for key, value in tasks[0].published_weights().items()
    }
    keys = {_PREFIX + name: name for name in named_weights(encoder)}
    with new_folder(folder) as aside:
        BertCheckpoint(encoder, keys=keys, rest=head).save(aside)
        told = {"how": "pre-trained", "from": name, **(made or {})}
        width = encoder.config.width * len(settings.pooling.kinds)
        write_settings(aside, settings, width=width, name=Path(folder).name, made=told, tasks={})
    return Path(folder)


@torch.no_grad()
def load_language_head(task: LanguageTask, folder: str | Path) -> bool:
    """Give a task the head that a folder's checkpoint carries, and say whether there was one."""
    stored = read_stored(folder)
    own = task.state_dict()
    wanted = {key: name for key, name in KEYS.items() if name in own}
    if not any(key in stored for key in wanted):
        return False
    for key, name in wanted.items():
        if key not in stored or stored[key].shape != tuple(own[name].shape):
            raise TenorError(f"{folder}: {key!r} is missing or of another shape than the encoder asks for.")
        own[name].copy_(torch.from_numpy(stored[key].to_float32().copy()))
    return True
