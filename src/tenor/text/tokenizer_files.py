"""Opening the tokenizer of a checkpoint folder: ``tokenizer.json``, or a BERT vocabulary in ``vocab.txt``."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tenor.errors import TenorError
from tenor.files import read_json, why
from tenor.text.tokenizer_limits import MOST_BYTES, neutralise

if TYPE_CHECKING:
    import tokenizers

T = TypeVar("T")
_SPECIAL = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
            "mask_token": "[MASK]"}  # fmt: skip


def open_tokenizer(folder: Path, *, lower: bool = False) -> "tokenizers.Tokenizer":
    """Open the tokenizer of a folder, or say in one sentence why that cannot be done."""
    settings = _settings(folder)
    if (folder / "tokenizer.json").is_file():
        path = folder / "tokenizer.json"
        backend = _guarded(path, lambda: _from_json(path, settings))
        _guarded(path, lambda: neutralise(backend, path))
    elif (folder / "vocab.txt").is_file():
        path = folder / "vocab.txt"
        backend = _guarded(path, lambda: _from_vocabulary(path, settings))
    else:
        raise TenorError(f"{folder} has no tokenizer: neither tokenizer.json nor vocab.txt is there.")
    if lower:
        _lower(backend)
    # A file may be read and still be unable to tokenise any text: better to fail now than amid a job.
    _guarded(path, lambda: backend.encode("a", "b"))
    return backend


def _guarded(path: Path, action: Callable[[], T]) -> T:
    try:
        return action()
    except (TenorError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except BaseException as error:  # The library may raise bare Exception, and its panics are BaseException.
        reason = " ".join(str(error).split())[:200]
        raise TenorError(f"{path} is not a usable tokenizer file ({reason}).") from error


def _settings(folder: Path) -> dict[str, Any]:
    """Read ``tokenizer_config.json`` with the special tokens as plain strings."""
    path = folder / "tokenizer_config.json"
    settings = read_json(path) if path.is_file() else {}
    if not isinstance(settings, dict):
        raise TenorError(f"{path} must hold a JSON object.")
    return {
        key: value.get("content") if isinstance(value, dict) else value for key, value in settings.items()
    }


def _from_json(path: Path, settings: dict[str, Any]) -> "tokenizers.Tokenizer":
    from tokenizers import Tokenizer
    from tokenizers.normalizers import BertNormalizer

    if (size := path.stat().st_size) > MOST_BYTES:
        raise TenorError(f"{path} has {size:,} bytes; a tokenizer has at most {MOST_BYTES:,}.")
    backend = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    normalizer = backend.normalizer
    if isinstance(normalizer, BertNormalizer):
        # As in `transformers`, what tokenizer_config.json says of a BERT tokenizer has the last word.
        normalizer.lowercase = bool(settings.get("do_lower_case", normalizer.lowercase))
        normalizer.strip_accents = settings.get("strip_accents", normalizer.strip_accents)
        chinese = settings.get("tokenize_chinese_chars", normalizer.handle_chinese_chars)
        normalizer.handle_chinese_chars = bool(chinese)
    return backend


def _from_vocabulary(path: Path, settings: dict[str, Any]) -> "tokenizers.Tokenizer":
    """Build BERT's tokenizer from a file with one token per line."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    # Only "\n" ends a line: vocabularies hold exotic spaces as tokens.
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    vocabulary = {token.removesuffix("\r"): number for number, token in enumerate(lines)}
    special = {key: str(settings.get(key) or default) for key, default in _SPECIAL.items()}
    for token in (special["unk_token"], special["cls_token"], special["sep_token"]):
        if token not in vocabulary:
            raise TenorError(f"{path} has no token {token}; it is not the vocabulary of a BERT model.")
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token=special["unk_token"]))
    backend.add_special_tokens([token for token in special.values() if token in vocabulary])
    backend.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=bool(settings.get("tokenize_chinese_chars", True)),
        strip_accents=settings.get("strip_accents"),
        lowercase=bool(settings.get("do_lower_case", True)),
    )
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece(prefix="##")
    first, last = special["cls_token"], special["sep_token"]
    backend.post_processor = processors.TemplateProcessing(
        single=f"{first}:0 $A:0 {last}:0",
        pair=f"{first}:0 $A:0 {last}:0 $B:1 {last}:1",
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    return backend


def _lower(backend: "tokenizers.Tokenizer") -> None:
    """Lower-case all text first, as sentence-transformers does when its own ``do_lower_case`` is on."""
    from tokenizers import normalizers

    present = [] if backend.normalizer is None else [backend.normalizer]
    backend.normalizer = normalizers.Sequence([normalizers.Lowercase(), *present])
