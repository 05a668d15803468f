"""BERT checkpoint folders into our encoder and back, tensor by tensor, unchanged.

What the encoder does not use (pre-training and task heads, buffers) is kept as it was read and written back
under the same names, and each weight is written in the format in which it was read. One table gives, for each
canonical name, the parameter of ours that holds it; query, key and value are thirds of one fused matrix.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tenor.encoders.bert.config import CONFIG, BertConfig
from tenor.encoders.bert.encoder import BertEncoder
from tenor.encoders.bert.weights import POOLER, WORDS, Arranged, arrange, weight_shapes
from tenor.encoders.stored import SAFETENSORS, Stored, read_stored, write_safetensors
from tenor.files import write_json

# Canonical name -> our parameter, outside the blocks.
_OUTSIDE: Mapping[str, str] = {
    "embeddings.word_embeddings": "embeddings.words",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
    "pooler.dense": "pooler",
}
# The same inside ``encoder.layer.N`` and our ``blocks.N``; the number is the third of a fused parameter.
_INSIDE: Mapping[str, tuple[str, int | None]] = {
    "attention.self.query": ("attention.qkv", 0),
    "attention.self.key": ("attention.qkv", 1),
    "attention.self.value": ("attention.qkv", 2),
    "attention.output.dense": ("attention.out", None),
    "attention.output.LayerNorm": ("attention_norm", None),
    "intermediate.dense": ("feed_forward.up", None),
    "output.dense": ("feed_forward.down", None),
    "output.LayerNorm": ("feed_forward_norm", None),
}
# Tensors of heads that are, where they are equal, the encoder's own: they must follow it when it is trained.
_TIED: Mapping[str, str] = {"cls.predictions.decoder.weight": WORDS}


def named_weights(encoder: BertEncoder) -> dict[str, Tensor]:
    """List the encoder's weights under their canonical names, as views to be read, masked and written."""
    names = list(weight_shapes(encoder.config))
    if encoder.pooler is None:
        names = [name for name in names if name not in POOLER]
    return {name: _find(encoder, name) for name in names}


@dataclass(frozen=True, slots=True, eq=False)
class BertCheckpoint:
    """An encoder, and what is needed to write its folder as it was.

    >>> import tempfile
    >>> size = {"vocab_size": 50, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
    >>> encoder = BertEncoder(BertConfig(num_hidden_layers=1, **size))
    >>> folder = tempfile.mkdtemp()
    >>> BertCheckpoint(encoder).save(folder)
    >>> BertCheckpoint.load(folder).encoder.config.hidden_size
    8
    """

    encoder: BertEncoder
    keys: Mapping[str, str] = field(default_factory=dict)  # name in the file -> canonical name
    formats: Mapping[str, str] = field(default_factory=dict)  # name in the file -> format
    rest: Mapping[str, Stored] = field(default_factory=dict)  # name in the file -> what the encoder lacks

    @classmethod
    def load(cls, folder: str | Path, *, device: torch.device | str = "cpu") -> "BertCheckpoint":
        """Read a checkpoint folder; the weights are float32 whatever their format on disk."""
        config = BertConfig.load(folder)
        arranged = arrange(read_stored(folder), config, where=folder)
        encoder = _build(config, arranged, torch.device(device))
        keys = {key: name for name, key in arranged.keys.items()}
        keys |= {key: name for key, name in _TIED.items() if _is_tied(arranged, key, name)}
        formats = {key: arranged.tensors[key].format for key in keys}
        rest = {key: arranged.tensors[key] for key in arranged.rest if key not in keys}
        return cls(encoder.eval(), keys, formats, rest)

    def save(self, folder: str | Path, *, keep_formats: bool = True) -> None:
        """Write config.json and model.safetensors, with the names and in the formats that were read.

        ``keep_formats=False`` writes float32, which keeps every digit of an encoder trained since.
        """
        folder = Path(folder)
        weights = named_weights(self.encoder)
        keys = self.keys or {name: name for name in weights}
        formats = self.formats if keep_formats else {}
        tensors = {key: _to_stored(weights[name], formats.get(key, "F32")) for key, name in keys.items()}
        write_safetensors(folder / SAFETENSORS, tensors | dict(self.rest))
        write_json(folder / CONFIG, self.encoder.config.to_json())


def _find(encoder: BertEncoder, name: str) -> Tensor:
    stem, _, ending = name.rpartition(".")
    if stem in _OUTSIDE:
        return encoder.get_parameter(f"{_OUTSIDE[stem]}.{ending}").detach()
    _, _, layer, inside = stem.split(".", 3)
    path, third = _INSIDE[inside]
    parameter = encoder.get_parameter(f"blocks.{layer}.{path}.{ending}").detach()
    if third is None:
        return parameter
    return parameter[third * encoder.config.hidden_size : (third + 1) * encoder.config.hidden_size]


def _build(config: BertConfig, arranged: Arranged, device: torch.device) -> BertEncoder:
    # Built without storage first: drawing random weights only to overwrite them takes longer than reading.
    with torch.device("meta"):
        encoder = BertEncoder(config, pooler=arranged.has_pooler)
    encoder = encoder.to_empty(device="cpu")
    for name, weight in named_weights(encoder).items():
        # Copied by numpy: the file is mapped read-only, and torch has no read-only tensors.
        np.copyto(weight.numpy(), arranged.tensors[arranged.keys[name]].to_float32())
    return encoder.to(device)


def _is_tied(arranged: Arranged, key: str, name: str) -> bool:
    if key not in arranged.tensors:
        return False
    head, own = arranged.tensors[key], arranged.tensors[arranged.keys[name]]
    return head.format == own.format and np.array_equal(head.bits, own.bits)


def _to_stored(weight: Tensor, format_: str) -> Stored:
    kinds = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
    values = weight.cpu().to(kinds[format_])
    return Stored(format_, (values.view(torch.uint16) if format_ == "BF16" else values).numpy())
