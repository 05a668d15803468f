"""The training settings of recipes, every one named: later changes of defaults reach no published result."""

from typing import Any

from tenor.training.config import TrainingConfig

FIXED: dict[str, Any] = {
    "epochs": 10,
    "steps": None,
    "micro_batch_tokens": 4096,
    "task_sampling": "joint",
    "epoch_end": "longest",
    "examples_per_epoch": None,
    "temperature": 2.0,
    "bucket_batches": 0,
    "encoder_lr": 1e-5,
    "head_lr": 1e-3,
    "optimizer": "adamw",
    "weight_decay": 0.01,
    "layer_decay": 1.0,
    "freeze": "none",
    "freeze_first": 0,
    "train_last": None,
    "fit_heads": "never",
    "schedule": "linear",
    "warmup": 0.1,
    "plateau_patience": 1,
    "plateau_factor": 0.5,
    "max_grad_norm": 1.0,
    "dropout": None,
    "gradient_balancing": "none",
    "loss_weighting": "fixed",
    "eval_steps": 0,
    "ema": 0.0,
    "eval_on_start": False,
    "monitor": "mean",
    "patience": 0,
    "checkpoint_steps": 0,
    "checkpoint_minutes": 5.0,
    "precision": "auto",
}
POOLING = "mean"
"""How recipes pool the vectors of tokens unless they say otherwise."""


def fixed_training(**settings: Any) -> TrainingConfig:
    """Return training settings in which nothing is left to a default.

    >>> fixed_training(epochs=2).head_lr
    0.001
    """
    return TrainingConfig(**FIXED | settings)
