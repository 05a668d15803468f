"""Masked language modelling: hidden tokens of texts are guessed; what an encoder is pre-trained by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.metrics.intervals import Interval
from tenor.metrics.of_sums import scores_of_sums
from tenor.tasks.config import TableConfig, check_choice
from tenor.tasks.mlm.masking import SELECTIONS, MaskingConfig, Selection
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.kind import TextKind
from tenor.tasks.texts.sharing import check_share

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task


@dataclass(frozen=True, kw_only=True)
class MlmConfig(TableConfig):
    """The settings of an ``mlm`` task; a file without columns has a text a line."""

    kind: str = "mlm"
    mlm_probability: float | None = None
    """The part of the tokens that is hidden. Default: 0.15."""
    mlm_selection: Selection | None = None
    """Which tokens are hidden in training: uniform, all with the same probability; inverse_sqrt_frequency,
    rare ones more often (Wu & Dredze, 2020). On dev always uniform. Default: uniform."""
    whole_word_masking: bool | None = None
    """Whether all pieces of a word are hidden together. Default: false."""
    next_sentence: bool | None = None
    """Whether it is also predicted if a text follows another in the file. Default: false."""
    share_head_with: str | None = None
    """The name of another ``mlm`` task whose head this one uses: a task for each language, one head."""

    optional_roles: ClassVar[tuple[str, ...]] = ("text",)
    metrics: ClassVar[tuple[str, ...]] = ("perplexity",)

    def check(self) -> None:
        """Refuse a probability that hides all or nothing."""
        super().check()
        if self.mlm_probability is not None and not 0 < self.mlm_probability < 1:
            raise TenorError(f"mlm_probability is {self.mlm_probability}; it must be above 0 and below 1.")
        if self.mlm_selection is not None:
            check_choice(self, "mlm_selection", SELECTIONS)
        if self.whole_word_masking and self.mlm_selection not in (None, "uniform"):
            raise TenorError(
                f"mlm_selection is {self.mlm_selection!r}, which chooses single tokens; leave out "
                "whole_word_masking."
            )


@dataclass(frozen=True, kw_only=True)
class MlmSpec(TaskSpec):
    """What is guessed; predictions are counts per text: hidden tokens, their loss, how many right."""

    metric: str = "perplexity"
    mlm_probability: float = 0.15
    mlm_selection: Selection = "uniform"
    whole_word_masking: bool = False
    next_sentence: bool = False
    share_head_with: str | None = None
    seed: int = 1
    """Of what is hidden on dev."""

    kind: ClassVar[str] = "mlm"
    answers_rows: ClassVar[bool] = False

    @property
    def shares_head_of(self) -> str | None:
        """The task whose head this one uses."""
        return self.share_head_with

    @property
    def masking(self) -> MaskingConfig:
        """How tokens are hidden."""
        return MaskingConfig(probability=self.mlm_probability, whole_word_masking=self.whole_word_masking)

    def wrong(self) -> str | None:
        """Say why nothing could be guessed."""
        return None if 0 < self.mlm_probability < 1 else "mlm_probability must be above 0 and below 1"

    def targets(self, examples: Sequence[Any], *, name: str) -> NDArray[np.int64]:
        """What is guessed is in the texts themselves."""
        return np.ones(len(examples), dtype=np.int64)

    def scores(
        self, predictions: Any, targets: Any, *, repeats: int = 1000, seed: int = 0
    ) -> dict[str, Interval]:
        """Return perplexity and accuracy of hidden tokens, and of next sentences, with their intervals."""
        counts = np.asarray(predictions, dtype=np.float64)
        columns = np.concatenate([counts, np.ones((len(counts), 1))], axis=1)
        return scores_of_sums(self._figures, columns, repeats=repeats, seed=seed)

    def _figures(self, sums: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        hidden, loss, right, follows, rows = np.moveaxis(sums, -1, 0)
        scores = {
            "perplexity": np.exp(loss / np.maximum(1, hidden)),
            "accuracy": right / np.maximum(1, hidden),
        }
        return scores | ({"next_sentence_accuracy": follows / rows} if self.next_sentence else {})

    @property
    def gives(self) -> str:
        """Guesses."""
        return "guesses of hidden tokens"


class MlmKind(TextKind):
    """Guesses hidden tokens."""

    name = "mlm"
    about = "guesses hidden tokens of texts"
    config = MlmConfig
    spec = MlmSpec

    def settle(self, config: MlmConfig, examples: Sequence[Any], *, name: str) -> TaskSpec:
        """Put in the defaults."""
        return MlmSpec(
            mlm_probability=0.15 if config.mlm_probability is None else config.mlm_probability,
            mlm_selection=config.mlm_selection or "uniform",
            whole_word_masking=bool(config.whole_word_masking),
            next_sentence=bool(config.next_sentence),
            share_head_with=config.share_head_with,
        )

    def join(self, name: str, spec: Any, specs: Mapping[str, TaskSpec]) -> TaskSpec:
        """Refuse a head that cannot be shared; there is nothing to take over."""
        assert isinstance(spec, MlmSpec)
        shared = spec.share_head_with
        if shared is not None:
            check_share(name, shared, {task: each.shares_head_of for task, each in specs.items()})
            other = specs[shared]
            if not isinstance(other, MlmSpec) or other.next_sentence != spec.next_sentence:
                raise TenorError(
                    f"Task {name}: {shared!r} is no 'mlm' task with the same next_sentence, so that its head "
                    "cannot be shared."
                )
        return spec

    def build(
        self,
        name: str,
        spec: Any,
        *,
        encoder: "Encoder",
        pooling: PoolingConfig,
        seed: int,
        tasks: Mapping[str, "Task"],
    ) -> "Task":
        """Build the head, whose output layer is the encoder's own table of embeddings, or take another's."""
        from tenor.tasks.mlm.task import MlmTask

        shared: Any = None if spec.share_head_with is None else tasks[spec.share_head_with]
        return MlmTask(name, spec, encoder, seed=seed, shared=shared)
