"""A prior on word operators: each word should leave N(0, I) as it is unless the task needs it to be moved.

Added to the loss of a task is a weight times the divergence, summed over the words of all texts of a row
(Chen and Gimpel, 2020):

    λ Σ_w KL(N(A_w ⊙ B_w, A_w²) || N(0, I))

Words that tell nothing apart so stay near the identity, and take no entropy away. With ``of = "running"`` the
Gaussian of the text after each word stands in the place of the word's own.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torch import Tensor

from tenor.encoders.operators.encoder import OperatorsEncoder
from tenor.errors import TenorError
from tenor.layers.gaussian import kl_to_standard
from tenor.objectives.objective import ForwardPass, Objective, Step
from tenor.objectives.operator_prior_config import OperatorPriorConfig
from tenor.tasks.task import EncoderOutput

if TYPE_CHECKING:
    from tenor.model.network import Network
    from tenor.text.tokenizer import Tokenizer


class OperatorPrior(Objective):
    """Presses on the operators of the words that stand in a batch."""

    def __init__(self, name: str, config: OperatorPriorConfig) -> None:
        self.name, self.config = name, config
        self.reads_states = config.of == "running"

    def prepare(self, network: "Network", tokenizer: "Tokenizer | None", *, seed: int) -> None:
        """Make sure that the encoder has operators, and that the tasks are there."""
        if not isinstance(network.encoder, OperatorsEncoder):
            raise TenorError(
                f"The objective {self.name!r} is for word operators (model_type 'operators'), not for an "
                f"encoder of the type {network.encoder.model_type!r}."
            )
        for task in self.config.tasks or ():
            if task not in network.tasks:
                raise TenorError(f"The objective {self.name!r} names the task {task!r}, which is not there.")

    def losses(self, forward: ForwardPass, step: Step) -> Mapping[str, Tensor]:
        """Return the weighted divergence of each task's texts, a mean over rows."""
        encoder = forward.network.encoder
        assert isinstance(encoder, OperatorsEncoder)
        wanted = set(self.config.tasks or forward.outputs)
        return {
            name: self.config.weight * self._divergence(encoder, forward.seen[name]) / len(batch)
            for name, batch in forward.batches.items()
            if name in wanted and len(batch)
        }

    def _divergence(self, encoder: OperatorsEncoder, seen: EncoderOutput) -> Tensor:
        if self.config.of == "running":
            mean, variance = seen.last.chunk(2, dim=-1)
            return kl_to_standard(mean, variance.log()).sum()
        log_scale, shift = encoder.operators(seen.batch)
        return kl_to_standard(log_scale.exp() * shift, 2 * log_scale).sum()
