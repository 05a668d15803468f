"""Static embeddings in the table of encoders: the folders of model2vec and of StaticEmbedding."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from tenor.encoders.encoder_type import CONFIG, TOKENIZER_FILES, EncoderType, copy_files, json_object_if_there
from tenor.encoders.engine import Engine, Precision
from tenor.encoders.stored import SAFETENSORS, Stored, read_safetensors, write_safetensors
from tenor.errors import TenorError
from tenor.files import write_json
from tenor.layers.pooling_config import PoolingConfig
from tenor.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    import tokenizers

    from tenor.encoders.encoder import Encoder
    from tenor.encoders.from_scratch import FromScratch
    from tenor.encoders.static.encoder import StaticEncoder

MODEL2VEC, STATIC_EMBEDDING = "embeddings", "embedding.weight"  # what the two libraries call the table


class StaticType(EncoderType):
    """Folders with one table of vectors and a tokenizer."""

    model_type = "static"
    aliases = ("model2vec",)
    module = "StaticEmbedding"
    averages = True

    def from_scratch(self) -> "type[FromScratch]":
        """Return the settings of a new table."""
        from tenor.encoders.static.from_scratch import StaticFromScratch

        return StaticFromScratch

    def normalizes(self, folder: Path) -> bool:
        """Whether model2vec's settings ask for vectors of length 1."""
        return json_object_if_there(folder / CONFIG).get("normalize") is True

    def tokenizer(self, folder: Path, *, max_tokens: int | None, lower: bool = False) -> Tokenizer:
        """Open the tokenizer; that of model2vec leaves out what it does not know."""
        from tenor.encoders.static.tokenizer import StaticTokenizer
        from tenor.text.tokenizer_files import open_tokenizer

        backend = open_tokenizer(folder, lower=lower)
        counts = MODEL2VEC not in read_safetensors(folder / SAFETENSORS)
        left_out = None if counts else _unknown(backend, folder)
        return StaticTokenizer(backend, max_tokens=max_tokens, left_out=left_out)

    def load(self, folder: Path) -> "StaticEncoder":
        """Read the table."""
        from tenor.encoders.static.encoder import StaticEncoder
        from tenor.encoders.static.engine import StaticEngine

        stored = StaticEngine.load(folder, normalize=False)
        encoder = StaticEncoder(
            stored.table, mapping=stored.mapping, weights=stored.weights, unknown=stored.unknown
        )
        return encoder.eval()

    def save(self, encoder: "Encoder", folder: Path, *, source: Path | None = None) -> None:
        """Write the table in float32, under the name that it has in the source."""
        from tenor.encoders.static.encoder import StaticEncoder

        if not isinstance(encoder, StaticEncoder):
            raise TenorError(f"A {type(encoder).__name__} cannot be written as a table of token vectors.")
        others = {} if source is None else dict(read_safetensors(source / SAFETENSORS))
        name = STATIC_EMBEDDING if STATIC_EMBEDDING in others and MODEL2VEC not in others else MODEL2VEC
        table = encoder.embeddings.weight.detach().float().cpu().numpy()
        for key, buffer, kind in (("mapping", encoder.mapping, "I64"), ("weights", encoder.weights, "F32")):
            if buffer is not None and key not in others:
                others[key] = Stored(kind, buffer.cpu().numpy())
        write_safetensors(folder / SAFETENSORS, others | {name: Stored("F32", np.ascontiguousarray(table))})
        config = {} if source is None else json_object_if_there(source / CONFIG)
        write_json(folder / CONFIG, {"model_type": self.model_type} | config)
        if source is not None:
            copy_files(source, folder, TOKENIZER_FILES)

    def engine(
        self,
        folder: Path,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision | Literal["auto"] = "auto",
        device: str = "auto",
    ) -> Engine:
        """Open the table in numpy for means, which needs no device and knows one precision; else torch."""
        if pooling != PoolingConfig():
            return super().engine(
                folder, pooling=pooling, normalize=normalize, precision=precision, device=device
            )
        from tenor.encoders.static.engine import StaticEngine

        return StaticEngine.load(folder, normalize=normalize)


def _unknown(backend: "tokenizers.Tokenizer", folder: Path) -> int | None:
    """Return the token of what a vocabulary does not know."""
    from tenor.encoders.static.engine import read_vocabulary

    if hasattr(backend.model, "unk_token"):
        return None if backend.model.unk_token is None else backend.token_to_id(str(backend.model.unk_token))
    return read_vocabulary(folder / "tokenizer.json")[1]  # of a Unigram model only the file tells it
