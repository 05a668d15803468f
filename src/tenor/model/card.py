"""The README.md of a model folder: what it is, what it gives, how to open it."""

import shlex
from collections.abc import Mapping

from tenor.model.folder import ModelFolder
from tenor.model.heads import TrainedTask

_CARD = """---
library_name: {library}
pipeline_tag: sentence-similarity
tags: [sentence-transformers, tenor]
---

# {name}

Turns a text into {width} numbers that keep its meaning.

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

_DOES_NOT_OPEN = """sentence-transformers does not have the pooling `{pooling}` and refuses this folder.
`transformers` opens the encoder in it."""


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
    elsewhere = (_OPENS if opens else _DOES_NOT_OPEN) + (_UNKNOWN if settings.kind == "static" else "")
    prompts = ", ".join(f"`{key}`: {text!r}" for key, text in settings.prompts.items()) or "none"
    return _CARD.format(
        library="sentence-transformers" if opens else "tenor",
        name=name,
        width=width,
        length=", of length 1" if settings.normalize else "",
        limit=limit,
        pooling=settings.pooling,
        prompts=prompts,
        source=source,
        fingerprint=fingerprint,
        tasks=_tasks(tasks, name) + (_PHRASES.format(name=name) if phrases else ""),
        elsewhere=elsewhere.format(name=name, pooling=settings.pooling),
    )


def _tasks(tasks: Mapping[str, TrainedTask], name: str) -> str:
    if not tasks:
        return ""
    rows = [
        f"| {_cell(task.name)} | {task.spec.kind} | {_gives(task)} | {_scores(task)} |"
        for task in tasks.values()
    ]
    return _TASKS.format(rows="\n".join(rows), command=_command(tasks, name))


def _command(tasks: Mapping[str, TrainedTask], name: str) -> str:
    """Return a command that one of the tasks answers."""
    kinds = {task.name: task.spec.kind for task in tasks.values()}
    if "classify" in kinds.values():
        return f"tenor classify texts.txt --model path/to/{name}"
    pairs = [task for task, kind in kinds.items() if kind != "match"]
    if pairs:
        return f"tenor classify pairs.tsv --task {shlex.quote(_cell(pairs[0]))} --model path/to/{name}"
    return f"tenor embed texts.txt --out vectors.npy --model path/to/{name}"


def _gives(task: TrainedTask) -> str:
    spec = task.spec
    if spec.kind == "match":
        return "vectors near each other for texts that belong together"
    if spec.kind == "similarity":
        return f"a score from {spec.range[0]:g} to {spec.range[1]:g}"
    return _cell(", ".join(spec.labels[:20]) + (", …" if len(spec.labels) > 20 else ""))


def _scores(task: TrainedTask) -> str:
    numbers = {name: value for name, value in task.scores.items() if isinstance(value, int | float)}
    return _cell(", ".join(f"{name} {value:.3f}" for name, value in numbers.items())) or "not measured"


def _cell(text: str) -> str:
    """Keep a name from breaking the table."""
    return " ".join(text.replace("|", "\\|").split())
