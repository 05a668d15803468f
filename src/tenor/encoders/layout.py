"""The files around an encoder in a model folder, in the layout of sentence-transformers.

``modules.json`` lists what a text goes through: the encoder, its pooling, maybe a normalisation. A pooling
that sentence-transformers knows is written in the keys that all its versions read. Any other is written under
our own name, and an encoder that it does not have under a module of ours: either makes that library stop with
an error, where without ``modules.json`` it would silently take the mean.
"""

from pathlib import Path
from typing import Any

from tenor.files import write_json
from tenor.layers.pooling_config import PoolingConfig

MODULES = "modules.json"
LIMIT = "sentence_bert_config.json"
ST_MODULE = "sentence_transformers.models."  # The oldest spelling, which every version understands.
OWN_MODULE = "tenor.Encoder"  # the encoder is that of config.json's model_type

# sentence-transformers' names of poolings -> ours; the old configuration has one yes-or-no key for each.
ST_POOLINGS = {
    "cls": "cls",
    "max": "max",
    "mean": "mean",
    "mean_sqrt_len_tokens": "mean_sqrt",
    "weightedmean": "weighted_mean",
    "lasttoken": "last_token",
}
ST_KEYS = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}


def in_sentence_transformers(pooling: PoolingConfig) -> bool:
    """Whether sentence-transformers has a pooling.

    >>> [in_sentence_transformers(PoolingConfig.parse(name)) for name in ("mean", "min")]
    [True, False]
    """
    return not pooling.reads_layers and all(kind in ST_POOLINGS.values() for kind in pooling.kinds)


def write_layout(
    folder: Path,
    *,
    module: str,
    pooling: PoolingConfig | None,
    hidden_size: int,
    normalize: bool = False,
    pools_prompt: bool = True,
    max_tokens: int | None = None,
    lower: bool = False,
) -> None:
    """Write ``modules.json`` and what it refers to; an encoder that is a mean has no pooling (None)."""
    modules = [(module if module == OWN_MODULE else ST_MODULE + module, "")]
    if pooling is not None:
        modules.append((f"{ST_MODULE}Pooling", "1_Pooling"))
        (folder / "1_Pooling").mkdir()
        config = _pooling_config(pooling, hidden_size)
        write_json(
            folder / "1_Pooling/config.json", config | ({} if pools_prompt else {"include_prompt": False})
        )
    if normalize:
        modules.append((f"{ST_MODULE}Normalize", f"{len(modules)}_Normalize"))
    entries = [
        {"idx": number, "name": str(number), "path": path, "type": name}
        for number, (name, path) in enumerate(modules)
    ]
    write_json(folder / MODULES, entries)
    if max_tokens is not None:
        write_json(folder / LIMIT, {"max_seq_length": max_tokens, "do_lower_case": lower})


def _pooling_config(pooling: PoolingConfig, hidden_size: int) -> dict[str, Any]:
    config: dict[str, Any] = {"word_embedding_dimension": hidden_size}
    if not in_sentence_transformers(pooling):
        return config | {"pooling_mode": str(pooling)}
    theirs = {ours: name for name, ours in ST_POOLINGS.items()}
    names = [theirs[kind] for kind in pooling.kinds]
    if names == [name for name in ST_KEYS if name in names]:
        config |= {key: name in names for name, key in ST_KEYS.items()}
    else:  # The old keys cannot say an order; versions that know no other keys stop with an error.
        config["pooling_mode"] = names
    return config
