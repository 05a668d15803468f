"""Reading a model folder: which encoder, pooling, limit and prompts it asks for.

The layout is that of sentence-transformers, old (2.x) and new. A folder without ``modules.json`` is a plain
encoder and gets the pooling of its type, for BERT the mean, as it does there. Whatever would give other
vectors than the folder's maker meant (further layers, unknown modules) is refused, and no name in the folder
may lead out of it.
"""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from tenor.encoders.encoder_type import CONFIG, EncoderType, json_object, json_object_if_there
from tenor.encoders.layout import LIMIT, MODULES, OWN_MODULE, ST_KEYS, ST_POOLINGS, in_sentence_transformers
from tenor.encoders.table import DEFAULT, ENCODERS, encoder_type
from tenor.errors import TenorError
from tenor.files import read_json
from tenor.layers.pooling_config import PoolingConfig

FORMAT = 2  # of tenor.json; a folder of a later format is refused, an earlier one is migrated
TENOR = "tenor.json"
SETTINGS = "config_sentence_transformers.json"
_BY_CONFIG = ("", "Transformer", OWN_MODULE)  # modules whose encoder is told by its config.json; "" is none


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """What a model folder says, checked."""

    encoder: Path  # folder of the encoder's config, weights and tokenizer, or a file of word vectors
    folder: Path | None = None  # the model folder itself, where tasks stand
    model_type: str = "bert"
    pooling: PoolingConfig = field(default_factory=PoolingConfig)
    normalize: bool = False
    max_tokens: int | None = None
    lower: bool = False
    prompts: dict[str, str] = field(default_factory=dict)
    default_prompt: str | None = None
    pools_prompt: bool = True
    similarity: str | None = None
    notes: tuple[str, ...] = ()  # what a person should know, a sentence each

    @property
    def type(self) -> EncoderType:
        """How the encoder is loaded, run and saved."""
        return encoder_type(self.model_type)

    @property
    def module(self) -> str:
        """The first module of ``modules.json``; the mean of sentence-transformers is one of all tokens."""
        is_mean = self.pooling == PoolingConfig() and self.max_tokens is None
        return self.type.module if is_mean or not self.type.averages else OWN_MODULE

    @property
    def opens_in_sentence_transformers(self) -> bool:
        """Whether sentence-transformers has this encoder and this pooling."""
        return self.module != OWN_MODULE and in_sentence_transformers(self.pooling)


@dataclass(frozen=True, slots=True)
class _Module:
    kind: str
    path: Path


def read_folder(folder: str | Path) -> ModelFolder:
    """Read a model folder's settings; the weights are left alone."""
    folder = Path(folder)
    if not folder.is_dir():
        raise TenorError(f"There is no model folder {str(folder)!r}.")
    _check_format(folder)
    modules = _modules(folder)
    encoder, *rest = modules or [_Module("", folder)]
    kind = encoder_type(_model_type(encoder))
    pooling, pools_prompt, normalize = _after_encoder(rest, folder, kind.default_pooling)
    prompts, default_prompt, similarity = _settings(folder)
    limit, lower = kind.limits(encoder.path, _own_limits(encoder, kind))
    return ModelFolder(
        encoder=encoder.path,
        folder=folder,
        model_type=kind.model_type,
        pooling=pooling,
        normalize=normalize or kind.normalizes(encoder.path),
        max_tokens=limit,
        lower=lower,
        prompts=prompts,
        default_prompt=default_prompt,
        pools_prompt=pools_prompt,
        similarity=similarity,
        notes=() if modules or kind.averages else (_without_modules(folder, pooling),),
    )


def _own_limits(encoder: _Module, kind: EncoderType) -> dict[str, Any]:
    """Read the limit of the folder where sentence-transformers does: not without modules, nor for a mean."""
    if not encoder.kind or (kind.averages and encoder.kind != OWN_MODULE):
        return {}
    return json_object_if_there(encoder.path / LIMIT)


def _without_modules(folder: Path, pooling: PoolingConfig) -> str:
    return f"{folder} has no {MODULES}; its tokens' vectors are pooled by their {pooling}."


def _model_type(module: _Module) -> str:
    """Return the type of the encoder in a module's folder: that of the module, or of its ``config.json``."""
    path = module.path / CONFIG
    if module.kind not in _BY_CONFIG:
        return next(kind.model_type for kind in ENCODERS.values() if kind.module == module.kind)
    if not module.kind and not path.is_file():
        for kind in ENCODERS.values():
            if kind.recognises(module.path):
                return kind.model_type
    if not path.exists():
        raise TenorError(
            f"{module.path} is not a model folder: {CONFIG} does not exist in it. Give a folder that "
            "`tenor train` or `model.save` has written, or one of sentence-transformers or transformers."
        )
    model_type = json_object(path).get("model_type", None if module.kind == OWN_MODULE else DEFAULT)
    if not isinstance(model_type, str):
        raise TenorError(f"{path} has the model_type {model_type!r}; expected the name of a kind of encoder.")
    try:
        return encoder_type(model_type).model_type
    except TenorError as error:
        raise TenorError(f"{path}: {error}") from error


