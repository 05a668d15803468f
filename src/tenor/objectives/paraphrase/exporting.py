"""What a paraphrase stage leaves behind: a plain encoder folder, on request with the two classifiers.

The encoder's weights keep the names of the checkpoint that the stage began with, and nothing else is in the
file: neither the stage's heads nor those that the checkpoint may have had, which no longer fit. The pooler is
not trained by the stage and is written as it was, since fine-tuning begins with it.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.encoders.bert.config import CONFIG
from tenor.encoders.bert.encoder import BertEncoder
from tenor.encoders.bert.weights import weight_shapes
from tenor.errors import TenorError
from tenor.files import read_json, write_json
from tenor.model.folder import ModelFolder
from tenor.model.heads import TrainedTask, write_heads
from tenor.model.network import Network
from tenor.model.phrases import PhraseClassifier, write_phrases
from tenor.model.save import new_folder, write_settings
from tenor.objectives.paraphrase.stage import ParaphraseTask

SENTENCES = "paraphrase"  # the name of the sentential classifier among a model's tasks
_BUFFER = "position_ids"


def export_encoder(
    network: Network,
    settings: ModelFolder,
    folder: str | Path,
    *,
    name: str,
    heads: bool = False,
    scores: Mapping[str, Any] | None = None,
    made: Mapping[str, Any] | None = None,
) -> Path:
    """Write the encoder of a network to a new folder; ``settings`` are those of the folder it came from.

    With ``heads`` the sentential classifier becomes the task "paraphrase" of the model, and the phrasal one
    stands beside it for explanations.
    """
    if not isinstance(network.encoder, BertEncoder):
        raise TenorError("Only a BERT encoder can be written as a model folder.")
    stages = [task for task in network.tasks.values() if isinstance(task, ParaphraseTask)]
    tasks: dict[str, TrainedTask] = {}
    with new_folder(folder) as aside:
        _plain(BertCheckpoint.load(settings.encoder), network.encoder).save(aside, keep_formats=False)
        # A name of a model with heads would make transformers add some of random weights.
        write_json(aside / CONFIG, read_json(aside / CONFIG) | {"architectures": ["BertModel"]})
        for stage in stages if heads else ():
            if stage.sentences is not None:
                tasks[SENTENCES] = TrainedTask(SENTENCES, *stage.sentences.as_task(), dict(scores or {}))
            if stage.phrases is not None:
                own = PhraseClassifier(stage.phrases.spec, stage.phrases.weights(), dict(scores or {}))
                write_phrases(aside, own)
        if tasks:
            write_heads(aside, tasks)
        told = {"how": "paraphrase stage", "from": name, **(made or {})}
        width = network.encoder.config.width * len(settings.pooling.kinds)
        write_settings(aside, settings, width=width, name=Path(folder).name, made=told, tasks=tasks)
    return Path(folder)


def _plain(original: BertCheckpoint, encoder: BertEncoder) -> BertCheckpoint:
    """Return the checkpoint with another encoder, and without any head."""
    own = weight_shapes(encoder.config)
    keys = {key: name for key, name in original.keys.items() if name in own and not key.startswith("cls.")}
    rest = {key: value for key, value in original.rest.items() if key.endswith(_BUFFER)}
    return replace(original, encoder=encoder, keys=keys, rest=rest)
