"""What the rest of Tenor knows of a kind of encoder: how its folders are read, run, written and begun.

``config.json`` names the ``model_type``, ``encoders/table.py`` leads from that name to the object here. An
encoder of one's own subclasses :class:`EncoderType`, implements ``load`` and ``save``, and is registered
there; what it leaves as it is suits any folder with ``config.json``, ``model.safetensors`` and
``tokenizer.json``.

Nothing here imports torch before an encoder is loaded.
"""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tenor.encoders.engine import Engine, Precision
from tenor.encoders.layout import LIMIT, OWN_MODULE
from tenor.encoders.stored import SAFETENSORS, SAFETENSORS_INDEX, read_stored, weight_files, write_safetensors
from tenor.errors import TenorError
from tenor.files import read_json
from tenor.layers.pooling_config import PoolingConfig
from tenor.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from tenor.encoders.encoder import Encoder
    from tenor.encoders.from_scratch import FromScratch
    from tenor.words import WordVectors

CONFIG = "config.json"
TOKENIZER_FILES = (
    "tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
)  # fmt: skip


class EncoderType(ABC):
    """One kind of encoder; its methods take the folder that holds config, weights and tokenizer."""

    model_type: ClassVar[str]
    """The name in ``config.json``."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Names that others write there for the same thing."""
    module: ClassVar[str] = OWN_MODULE
    """The first module in ``modules.json``, which sentence-transformers opens unless it is ours."""
    averages: ClassVar[bool] = False
    """Whether the vector of a text is the mean of its tokens' unless something else is asked for."""
    pooling: ClassVar[str] = "mean"
    """The pooling of folders that name none."""
    opens_files: ClassVar[bool] = False
    """Whether a single file, such as one of word vectors, takes the place of a folder."""
    segments: ClassVar[bool] = False
    """Whether two texts can be read as one sequence, each with its own segment (cross-encoders)."""

    @property
    def opens_in_sentence_transformers(self) -> bool:
        """Whether sentence-transformers has such an encoder."""
        return self.module != OWN_MODULE

    @property
    def default_pooling(self) -> PoolingConfig:
        """The pooling of folders that name none."""
        return PoolingConfig.parse(self.pooling)

    def from_scratch(self) -> "type[FromScratch]":
        """Return the dataclass of the ``[from_scratch]`` section: how a new encoder is begun."""
        raise TenorError(f"A {self.model_type!r} encoder cannot be begun from scratch; give a folder of one.")

    def recognises(self, folder: Path) -> bool:
        """Whether a folder without ``config.json`` is one of this encoder."""
        return False

    def limits(self, folder: Path, own: Mapping[str, Any]) -> tuple[int | None, bool]:
        """Return the most tokens of a text (None: any number), and whether texts are lower-cased first.

        ``own`` are the settings of the model folder (``sentence_bert_config.json``), which come before those
        of the encoder.
        """
        limit = own.get("max_seq_length") or json_object_if_there(folder / CONFIG).get("max_tokens")
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 4):
            raise TenorError(
                f"{folder}: the length limit is {limit!r}; expected a whole number of at least 4."
            )
        return limit, own.get("do_lower_case") is True

    def word_vectors(self, folder: Path) -> "WordVectors | None":
        """Return the vectors of whole words that the encoder is made of, where it is nothing else."""
        return None

    def normalizes(self, folder: Path) -> bool:
        """Whether the encoder's own settings ask for vectors of length 1."""
        return False

    def vocab_size(self, folder: Path) -> int | None:
        """Return the number of tokens that have an embedding, where ``config.json`` says it."""
        size = json_object(folder / CONFIG).get("vocab_size")
        return size if isinstance(size, int) else None

    def tokenizer(self, folder: Path, *, max_tokens: int | None, lower: bool = False) -> Tokenizer:
        """Open the encoder's tokenizer and make sure that every token has an embedding."""
        tokenizer = Tokenizer.load(folder, max_tokens=max_tokens, lower=lower)
        rows = self.vocab_size(folder)
        if rows is not None and tokenizer.largest_id >= rows:
            raise TenorError(
                f"The tokenizer of {folder} gives ids up to {tokenizer.largest_id}, but config.json speaks "
                f"of {rows} tokens (vocab_size); the files belong to different models."
            )
        return tokenizer

    @abstractmethod
    def load(self, folder: Path) -> "Encoder":
        """Read a trainable encoder, in evaluation mode, on the CPU."""

    @abstractmethod
    def save(self, encoder: "Encoder", folder: Path, *, source: Path | None = None) -> None:
        """Write a trained encoder into a folder that exists.

        Weights keep the names that they have in ``source``, the folder that the encoder was loaded from, and
        the tokenizer's files are copied from there.
        """

    def save_plain(self, encoder: "Encoder", folder: Path, *, source: Path) -> None:
        """Write a trained encoder without any head that its source may have, which no longer fits."""
        self.save(encoder, folder, source=source)

    def save_language_model(
        self, encoder: "Encoder", folder: Path, *, source: Path, head: "Mapping[str, Tensor]"
    ) -> None:
        """Write a trained encoder with the head of its language model as others open it, where they do.

        ``head`` has the head's weights under the names that published checkpoints give them.
        """
        self.save(encoder, folder, source=source)

    def engine(
        self,
        folder: Path,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision | Literal["auto"] = "auto",
        device: str = "auto",
    ) -> Engine:
        """Open the engine that suits the machine: here torch, in fp32 unless something else is asked for."""
        from tenor.encoders.torch_engine import TorchEngine
        from tenor.machine import guard
        from tenor.machine.devices import find_gpu

        guard()  # even for fp32: the limit counts only if it is there before the process's first kernel
        return TorchEngine(
            self.load(folder),
            pooling=pooling,
            normalize=normalize,
            precision="fp32" if precision == "auto" else precision,
            device=find_gpu() if device == "auto" else device,
        )

    def token_specificity(self, folder: Path) -> "NDArray[np.float64] | None":
        """Return by how much each token makes a text more specific [vocabulary], where the encoder knows."""
        return None

    def copy(self, source: Path, target: Path) -> None:
        """Copy an encoder that was not changed, its files byte for byte."""
        copy_files(source, target, (CONFIG, *TOKENIZER_FILES, SAFETENSORS_INDEX))
        weights = weight_files(source)
        if all(path.suffix == ".safetensors" for path in weights):
            copy_files(source, target, tuple(path.name for path in weights))
        else:
            write_safetensors(target / SAFETENSORS, read_stored(source))

    def digests(self, folder: Path, digest: Callable[[Path], str]) -> dict[str, str]:
        """Return the digests of all files that decide the vectors, by name."""
        tokenizer = next(
            (name for name in TOKENIZER_FILES[:2] if (folder / name).is_file()), TOKENIZER_FILES[0]
        )
        names = (CONFIG, tokenizer, "tokenizer_config.json")
        files = [path for name in names if (path := folder / name).is_file()]
        return {path.name: digest(path) for path in [*files, *weight_files(folder)]}


def copy_files(source: Path, target: Path, names: tuple[str, ...]) -> None:
    """Copy those of the named files that are in the source and not yet in the target."""
    for name in names:
        if (source / name).is_file() and not (target / name).exists():
            shutil.copyfile(source / name, target / name)


def json_object(path: Path) -> dict[str, Any]:
    """Read a JSON object, such as ``config.json``."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise TenorError(f"{path} must hold a JSON object.")
    return content


def json_object_if_there(path: Path) -> dict[str, Any]:
    """Read a JSON object, or return an empty one where there is no such file."""
    return json_object(path) if path.is_file() else {}


__all__ = [
    "CONFIG", "LIMIT", "TOKENIZER_FILES", "EncoderType", "copy_files", "json_object", "json_object_if_there",
]  # fmt: skip
