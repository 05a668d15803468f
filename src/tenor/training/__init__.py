"""Run files: what is to be trained on what, checked before any training."""

from tenor.training.config import RunConfig, TrainingConfig
from tenor.training.runfile import read_run

__all__ = ["RunConfig", "TrainingConfig", "read_run"]
