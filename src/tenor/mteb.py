"""Tenor's models in MTEB, the benchmark of text embeddings: an encoder as its library asks for one.

The library (``pip install 'tenor[mteb]'``) brings the tasks and the scores; :class:`MtebEncoder` is what it
evaluates::

    import mteb
    from tenor.mteb import MtebEncoder

    mteb.evaluate(MtebEncoder("minilm"), mteb.get_tasks(tasks=["STS12"]))
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tenor.encoders.engine import Floats
from tenor.extras import require
from tenor.model.given import ModelLike
from tenor.model.loading import load
from tenor.model.model import Model

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["MtebEncoder"]


class MtebEncoder:
    """A model under the ``EncoderProtocol`` of mteb.

    Queries and documents get the model's prompts for them, unless it has one for the task: a prompt called
    as the task or its type, alone or with ``-query`` or ``-document``, as in sentence-transformers' folders.
    """

    def __init__(
        self, model: ModelLike, revision: str | None = None, *, device: str | None = None, **settings: Any
    ) -> None:
        """Open a model by name or folder, or take one; ``settings`` are those of :func:`tenor.load`."""
        require("mteb", extra="mteb", purpose="Evaluating a model by MTEB")
        if not isinstance(model, Model):
            model = load(model, device=device or "auto", **settings)
        self.model: Model = model
        self._revision = revision

    @cached_property
    def mteb_model_meta(self) -> Any:
        """What results are filed under: the model's name, and its fingerprint as the revision."""
        from mteb.models.model_meta import ModelMeta, ScoringFunction

        model, function = self.model, self.model.similarity_fn_name
        known = {"cosine": "cosine", "dot": "dot"}.get(function)
        return ModelMeta.create_empty(
            overwrites={
                "name": f"tenor/{Path(model.name).name}",
                "revision": self._revision or model.fingerprint[:40],
                "loader": MtebEncoder,
                "max_tokens": model.max_tokens,
                "embed_dim": model.width,
                "open_weights": True,
                "similarity_fn_name": ScoringFunction(known) if known else None,
                "use_instructions": bool(model.prompts),
            }
        )

    def encode(
        self,
        inputs: Iterable[Mapping[str, Any]],
        *,
        task_metadata: Any,
        hf_split: str = "",
        hf_subset: str = "",
        prompt_type: Any = None,
        batch_size: int | None = None,
        show_progress_bar: bool = False,
        **kwargs: Any,
    ) -> Floats:
        """Encode batches of texts, as mteb's loaders give them, to vectors [n, width].

        ``batch_size`` and further options of mteb are not used: batches are cut by tokens.
        """
        texts = [text for batch in inputs for text in batch["text"]]
        name = self._prompt_name(task_metadata, prompt_type)
        encode = self.model.encode
        if name is None and prompt_type is not None:
            encode = self.model.encode_query if prompt_type == "query" else self.model.encode_document  # type: ignore[assignment]
        return np.asarray(encode(texts, prompt_name=name, show_progress_bar=show_progress_bar))

    def similarity(self, embeddings1: Any, embeddings2: Any) -> "Tensor":
        """Compare all vectors of two arrays or tensors [n, m]."""
        return _tensor(self.model.similarity(embeddings1, embeddings2))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> "Tensor":
        """Compare the vectors in the same rows of two arrays or tensors [n]."""
        return _tensor(self.model.similarity_pairwise(embeddings1, embeddings2))

    def _prompt_name(self, task: Any, prompt_type: Any) -> str | None:
        """Return the most particular prompt that the model has for a task, in the order of mteb."""
        side = "" if prompt_type is None else f"-{prompt_type.value}"
        names = (f"{task.name}{side}", task.name, f"{task.type}{side}", task.type)
        return next((name for name in names if name in self.model.prompts), None)


def _tensor(scores: Any) -> "Tensor":
    import torch

    return torch.as_tensor(scores)
