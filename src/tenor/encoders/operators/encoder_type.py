"""Word operators in the table of encoders."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.embedded.encoder_type import EmbeddedType
from tenor.encoders.stored import read_stored

if TYPE_CHECKING:
    from tenor.encoders.embedded.config import EmbeddedConfig
    from tenor.encoders.embedded.encoder import EmbeddedEncoder
    from tenor.encoders.from_scratch import FromScratch


class OperatorsType(EmbeddedType):
    """Folders of word operators."""

    model_type = "operators"
    pooling = "last_token"

    def from_scratch(self) -> "type[FromScratch]":
        """Return the settings of new operators."""
        from tenor.encoders.operators.from_scratch import OperatorsFromScratch

        return OperatorsFromScratch

    def parts(self) -> "tuple[type[EmbeddedConfig], Callable[[Any], EmbeddedEncoder]]":
        """Return the classes of config and encoder."""
        from tenor.encoders.operators.config import OperatorsConfig
        from tenor.encoders.operators.encoder import OperatorsEncoder

        return OperatorsConfig, OperatorsEncoder

    def token_specificity(self, folder: Path) -> NDArray[np.float64] | None:
        """Return by how much each token lowers the entropy of a text [vocabulary]: -Σ_d log A_d."""
        log_scales = read_stored(folder)["embeddings_log_scale.weight"].to_float32()
        return np.asarray(-log_scales.astype(np.float64).sum(axis=1))
