"""All kinds of encoders by the ``model_type`` of their ``config.json``: a new one is a line here.

An encoder that is not part of Tenor is registered before a folder of it is opened:

    from tenor.encoders.table import EncoderType, register

    class MyType(EncoderType):
        model_type = "mine"
        …                        # load and save

    register(MyType())
"""

from tenor.encoders.bert.encoder_type import BertType
from tenor.encoders.cnn.encoder_type import CnnType
from tenor.encoders.encoder_type import EncoderType
from tenor.encoders.lstm.encoder_type import LstmType
from tenor.encoders.operators.encoder_type import OperatorsType
from tenor.encoders.static.encoder_type import StaticType
from tenor.encoders.words.encoder_type import WordsType
from tenor.errors import OF_ONES_OWN, TenorError, did_you_mean

__all__ = ["DEFAULT", "ENCODERS", "EncoderType", "encoder_type", "register", "type_of_files"]

DEFAULT = "bert"  # the type of a config.json that names none, as old checkpoints have it
_BUILT_IN = (BertType(), LstmType(), CnnType(), OperatorsType(), StaticType(), WordsType())
ENCODERS: dict[str, EncoderType] = {kind.model_type: kind for kind in _BUILT_IN}


def encoder_type(model_type: str) -> EncoderType:
    """Return a kind of encoder by its name, or say which there are.

    >>> encoder_type("bert").opens_in_sentence_transformers
    True
    """
    if model_type in ENCODERS:
        return ENCODERS[model_type]
    for kind in ENCODERS.values():
        if model_type in kind.aliases:
            return kind
    known = f"No encoder has the model_type {model_type!r}; known are {', '.join(ENCODERS)}."
    raise TenorError(known + (did_you_mean(model_type, ENCODERS) + f" {OF_ONES_OWN}"))


def type_of_files() -> EncoderType:
    """Return the kind of encoder that a single file is opened as."""
    return next(kind for kind in ENCODERS.values() if kind.opens_files)


def register(kind: EncoderType) -> EncoderType:
    """Make a kind of encoder known under its ``model_type``, which must be free."""
    taken = {name: other for other in ENCODERS.values() for name in (other.model_type, *other.aliases)}
    for name in (kind.model_type, *kind.aliases):
        if name in taken and type(taken[name]) is not type(kind):
            raise TenorError(
                f"The model_type {name!r} belongs to {type(taken[name]).__name__}; choose another name."
            )
    ENCODERS[kind.model_type] = kind
    return kind
