"""LSTM encoders in the table of encoders."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tenor.encoders.embedded.encoder_type import EmbeddedType

if TYPE_CHECKING:
    from tenor.encoders.embedded.config import EmbeddedConfig
    from tenor.encoders.embedded.encoder import EmbeddedEncoder
    from tenor.encoders.from_scratch import FromScratch


class LstmType(EmbeddedType):
    """Folders of an LSTM over word embeddings."""

    model_type = "lstm"

    def from_scratch(self) -> "type[FromScratch]":
        """Return the settings of a new LSTM."""
        from tenor.encoders.lstm.from_scratch import LstmFromScratch

        return LstmFromScratch

    def parts(self) -> "tuple[type[EmbeddedConfig], Callable[..., EmbeddedEncoder]]":
        """Return the classes of config and encoder."""
        from tenor.encoders.lstm.config import LstmConfig
        from tenor.encoders.lstm.encoder import LstmEncoder

        return LstmConfig, LstmEncoder
