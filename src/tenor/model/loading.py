"""Opening a model by name or folder, with the engine that suits the machine."""

import logging
from pathlib import Path
from typing import Literal, get_args

from tenor.encoders.engine import Precision
from tenor.encoders.table import type_of_files
from tenor.errors import TenorError, is_out_of_memory
from tenor.files import refuse_outside
from tenor.model.folder import ModelFolder, read_folder
from tenor.model.model import Model

_log = logging.getLogger("tenor")


def load(
    name: str | Path = "minilm", *, precision: Precision | Literal["auto"] = "auto", device: str = "auto"
) -> Model:
    """Open a model: a folder, the name of a starter at hand, ``hub:NAME``, or a file of word vectors.

    ``precision="auto"`` is the fastest one of this machine that keeps the vectors; ``device="auto"`` is a
    CUDA device where there is one, else the CPU. Which engine does the arithmetic is up to the encoder: for
    BERT on a CPU it is OpenVINO where it is installed and knows the pooling, else torch.

    >>> load("minilm").encode(["A man eats.", "Somebody dines."]).shape
    (2, 384)
    """
    if precision != "auto" and precision not in get_args(Precision):
        known = ", ".join(get_args(Precision))
        raise TenorError(f"The precision {precision!r} is not known; choose auto, {known}.")
    settings = find_model(name)
    for note in settings.notes:
        _log.warning(note)
    encoder = settings.type
    tokenizer = encoder.tokenizer(settings.encoder, max_tokens=settings.max_tokens, lower=settings.lower)
    try:
        engine = encoder.engine(
            settings.encoder,
            pooling=settings.pooling,
            normalize=settings.normalize,
            precision=precision,
            device=device,
        )
    except (MemoryError, RuntimeError, OSError, ImportError) as error:
        if not is_out_of_memory(error):
            raise
        raise TenorError(_too_big(settings, str(name))) from error
    return Model(name=str(name), settings=settings, tokenizer=tokenizer, engine=engine)


def _too_big(settings: ModelFolder, name: str) -> str:
    """Say what was being loaded and how much it needs."""
    from tenor.encoders.stored import weight_files

    size = sum(path.stat().st_size for path in weight_files(settings.encoder))
    return (
        f"There is not enough memory to load {name}: its weights take {size / 1e6:,.0f} MB, and some three "
        "times as much is needed beside the libraries. Close other programs, raise the limit of this process "
        "(ulimit -v), or take a smaller model."
    )


def find_model(name: str | Path) -> ModelFolder:
    """Find a model by what :func:`load` takes, and read its settings; the weights are left alone."""
    from tenor.assets import MODELS, TABLE, find

    path, row = Path(name), TABLE.get(str(name))
    if path.is_file() or (row is not None and row.kind == "vectors" and not path.is_dir()):
        return ModelFolder(encoder=path, model_type=type_of_files().model_type)
    folder = find(name, kinds=MODELS)
    if path.is_dir():  # not of the cache or of a package, where an installer may have linked files
        refuse_outside(folder, endings=(".json", ".txt", ".safetensors", ".bin"))
    return read_folder(folder)
