"""The types of encoders over embeddings: config, weights by name, and a tokenizer."""

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenor.encoders.encoder_type import CONFIG, TOKENIZER_FILES, EncoderType, copy_files
from tenor.errors import TenorError
from tenor.files import write_json

if TYPE_CHECKING:
    from tenor.encoders.embedded.config import EmbeddedConfig
    from tenor.encoders.embedded.encoder import EmbeddedEncoder
    from tenor.encoders.encoder import Encoder


class EmbeddedType(EncoderType):
    """An encoder that is built from a config and has no other state than its weights."""

    @abstractmethod
    def parts(self) -> "tuple[type[EmbeddedConfig], Callable[[Any], EmbeddedEncoder]]":
        """Return the classes of the config and of the encoder; torch is imported only here."""

    def vocab_size(self, folder: Path) -> int | None:
        """Return the number of tokens that have an embedding."""
        return self.parts()[0].load(folder).vocab_size

    def load(self, folder: Path) -> "EmbeddedEncoder":
        """Read an encoder."""
        from tenor.encoders.embedded.weights import load_weights

        config_class, build = self.parts()
        config = config_class.load(folder)
        return load_weights(lambda: build(config), folder)

    def save(self, encoder: "Encoder", folder: Path, *, source: Path | None = None) -> None:
        """Write config and weights, and copy the tokenizer of the source."""
        from tenor.encoders.embedded.encoder import EmbeddedEncoder
        from tenor.encoders.embedded.weights import save_weights

        if not isinstance(encoder, EmbeddedEncoder) or encoder.model_type != self.model_type:
            raise TenorError(
                f"A {type(encoder).__name__} cannot be written as a {self.model_type!r} encoder."
            )
        write_json(folder / CONFIG, encoder.config.to_json())
        save_weights(encoder, folder)
        if source is not None:
            copy_files(source, folder, TOKENIZER_FILES)
