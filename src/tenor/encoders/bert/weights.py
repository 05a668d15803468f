"""The names and shapes of BERT's weights, and reading them as numpy arrays without torch.

Checkpoints differ in their prefix (``bert.`` or none), in LayerNorm's old names (gamma and beta), in what
else they carry (pre-training or task heads, buffers) and in whether they have a pooler. Here they all become
one table of canonical names, checked against the shapes that the config asks for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.bert.config import BertConfig
from tenor.encoders.stored import Stored, read_stored
from tenor.errors import TenorError

PREFIXES = ("", "bert.")
_OLD_ENDINGS = ((".LayerNorm.gamma", ".LayerNorm.weight"), (".LayerNorm.beta", ".LayerNorm.bias"))
WORDS = "embeddings.word_embeddings.weight"
POOLER = ("pooler.dense.weight", "pooler.dense.bias")


def weight_shapes(config: BertConfig) -> dict[str, tuple[int, ...]]:
    """List every weight that the config asks for, pooler included: canonical name -> shape."""
    d, hidden = config.hidden_size, config.intermediate_size
    shapes: dict[str, tuple[int, ...]] = {
        WORDS: (config.vocab_size, d),
        "embeddings.position_embeddings.weight": (config.max_position_embeddings, d),
        "embeddings.token_type_embeddings.weight": (config.type_vocab_size, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    linears = {
        "attention.self.query": (d, d),
        "attention.self.key": (d, d),
        "attention.self.value": (d, d),
        "attention.output.dense": (d, d),
        "intermediate.dense": (hidden, d),
        "output.dense": (d, hidden),
    }
    for layer in range(config.num_hidden_layers):
        block = f"encoder.layer.{layer}"
        for name, shape in linears.items():
            shapes[f"{block}.{name}.weight"] = shape
            shapes[f"{block}.{name}.bias"] = shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{block}.{name}.weight"] = (d,)
            shapes[f"{block}.{name}.bias"] = (d,)
    return shapes | {POOLER[0]: (d, d), POOLER[1]: (d,)}


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """A checkpoint's tensors, sorted into the encoder's weights and the rest."""

    tensors: Mapping[str, Stored]  # everything, under the names of the file, in its order
    keys: Mapping[str, str]  # canonical name -> name in the file

    @property
    def has_pooler(self) -> bool:
        """Whether the checkpoint has the pooler's two weights."""
        return all(name in self.keys for name in POOLER)

    @property
    def rest(self) -> list[str]:
        """Names, in the file, of what is not the encoder's: heads and buffers."""
        used = set(self.keys.values())
        return [name for name in self.tensors if name not in used]


def arrange(tensors: Mapping[str, Stored], config: BertConfig, *, where: str | Path) -> Arranged:
    """Find the encoder's weights among a checkpoint's tensors and check their shapes."""
    prefix = _find_prefix(tensors, where)
    expected = weight_shapes(config)
    keys: dict[str, str] = {}
    for name in tensors:
        canonical = _modern(name[len(prefix) :]) if name.startswith(prefix) else name
        if canonical in expected:
            if canonical in keys:
                raise TenorError(
                    f"{where} holds {canonical!r} twice, as {keys[canonical]!r} and as {name!r}."
                )
            keys[canonical] = name
        else:
            _refuse_surplus(canonical, name, config, where)
    missing = [name for name in expected if name not in keys and name not in POOLER]
    missing += [name for name in POOLER if name not in keys and any(other in keys for other in POOLER)]
    if missing:
        raise TenorError(
            f"{where} lacks {_count(missing)} that its config.json asks for; fetch the whole checkpoint, or "
            "correct config.json (number of layers, sizes)."
        )
    for canonical, name in keys.items():
        _check_tensor(tensors[name], expected[canonical], f"{where}: {name!r}")
    return Arranged(dict(tensors), keys)


def read_tensors(folder: str | Path) -> dict[str, NDArray[np.float32]]:
    """Read a BERT-shaped checkpoint folder: canonical name -> float32 array, all there, of the right shape.

    The pooler's two names are there only if the checkpoint has a pooler. Arrays of a float32 safetensors file
    are read-only views of the mapped file, so nothing is copied; only ``pytorch_model.bin`` imports torch.
    """
    arranged = arrange(read_stored(folder), BertConfig.load(folder), where=folder)
    return {name: arranged.tensors[key].to_float32() for name, key in arranged.keys.items()}


def _find_prefix(tensors: Iterable[str], where: str | Path) -> str:
    names = set(tensors)
    for prefix in PREFIXES:
        if prefix + WORDS in names:
            return prefix
    shown = ", ".join(repr(name) for name in sorted(names)[:3]) or "none"
    raise TenorError(
        f"{where} holds no BERT weights: {WORDS!r} is missing, with or without the prefix 'bert.' "
        f"(its first of {len(names)} tensors: {shown})."
    )


def _modern(name: str) -> str:
    for old, new in _OLD_ENDINGS:
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name


def _refuse_surplus(canonical: str, name: str, config: BertConfig, where: str | Path) -> None:
    """Refuse weights inside the encoder that the config does not know; heads and buffers may stay."""
    if canonical.startswith("encoder.") or (
        canonical.startswith("embeddings.") and not canonical.endswith(("position_ids", "token_type_ids"))
    ):
        raise TenorError(
            f"{where} holds {name!r}, which a BERT of {config.num_hidden_layers} layers does not have: "
            "config.json does not fit the weights, or the checkpoint is not BERT-shaped."
        )


def _check_tensor(tensor: Stored, shape: tuple[int, ...], where: str) -> None:
    if tensor.shape != shape:
        raise TenorError(
            f"{where} has the shape {list(tensor.shape)}, but config.json asks for {list(shape)}; the two "
            "files belong to different models."
        )
    if tensor.format not in ("F32", "F16", "BF16"):
        raise TenorError(f"{where} is stored as {tensor.format}; weights are read from F32, F16 or BF16.")


def _count(names: list[str]) -> str:
    shown = repr(names[0])
    return shown if len(names) == 1 else f"{len(names)} tensors, first {shown},"
