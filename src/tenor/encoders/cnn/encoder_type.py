"""CNN encoders in the table of encoders."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tenor.encoders.embedded.encoder_type import EmbeddedType

if TYPE_CHECKING:
    from tenor.encoders.embedded.config import EmbeddedConfig
    from tenor.encoders.embedded.encoder import EmbeddedEncoder
    from tenor.encoders.from_scratch import FromScratch


class CnnType(EmbeddedType):
    """Folders of a CNN over word embeddings."""

    model_type = "cnn"
    pooling = "max"

    def from_scratch(self) -> "type[FromScratch]":
        """Return the settings of a new CNN."""
        from tenor.encoders.cnn.from_scratch import CnnFromScratch

        return CnnFromScratch

    def parts(self) -> "tuple[type[EmbeddedConfig], Callable[..., EmbeddedEncoder]]":
        """Return the classes of config and encoder."""
        from tenor.encoders.cnn.config import CnnConfig
        from tenor.encoders.cnn.encoder import CnnEncoder

        return CnnConfig, CnnEncoder
