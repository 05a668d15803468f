"""Opening a model by name or folder, with the engine that suits the machine."""

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, get_args

from tenor.encoders.engine import Engine, Precision
from tenor.errors import TenorError
from tenor.model.folder import ModelFolder, read_folder
from tenor.model.model import Model
from tenor.text.tokenizer import Tokenizer

_log = logging.getLogger("tenor")


def load(
    name: str | Path = "minilm", *, precision: Precision | Literal["auto"] = "auto", device: str = "auto"
) -> Model:
    """Open a model: a folder, the name of a starter at hand, ``hub:NAME``, or a file of word vectors.

    ``precision="auto"`` is the fastest one of this machine that keeps the vectors; ``device="auto"`` is a
    CUDA device where there is one, else the CPU. On a CPU the OpenVINO engine does the arithmetic where it is
    installed and knows the pooling, else torch.
    """
    if precision != "auto" and precision not in get_args(Precision):
        known = ", ".join(get_args(Precision))
        raise TenorError(f"The precision {precision!r} is not known; choose auto, {known}.")
    from tenor.assets import MODELS, find
    from tenor.model.word_model import load_word_model, vectors_at

    if (source := vectors_at(name)) is not None:
        return load_word_model(source, str(name))
    settings = read_folder(find(name, kinds=MODELS))
    for note in settings.notes:
        _log.warning(note)
    tokenizer = Tokenizer.load(
        settings.encoder,
        max_tokens=settings.max_tokens,
        lower=settings.lower,
        specials=settings.kind == "bert",
    )
    if settings.kind == "bert":
        _check_vocabulary(tokenizer, settings.encoder)
    engine = _engine(settings, precision, device)
    return Model(name=str(name), settings=settings, tokenizer=tokenizer, engine=engine)


def _engine(settings: ModelFolder, precision: Precision | Literal["auto"], device: str) -> Engine:
    if settings.kind == "static":
        from tenor.encoders.static import StaticEngine

        return StaticEngine.load(settings.encoder, normalize=settings.normalize)
    device = _find_gpu() if device == "auto" else device
    chosen = _choose(precision, device)
    pooling, normalize = settings.pooling, settings.normalize
    if device == "cpu" and find_spec("openvino") is not None:
        from tenor.encoders.bert.openvino_engine import OpenVINOEngine

        if OpenVINOEngine.serves(pooling):
            return OpenVINOEngine.load(
                settings.encoder, pooling=pooling, normalize=normalize, precision=chosen
            )
    from tenor.encoders.bert.torch_engine import TorchEngine

    return TorchEngine.load(
        settings.encoder, pooling=pooling, normalize=normalize, precision=chosen, device=device
    )


def _find_gpu() -> str:
    """Return "cuda" where there is such a device; torch is imported only if the system shows one."""
    if Path("/dev/nvidia0").exists():
        import torch

        if torch.cuda.is_available():
            return "cuda"
    return "cpu"


def _choose(precision: Precision | Literal["auto"], device: str) -> Precision:
    """Settle on a precision; only a CPU's is found by trying, other devices compute in fp32 unless asked."""
    if device != "cpu":
        return "fp32" if precision == "auto" else precision
    from tenor.machine import best_precision

    return best_precision() if precision == "auto" else precision


def _check_vocabulary(tokenizer: Tokenizer, encoder: Path) -> None:
    """Make sure that every token has an embedding, so that no text can lead outside the table."""
    from tenor.encoders.bert.config import BertConfig

    rows = BertConfig.load(encoder).vocabulary
    if tokenizer.largest_id >= rows:
        raise TenorError(
            f"The tokenizer of {encoder} gives ids up to {tokenizer.largest_id}, but config.json speaks of "
            f"{rows} tokens (vocab_size); the files belong to different models."
        )
