"""The README.md of a model folder: what it is, what it gives, how to open it."""

import shlex
from collections.abc import Mapping

from tenor.encoders.layout import OWN_MODULE
from tenor.model.folder import ModelFolder
from tenor.model.heads import TrainedTask
from tenor.report.tables import markdown_text

_CARD = """---
library_name: {library}
pipeline_tag: sentence-similarity
tags: [sentence-transformers, tenor]
---

# {name}

Turns a text into a vector of {width} dimensions that keeps its meaning.

| | |
| --- | --- |
| vector | {width} numbers{length} |
| longest text | {limit} |
| pooling | {pooling} |
| prompts | {prompts} |
| made from | {source} |
| fingerprint | `{fingerprint}` |

```python
import tenor

model = tenor.load("path/to/{name}")
vectors = model.encode(["A man eats.", "Somebody dines."])
```

{tasks}{elsewhere}
"""

_TASKS = """## Tasks

| task | kind | gives | dev scores |
| --- | --- | --- | --- |
{rows}

```
{command}
```

"""

_PHRASES = """## Phrases

The folder has a classifier of phrases too, which says how each phrase is related to its counterpart:

```
tenor compare "A text." "Another text." --model path/to/{name}
```

"""

_OPENS = """The folder also opens in sentence-transformers, with the same vectors (in fp32, to rounding):

```python
from sentence_transformers import SentenceTransformer

vectors = SentenceTransformer("path/to/{name}").encode(["A man eats.", "Somebody dines."])
```"""

_UNKNOWN = """

There, tokens that the vocabulary does not know count in the mean; here they do not, as in model2vec."""

_OTHER_POOLING = """sentence-transformers does not have the pooling `{pooling}` and refuses this folder.
`transformers` opens the encoder in it."""

_OTHER_ENCODER = """sentence-transformers does not have `{model_type}` encoders with the pooling
`{pooling}` and refuses this folder."""


def model_card(
    settings: ModelFolder,
    *,
    width: int,
    name: str,
    source: str,
    fingerprint: str,
    tasks: Mapping[str, TrainedTask],
    phrases: bool = False,
) -> str:
    """Write the card of a model that is about to be saved under a name."""
    opens = settings.opens_in_sentence_transformers
    limit = "no limit" if settings.max_tokens is None else f"{settings.max_tokens} tokens; the rest is cut"
    prompts = ", ".join(f"{_cell(key)}: {_cell(repr(text))}" for key, text in settings.prompts.items())
    return _CARD.format(
        library="sentence-transformers" if opens else "tenor",
        name=name,
        width=width,
        length=", of length 1" if settings.normalize else "",
        limit=limit,
        pooling=settings.pooling,
        prompts=prompts or "none",
        source=_cell(source),
        fingerprint=fingerprint,
        tasks=_tasks(tasks, name) + (_PHRASES.format(name=name) if phrases else ""),
        elsewhere=_elsewhere(settings).format(
            name=name, pooling=settings.pooling, model_type=settings.model_type
        ),
    )


def _elsewhere(settings: ModelFolder) -> str:
    """Say whether sentence-transformers opens the folder, and with which vectors."""
    if settings.opens_in_sentence_transformers:
        return _OPENS + (_UNKNOWN if settings.type.averages else "")
    return _OTHER_ENCODER if settings.module == OWN_MODULE else _OTHER_POOLING


def _tasks(tasks: Mapping[str, TrainedTask], name: str) -> str:
    if not tasks:
        return ""
    rows = [
        f"| {_cell(task.name)} | {task.spec.kind} | {_cell(task.spec.gives)} | {_scores(task)} |"
        for task in tasks.values()
    ]
    return _TASKS.format(rows="\n".join(rows), command=_command(tasks, name))


def _command(tasks: Mapping[str, TrainedTask], name: str) -> str:
    """Return a command that one of the tasks answers."""
    specs = {task.name: task.spec for task in tasks.values() if task.spec.answers_rows}
    if any(spec.answers_words for spec in specs.values()):
        return f"tenor tag texts.txt --model path/to/{name}"
    if any(spec.texts == 1 for spec in specs.values()):
        return f"tenor classify texts.txt --model path/to/{name}"
    if specs:
        return (
            f"tenor classify pairs.tsv --task {shlex.quote(_cell(next(iter(specs))))} --model path/to/{name}"
        )
    return f"tenor embed texts.txt --out vectors.npy --model path/to/{name}"


def _scores(task: TrainedTask) -> str:
    numbers = {name: value for name, value in task.scores.items() if isinstance(value, int | float)}
    return _cell(", ".join(f"{name} {value:.3f}" for name, value in numbers.items())) or "not measured"


def _cell(text: str) -> str:
    """Keep a name from breaking the table, and from being read as HTML."""
    return markdown_text(text)
