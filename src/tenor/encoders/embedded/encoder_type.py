"""The types of encoders over embeddings: config, weights by name, and a tokenizer."""

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tenor.encoders.embedded.word_embeddings.vocabularies import (
    VOCABULARIES,
    read_vocabularies,
    write_vocabularies,
)
from tenor.encoders.encoder_type import CONFIG, TOKENIZER_FILES, EncoderType, copy_files
from tenor.errors import TenorError
from tenor.files import write_json
from tenor.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tenor.encoders.embedded.config import EmbeddedConfig
    from tenor.encoders.embedded.encoder import EmbeddedEncoder
    from tenor.encoders.encoder import Encoder


class EmbeddedType(EncoderType):
    """An encoder that is built from a config and has no other state than its weights."""

    @abstractmethod
    def parts(self) -> "tuple[type[EmbeddedConfig], Callable[..., EmbeddedEncoder]]":
        """Return the classes of the config and of the encoder; torch is imported only here."""

    def vocab_size(self, folder: Path) -> int | None:
        """Return the number of tokens that have an embedding."""
        return self.parts()[0].load(folder).vocab_size

    def load(self, folder: Path) -> "EmbeddedEncoder":
        """Read an encoder."""
        from tenor.encoders.embedded.weights import load_weights

        config_class, build = self.parts()
        config = config_class.load(folder)
        if not config.embeddings:
            return load_weights(lambda: build(config), folder)
        vocabularies = read_vocabularies(folder, len(config.embeddings))
        return load_weights(lambda: build(config, vocabularies), folder)

    def tokenizer(self, folder: Path, *, max_tokens: int | None, lower: bool = False) -> Tokenizer:
        """Open the tokenizer: that of ``tokenizer.json``, or words as written for embeddings of words."""
        config = self.parts()[0].load(folder)
        if not config.embeddings:
            return super().tokenizer(folder, max_tokens=max_tokens, lower=lower)
        from tenor.encoders.embedded.word_embeddings.tokenizer import SpellingTokenizer

        if any(each.reads_spelling for each in config.embeddings):
            return SpellingTokenizer(max_tokens=max_tokens)
        vocabularies = read_vocabularies(folder, len(config.embeddings))
        return SpellingTokenizer(known=frozenset().union(*vocabularies), max_tokens=max_tokens)

    def save(self, encoder: "Encoder", folder: Path, *, source: Path | None = None) -> None:
        """Write config and weights, and copy the tokenizer of the source."""
        from tenor.encoders.embedded.encoder import EmbeddedEncoder
        from tenor.encoders.embedded.weights import save_weights
        from tenor.encoders.embedded.word_embeddings.combined import CombinedEmbeddings

        if not isinstance(encoder, EmbeddedEncoder) or encoder.model_type != self.model_type:
            raise TenorError(
                f"A {type(encoder).__name__} cannot be written as a {self.model_type!r} encoder."
            )
        write_json(folder / CONFIG, encoder.config.to_json())
        save_weights(encoder, folder)
        if isinstance(encoder.embeddings, CombinedEmbeddings):
            write_vocabularies(folder, encoder.embeddings.vocabularies)
        if source is not None:
            copy_files(source, folder, TOKENIZER_FILES)

    def copy(self, source: Path, target: Path) -> None:
        """Copy an encoder that was not changed, the vocabularies of its embeddings too."""
        super().copy(source, target)
        copy_files(source, target, (VOCABULARIES,))

    def digests(self, folder: Path, digest: Callable[[Path], str]) -> dict[str, str]:
        """Return the digests of all files that decide the states."""
        further = {VOCABULARIES: digest(folder / VOCABULARIES)} if (folder / VOCABULARIES).is_file() else {}
        return super().digests(folder, digest) | further
