"""The README.md of a model folder: what it is, what it gives, how to open it."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenor.model.model import Model

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

{elsewhere}
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


def model_card(model: "Model", *, name: str) -> str:
    """Write the card of a model that is about to be saved under a name."""
    settings = model.settings
    opens = settings.opens_in_sentence_transformers
    limit = "no limit" if settings.max_tokens is None else f"{settings.max_tokens} tokens; the rest is cut"
    elsewhere = (_OPENS if opens else _DOES_NOT_OPEN) + (_UNKNOWN if settings.kind == "static" else "")
    prompts = ", ".join(f"`{key}`: {text!r}" for key, text in settings.prompts.items()) or "none"
    return _CARD.format(
        library="sentence-transformers" if opens else "tenor",
        name=name,
        width=model.width,
        length=", of length 1" if settings.normalize else "",
        limit=limit,
        pooling=settings.pooling,
        prompts=prompts,
        source=Path(model.name).name,
        fingerprint=model.fingerprint,
        elsewhere=elsewhere.format(name=name, pooling=settings.pooling),
    )
