"""Word vectors in the table of encoders: a file of any known format, or a folder with one of ours."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tenor.encoders.encoder_type import CONFIG, EncoderType
from tenor.encoders.engine import Engine, Precision
from tenor.errors import TenorError
from tenor.files import write_json
from tenor.layers.pooling_config import PoolingConfig
from tenor.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.encoders.words.encoder import WordsEncoder
    from tenor.words import WordVectors

WORDS = "words.safetensors"


class WordsType(EncoderType):
    """Vectors of words; in place of a folder, a file or the name of vectors at hand will do."""

    model_type = "words"
    averages = True
    opens_files = True

    def recognises(self, folder: Path) -> bool:
        """Whether a folder without ``config.json`` holds word vectors of ours."""
        return (folder / WORDS).is_file()

    def word_vectors(self, folder: Path) -> "WordVectors":
        """Return the vectors, which can be asked about their words."""
        return vectors_of(folder)

    def tokenizer(self, folder: Path, *, max_tokens: int | None, lower: bool = False) -> Tokenizer:
        """Return what cuts texts into words; each is looked up as it is written, then in small letters."""
        from tenor.encoders.words.tokenizer import WordTokenizer

        return WordTokenizer(vectors_of(folder), max_tokens=max_tokens)

    def load(self, folder: Path) -> "WordsEncoder":
        """Read the vectors."""
        from tenor.encoders.words.encoder import WordsEncoder

        return WordsEncoder(vectors_of(folder)).eval()

    def save(self, encoder: "Encoder", folder: Path, *, source: Path | None = None) -> None:
        """Write words and vectors."""
        from tenor.encoders.words.encoder import WordsEncoder

        if not isinstance(encoder, WordsEncoder):
            raise TenorError(f"A {type(encoder).__name__} cannot be written as word vectors.")
        write_words(encoder.vectors(), folder)

    def engine(
        self,
        folder: Path,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision | Literal["auto"] = "auto",
        device: str = "auto",
    ) -> Engine:
        """Open the vectors in numpy for means, which needs no device and knows one precision; else torch."""
        if pooling != PoolingConfig():
            return super().engine(
                folder, pooling=pooling, normalize=normalize, precision=precision, device=device
            )
        from tenor.encoders.words.engine import word_engine

        return word_engine(vectors_of(folder), normalize=normalize)

    def copy(self, source: Path, target: Path) -> None:
        """Write the vectors of any source in our format."""
        write_words(vectors_of(source), target)

    def digests(self, folder: Path, digest: Callable[[Path], str]) -> dict[str, str]:
        """Return a digest of words and vectors, the same whatever the format of their file."""
        return {"words": words_digest(vectors_of(folder))}


def vectors_of(folder: Path) -> "WordVectors":
    """Read the vectors of a folder, a file or a name; those that are in use are not read again."""
    from tenor.encoders.words.opened import opened

    return opened(folder / WORDS if folder.is_dir() and (folder / WORDS).is_file() else folder)


def write_words(vectors: "WordVectors", folder: Path) -> None:
    """Write word vectors as an encoder into a folder."""
    vectors.save(folder / WORDS)
    write_json(folder / CONFIG, {"model_type": WordsType.model_type})


def words_digest(vectors: "WordVectors") -> str:
    """Return the sha256 of words and vectors."""
    import hashlib

    digest = hashlib.sha256(b"tenor words")
    for part in (vectors.words.blob, vectors.words.offsets, vectors.vectors):
        digest.update(part.tobytes() if not part.flags.c_contiguous else part.data)
    return digest.hexdigest()
