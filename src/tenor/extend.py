"""All that a kind of task, an encoder, an objective or a learner of one's own is made from.

A module of one's own imports these, defines its classes and registers them; from then on run files, folders,
commands and the server of this process know them. ``tests/test_open_house.py`` has one of each.
"""

from tenor.encoders.embedded.config import EmbeddedConfig
from tenor.encoders.embedded.encoder import EmbeddedEncoder
from tenor.encoders.embedded.encoder_type import EmbeddedType
from tenor.encoders.embedded.from_scratch import EmbeddedFromScratch
from tenor.encoders.encoder import Encoder, States
from tenor.encoders.encoder_type import EncoderType
from tenor.encoders.from_scratch import FromScratch
from tenor.encoders.table import register as register_encoder
from tenor.layers.attention_pooling import AttentionPooling
from tenor.layers.attention_pooling import register as register_learned_pooling
from tenor.layers.packed import PackedBatch, Packing
from tenor.layers.pooling import register as register_pooling
from tenor.metrics.intervals import Interval
from tenor.metrics.of_sums import scores_of_sums
from tenor.model.feature_map import FeatureMap
from tenor.model.network import Adapter
from tenor.model.predictor import Predictor
from tenor.objectives.objective import ForwardPass, Objective, Step
from tenor.objectives.table import register as register_objective
from tenor.tasks.answer import Answer, LabelAnswer, ScoreAnswer
from tenor.tasks.config import HeadConfig, TableConfig, TaskConfig
from tenor.tasks.kind import Kind, row_of
from tenor.tasks.spec import TaskSpec
from tenor.tasks.table import register as register_kind
from tenor.tasks.task import EncoderOutput, Metric, Reads, Task, TaskBatch, TaskData
from tenor.tasks.texts.kind import TextKind
from tenor.tasks.texts.spec import TextSpec, settled
from tenor.tasks.texts.task import TextTask
from tenor.text.examples import Origin, Pair, Sentence
from tenor.text.problems import Problems
from tenor.text.ragged import Ragged
from tenor.training.callbacks import Callback
from tenor.training.learner import Evaluation, Learner, StepContext
from tenor.training.sampling import Sampler
from tenor.training.sampling import register as register_sampler
from tenor.training.schedules import register as register_schedule

__all__ = [
    "Adapter", "Answer", "AttentionPooling", "Callback", "EmbeddedConfig", "EmbeddedEncoder",
    "EmbeddedFromScratch", "EmbeddedType", "Encoder", "EncoderOutput", "EncoderType", "Evaluation",
    "FeatureMap", "ForwardPass", "FromScratch", "HeadConfig", "Interval", "Kind", "LabelAnswer", "Learner",
    "Metric", "Objective", "Origin",
    "PackedBatch", "Packing", "Pair", "Predictor", "Problems", "Ragged", "Reads", "Sampler", "ScoreAnswer",
    "Sentence", "States", "Step", "StepContext", "TableConfig", "Task", "TaskBatch", "TaskConfig",
    "TaskData", "TaskSpec", "TextKind", "TextSpec", "TextTask", "register_encoder", "register_kind",
    "register_learned_pooling", "register_objective", "register_pooling", "register_sampler",
    "register_schedule", "row_of", "scores_of_sums", "settled",
]  # fmt: skip
