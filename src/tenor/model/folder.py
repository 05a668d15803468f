"""Reading a model folder: which encoder, pooling, limit and prompts it asks for.

The layout is that of sentence-transformers, old (2.x) and new. A folder without ``modules.json`` is a plain
encoder and gets mean pooling, as it does there. Whatever would give other vectors than the folder's maker
meant
(further layers, unknown modules) is refused, and no name in the folder may lead out of it.
"""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from tenor.errors import TenorError
from tenor.files import read_json
from tenor.layers.pooling_config import PoolingConfig

FORMAT = 1  # of tenor.json; a folder of a later format is refused
TENOR = "tenor.json"
MODULES = "modules.json"
LIMIT = "sentence_bert_config.json"
SETTINGS = "config_sentence_transformers.json"

# sentence-transformers' names of poolings -> ours; the old configuration has one yes-or-no key for each.
ST_POOLINGS = {
    "cls": "cls",
    "max": "max",
    "mean": "mean",
    "mean_sqrt_len_tokens": "mean_sqrt",
    "weightedmean": "weighted_mean",
    "lasttoken": "last_token",
}
ST_KEYS = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
_UNLIMITED = 1_000_000  # `transformers` writes absurd numbers for "no limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """What a model folder says, checked."""

    encoder: Path  # folder of the encoder's config, weights and tokenizer
    folder: Path | None = None  # the model folder itself, where tasks stand
    kind: Literal["bert", "static"] = "bert"
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
    def opens_in_sentence_transformers(self) -> bool:
        """Whether sentence-transformers has this pooling."""
        return self.pooling.layers == "last" and all(
            kind in ST_POOLINGS.values() for kind in self.pooling.kinds
        )


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
    notes: tuple[str, ...] = ()
    if modules is None:
        modules = [_Module("Transformer", folder)]
        notes = (f"{folder} has no {MODULES}; its tokens' vectors are pooled by their mean.",)
    encoder, *rest = modules
    pooling, pools_prompt, normalize = _after_encoder(rest, folder)
    prompts, default_prompt, similarity = _settings(folder)
    static = encoder.kind == "StaticEmbedding" or _is_static(encoder.path)
    # Without modules.json sentence-transformers does not look at its own limit either.
    own = {} if notes else _json_of(encoder.path / LIMIT)
    limit, lower = (None, False) if static else _limit(encoder.path, own)
    if static:
        normalize = normalize or _json_of(encoder.path / "config.json").get("normalize") is True
    return ModelFolder(
        encoder=encoder.path,
        folder=folder,
        kind="static" if static else "bert",
        pooling=pooling,
        normalize=normalize,
        max_tokens=limit,
        lower=lower,
        prompts=prompts,
        default_prompt=default_prompt,
        pools_prompt=pools_prompt,
        similarity=similarity,
        notes=() if static else notes,
    )


def _check_format(folder: Path) -> None:
    if not (folder / TENOR).is_file():
        return
    version = _object(folder / TENOR).get("format")
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
        if not kind.startswith("sentence_transformers."):
            raise TenorError(f"{path} names the module {kind!r}, whose code Tenor neither has nor runs.")
        modules.append(_Module(kind.rpartition(".")[2], _inside(folder, place, path)))
    if modules[0].kind not in ("Transformer", "StaticEmbedding"):
        raise TenorError(f"{path} begins with {modules[0].kind!r}; expected Transformer or StaticEmbedding.")
    return modules


def _inside(folder: Path, place: str, source: Path) -> Path:
    """Join a relative name to a folder, refusing names that leave it."""
    name = PurePosixPath(place.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or "\0" in place or ":" in place:
        raise TenorError(f"{source} names {place!r}, which does not lie inside the model folder.")
    return folder / name


def _after_encoder(modules: list[_Module], folder: Path) -> tuple[PoolingConfig, bool, bool]:
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
    return PoolingConfig(), True, "Normalize" in kinds


def _pooling(path: Path) -> tuple[PoolingConfig, bool]:
    config = _object(path)
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
    config = _json_of(path)
    prompts, default = config.get("prompts") or {}, config.get("default_prompt_name")
    if not isinstance(prompts, dict) or not all(isinstance(text, str) for text in prompts.values()):
        raise TenorError(f"{path} has prompts that are not a table of names and texts.")
    if default is not None and default not in prompts:
        raise TenorError(f"{path} has the default prompt {default!r}, but no prompt of that name.")
    return prompts, default, config.get("similarity_fn_name")


def _is_static(encoder: Path) -> bool:
    return _json_of(encoder / "config.json").get("model_type") == "model2vec"


def _limit(encoder: Path, own: dict[str, Any]) -> tuple[int, bool]:
    """Return the most tokens of a text, and whether texts are lower-cased first.

    The limit is the folder's own, or else that of its tokenizer; the encoder's positions bound both.
    """
    config = _object(encoder / "config.json")
    tokenizer = _json_of(encoder / "tokenizer_config.json")
    _refuse_other_output(own, encoder / LIMIT)
    positions = config.get("max_position_embeddings", 512)
    limit = own.get("max_seq_length") or tokenizer.get("model_max_length") or positions
    if isinstance(limit, float) and limit > _UNLIMITED:
        limit = positions
    for value, name in ((positions, "max_position_embeddings"), (limit, "the length limit")):
        if isinstance(value, bool) or not isinstance(value, int) or value < 4:
            raise TenorError(f"{encoder}: {name} is {value!r}; expected a whole number of at least 4.")
    return min(limit, positions), own.get("do_lower_case") is True


def _refuse_other_output(own: dict[str, Any], path: Path) -> None:
    """Refuse the newer layout's choice of another output of the encoder than its last states."""
    modalities = own.get("modality_config")
    text = modalities.get("text", {}) if isinstance(modalities, dict) else {}
    output = text.get("method_output_name", "last_hidden_state") if isinstance(text, dict) else None
    if output != "last_hidden_state":
        raise TenorError(f"{path} reads the encoder's {output!r}; Tenor reads its 'last_hidden_state' only.")


def _json_of(path: Path) -> dict[str, Any]:
    return _object(path) if path.is_file() else {}


def _object(path: Path) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise TenorError(f"{path} must hold a JSON object.")
    return content
