"""BERT in the table of encoders: in OpenVINO on CPUs, and sentence-transformers opens its folders."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tenor.encoders.encoder_type import (
    CONFIG,
    LIMIT,
    TOKENIZER_FILES,
    EncoderType,
    copy_files,
    json_object,
    json_object_if_there,
)
from tenor.encoders.engine import Engine, Precision
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig

if TYPE_CHECKING:
    from torch import Tensor

    from tenor.encoders.bert.encoder import BertEncoder
    from tenor.encoders.encoder import Encoder
    from tenor.encoders.from_scratch import FromScratch

_UNLIMITED = 1_000_000  # `transformers` writes absurd numbers for "no limit"


class BertType(EncoderType):
    """BERT-shaped checkpoints, as `transformers` and sentence-transformers write them."""

    model_type = "bert"
    segments = True
    module = "Transformer"

    def from_scratch(self) -> "type[FromScratch]":
        """Return the settings of a new BERT."""
        from tenor.encoders.bert.from_scratch import BertFromScratch

        return BertFromScratch

    def limits(self, folder: Path, own: Mapping[str, Any]) -> tuple[int | None, bool]:
        """Return the most tokens of a text, and whether texts are lower-cased first.

        The limit is the model folder's own, or else that of its tokenizer; the positions bound both.
        """
        config = json_object(folder / CONFIG)
        tokenizer = json_object_if_there(folder / "tokenizer_config.json")
        _refuse_other_output(own, folder / LIMIT)
        positions = config.get("max_position_embeddings", 512)
        limit = own.get("max_seq_length") or tokenizer.get("model_max_length") or positions
        if isinstance(limit, float) and limit > _UNLIMITED:
            limit = positions
        for value, name in ((positions, "max_position_embeddings"), (limit, "the length limit")):
            if isinstance(value, bool) or not isinstance(value, int) or value < 4:
                raise TenorError(f"{folder}: {name} is {value!r}; expected a whole number of at least 4.")
        return min(limit, positions), own.get("do_lower_case") is True

    def vocab_size(self, folder: Path) -> int | None:
        """Return the number of tokens that have an embedding."""
        from tenor.encoders.bert.config import BertConfig

        return BertConfig.load(folder).vocab_size

    def load(self, folder: Path) -> "BertEncoder":
        """Read a checkpoint folder."""
        from tenor.encoders.bert.checkpoint import BertCheckpoint

        return BertCheckpoint.load(folder).encoder

    def save(self, encoder: "Encoder", folder: Path, *, source: Path | None = None) -> None:
        """Write a checkpoint in float32, with the heads and buffers of its source."""
        from dataclasses import replace

        from tenor.encoders.bert.checkpoint import BertCheckpoint
        from tenor.encoders.bert.encoder import BertEncoder

        if not isinstance(encoder, BertEncoder):
            raise TenorError(f"A {type(encoder).__name__} cannot be written as a BERT checkpoint.")
        if source is None:
            BertCheckpoint(encoder).save(folder)
            return
        replace(BertCheckpoint.load(source), encoder=encoder).save(folder, keep_formats=False)
        copy_files(source, folder, TOKENIZER_FILES)

    def save_plain(self, encoder: "Encoder", folder: Path, *, source: Path) -> None:
        """Write the encoder's own weights and buffers, as ``BertModel``.

        The name of a model with heads would make transformers add some of random weights.
        """
        from dataclasses import replace

        from tenor.encoders.bert.checkpoint import BertCheckpoint
        from tenor.encoders.bert.encoder import BertEncoder
        from tenor.encoders.bert.weights import weight_shapes
        from tenor.files import read_json, write_json

        assert isinstance(encoder, BertEncoder)
        original, own = BertCheckpoint.load(source), weight_shapes(encoder.config)
        keys = {k: name for k, name in original.keys.items() if name in own and not k.startswith("cls.")}
        rest = {key: value for key, value in original.rest.items() if key.endswith("position_ids")}
        replace(original, encoder=encoder, keys=keys, rest=rest).save(folder, keep_formats=False)
        write_json(folder / CONFIG, read_json(folder / CONFIG) | {"architectures": ["BertModel"]})

    def save_language_model(
        self, encoder: "Encoder", folder: Path, *, source: Path, head: "Mapping[str, Tensor]"
    ) -> None:
        """Write the encoder with its head as transformers' BertForMaskedLM or BertForPreTraining.

        The decoder's weight is the word embeddings and is not written twice.
        """
        from tenor.encoders.bert.checkpoint import BertCheckpoint, named_weights
        from tenor.encoders.bert.encoder import BertEncoder
        from tenor.tensors import Stored

        assert isinstance(encoder, BertEncoder)
        keys = {_PREFIX + name: name for name in named_weights(encoder)}
        stored = {
            key: Stored("F32", value.detach().float().cpu().contiguous().numpy())
            for key, value in head.items()
        }
        BertCheckpoint(encoder, keys=keys, rest=stored).save(folder)

    def engine(
        self,
        folder: Path,
        *,
        pooling: PoolingConfig,
        normalize: bool,
        precision: Precision | Literal["auto"] = "auto",
        device: str = "auto",
    ) -> Engine:
        """Open OpenVINO on CPUs where it is installed and has the pooling, else torch."""
        from tenor.machine.devices import find_gpu

        device = find_gpu() if device == "auto" else device
        chosen = _choose(precision, device)
        if device == "cpu" and find_spec("openvino") is not None:
            from tenor.encoders.bert.openvino_engine import OpenVINOEngine

            if OpenVINOEngine.serves(pooling):
                return OpenVINOEngine.load(folder, pooling=pooling, normalize=normalize, precision=chosen)
        return super().engine(folder, pooling=pooling, normalize=normalize, precision=chosen, device=device)


_PREFIX = "bert."  # of encoders that stand beside a head


def _choose(precision: Precision | Literal["auto"], device: str) -> Precision:
    """Settle on a precision; only a CPU's is found by trying, other devices compute in fp32 unless asked."""
    if device != "cpu":
        return "fp32" if precision == "auto" else precision
    from tenor.machine import best_precision

    return best_precision() if precision == "auto" else precision


def _refuse_other_output(own: Mapping[str, Any], path: Path) -> None:
    """Refuse the newer layout's choice of another output of the encoder than its last states."""
    modalities = own.get("modality_config")
    text = modalities.get("text", {}) if isinstance(modalities, dict) else {}
    output = text.get("method_output_name", "last_hidden_state") if isinstance(text, dict) else None
    if output != "last_hidden_state":
        raise TenorError(f"{path} reads the encoder's {output!r}; Tenor reads its 'last_hidden_state' only.")
