"""What a paraphrase stage leaves behind: a plain encoder folder, on request with the two classifiers.

The encoder's weights keep the names of the checkpoint that the stage began with, and nothing else is in the
file: neither the stage's heads nor those that the checkpoint may have had, which no longer fit. The pooler is
not trained by the stage and is written as it was, since fine-tuning begins with it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tenor.model.folder import ModelFolder
from tenor.model.heads import TrainedTask, write_heads
from tenor.model.network import Network
from tenor.model.phrases import PhraseClassifier, write_phrases
from tenor.model.save import new_folder, write_settings
from tenor.tasks.phrases.task import PhrasesTask

SENTENCES = "paraphrase"  # the name of the sentential classifier among a model's tasks


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
    stages = [task for task in network.tasks.values() if isinstance(task, PhrasesTask)]
    tasks: dict[str, TrainedTask] = {}
    with new_folder(folder) as aside:
        settings.type.save_plain(network.encoder, aside, source=settings.encoder)
        for stage in stages if heads else ():
            if stage.sentences is not None:
                tasks[SENTENCES] = TrainedTask(SENTENCES, *stage.sentences.as_task(), dict(scores or {}))
            if stage.phrases is not None:
                own = PhraseClassifier(stage.phrases.spec, stage.phrases.weights(), dict(scores or {}))
                write_phrases(aside, own)
        if tasks:
            write_heads(aside, tasks)
        told = {"how": "paraphrase stage", "from": name, **(made or {})}
        write_settings(aside, settings, width=network.size, name=Path(folder).name, made=told, tasks=tasks)
    return Path(folder)
