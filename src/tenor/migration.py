"""Names that were changed before the first release: what settings are called now, by what they were called.

Folders and results that were written under the old names are read as before, through this table; in a run
file an old name is an error that names the new one.
"""

from collections.abc import Mapping
from typing import Any

# The old name of a setting -> the new one.
RENAMED: Mapping[str, str] = {
    "encoder_rate": "encoder_lr",
    "head_rate": "head_lr",
    "mixing": "task_sampling",
    "weighing": "loss_weighting",
    "gradients": "gradient_balancing",
    "average": "ema",
    "clip": "max_grad_norm",
    "optimiser": "optimizer",
    "bucket": "bucket_batches",
    "tokens_per_pass": "micro_batch_tokens",
    "evaluate_steps": "eval_steps",
    "evaluate_first": "eval_on_start",
    "batch": "batch_size",
    "share": "share_head_with",
    "both_orders": "symmetrize",
    "smoothing": "label_smoothing",
    "mine": "hard_negatives",
    "masking": "mlm_probability",
    "whole_words": "whole_word_masking",
    "fresh": "from_scratch",
    "layers": "num_layers",
    "width": "hidden_size",
    "heads": "num_heads",
    "vocabulary": "vocab_size",
    "positions": "max_positions",
    "lower": "lowercase",
    "hidden": "hidden_size",
    "balanced": "class_weight",
    # Of recipes only:
    "batches": "batch_sizes",
    "rates": "learning_rates",
}
# The old value of a setting, by its new name -> the new value.
_VALUES: Mapping[tuple[str, str], str] = {
    ("kind", "match"): "contrastive",
    ("kind", "language"): "mlm",
    ("encoding", "siamese"): "bi",
    ("encoding", "joint"): "cross",
    ("gradient_balancing", "sum"): "none",
    ("gradient_balancing", "balanced"): "equal_norm",
}
# What was left out of a specification under a default that is another now.
_OLD_DEFAULTS: Mapping[str, Mapping[str, str]] = {"similarity": {"head": "linear", "output": "linear"}}
_OLD_NAMES = {new: old for old, new in RENAMED.items()} | {"hidden_size": "width"}
_OLD_VALUES = {(name, new): old for (name, old), new in _VALUES.items()}


def migrated(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of one task under the names of today.

    >>> migrated({"kind": "match", "share": "other", "labels": ["a"]})
    {'kind': 'contrastive', 'share_head_with': 'other', 'labels': ['a']}
    """
    renamed = {RENAMED.get(name, name): value for name, value in settings.items()}
    if "balanced" in settings:
        renamed["class_weight"] = "balanced" if settings["balanced"] else None
    for name, default in _OLD_DEFAULTS.get(str(renamed.get("kind")), {}).items():
        renamed.setdefault(name, default)
    return {
        name: _VALUES.get((name, value), value) if isinstance(value, str) else value
        for name, value in renamed.items()
    }


def unmigrated(value: Any) -> Any:
    """Return settings under the names that they had before: what the keys of old results were made from.

    >>> unmigrated({"training": {"encoder_lr": 1e-3, "kind": "mlm"}})
    {'training': {'encoder_rate': 0.001, 'kind': 'language'}}
    """
    if isinstance(value, Mapping):
        table = {name: _OLD_VALUES.get((name, each), each) if isinstance(each, str) else unmigrated(each)
                 for name, each in value.items()}  # fmt: skip
        return {_OLD_NAMES.get(name, name): each for name, each in table.items()}
    return [unmigrated(each) for each in value] if isinstance(value, list | tuple) else value


def hint(name: str, known: Mapping[str, Any] | Any) -> str:
    """Say what an old name is called now, where the new one is among those known; else nothing.

    >>> hint("encoder_rate", ["encoder_lr"])
    ' It is called encoder_lr now.'
    """
    new = RENAMED.get(name)
    return f" It is called {new} now." if new is not None and new in known else ""


def value_hint(name: str, value: Any) -> str:
    """Say what an old value of a setting is called now.

    >>> value_hint("kind", "match")
    " It is called 'contrastive' now."
    """
    new = _VALUES.get((name, value)) if isinstance(value, str) else None
    return f" It is called {new!r} now." if new is not None else ""