def _check_format(folder: Path) -> None:
    if not (folder / TENOR).is_file():
        return
    version = json_object(folder / TENOR).get("format")
    if not isinstance(version, int) or version < 1:
        raise TenorError(
            f"{folder / TENOR} has the format {version!r}; expected a number from 1 to {FORMAT}."
        )
    if version > FORMAT:
        raise TenorError(
            f"{folder} was written by a later Tenor (format {version}; this one reads {FORMAT}); upgrade."
        )


def _modules(folder: Path) -> list[_Module] | None:
    """Read ``modules.json``: each module's folder and the last part of its type, which all versions share."""
    path = folder / MODULES
    if not path.is_file():
        return None
    entries = read_json(path)
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise TenorError(f"{path} must hold a list of modules.")
    modules = []
    for entry in entries:
        kind, place = entry.get("type"), entry.get("path")
        if not isinstance(kind, str) or not isinstance(place, str):
            raise TenorError(f"{path} has a module without 'type' and 'path'.")
        if kind != OWN_MODULE and not kind.startswith("sentence_transformers."):
            raise TenorError(f"{path} names the module {kind!r}, whose code Tenor neither has nor runs.")
        name = kind if kind == OWN_MODULE else kind.rpartition(".")[2]
        modules.append(_Module(name, _inside(folder, place, path)))
    known = list(dict.fromkeys(kind.module for kind in ENCODERS.values()))
    if modules[0].kind not in known:
        raise TenorError(f"{path} begins with {modules[0].kind!r}; expected {' or '.join(known)}.")
    return modules


def _inside(folder: Path, place: str, source: Path) -> Path:
    """Join a relative name to a folder, refusing names that leave it."""
    name = PurePosixPath(place.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or "\0" in place or ":" in place:
        raise TenorError(f"{source} names {place!r}, which does not lie inside the model folder.")
    return folder / name


def _after_encoder(
    modules: list[_Module], folder: Path, default: PoolingConfig
) -> tuple[PoolingConfig, bool, bool]:
    """Return pooling, whether it takes the prompt's tokens in, and whether vectors are normalised."""
    kinds = [module.kind for module in modules if module.kind != "Dropout"]
    if unknown := [kind for kind in kinds if kind not in ("Pooling", "Normalize")]:
        raise TenorError(
            f"{folder / MODULES} has a {unknown[0]} module, which Tenor does not support; without it the "
            "vectors would not be the model's."
        )
    if kinds not in ([], ["Pooling"], ["Normalize"], ["Pooling", "Normalize"]):
        raise TenorError(
            f"{folder / MODULES} lists {', '.join(kinds)}; expected Pooling, then maybe Normalize."
        )
    for module in modules:
        if module.kind == "Pooling":
            return (*_pooling(module.path / "config.json"), "Normalize" in kinds)
    return default, True, "Normalize" in kinds


def _pooling(path: Path) -> tuple[PoolingConfig, bool]:
    config = json_object(path)
    modes: Any = config.get("pooling_mode")
    if modes is None:
        # Nothing chosen means the mean, as in sentence-transformers.
        modes = [mode for mode, key in ST_KEYS.items() if config.get(key)] or "mean"
    names: list[str] = [modes] if isinstance(modes, str) else modes
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TenorError(f"{path} has the pooling_mode {modes!r}; expected a name or a list of names.")
    try:
        pooling = PoolingConfig.parse("+".join(ST_POOLINGS.get(name, name) for name in names))
    except TenorError as error:
        raise TenorError(f"{path}: {error}") from error
    return pooling, config.get("include_prompt", True) is not False


def _settings(folder: Path) -> tuple[dict[str, str], str | None, str | None]:
    path = folder / SETTINGS
    config = json_object_if_there(path)
    prompts, default = config.get("prompts") or {}, config.get("default_prompt_name")
    if not isinstance(prompts, dict) or not all(isinstance(text, str) for text in prompts.values()):
        raise TenorError(f"{path} has prompts that are not a table of names and texts.")
    if default is not None and default not in prompts:
        raise TenorError(f"{path} has the default prompt {default!r}, but no prompt of that name.")
    return prompts, default, config.get("similarity_fn_name")
