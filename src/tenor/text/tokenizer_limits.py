"""Bounds on what a tokenizer's file may ask for, checked before any text goes through it.

A file from elsewhere can ask for gigabytes (padding to a billion tokens, replacements that blow a text up, a
thousand special tokens around every text) or for hours (patterns that go through all ways to read a text).
Padding and truncation are dropped, as they are not ours; the rest is refused in a sentence. The parts are
taken from the library after it has read the file, so that the vocabulary is not read twice.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenor.errors import TenorError

if TYPE_CHECKING:
    import tokenizers

MOST_BYTES = 100_000_000  # of a file; the largest vocabularies in use take a third of it
_MOST_SETTINGS = 100_000  # characters of JSON of one part, the vocabulary and character maps left out
_MOST_STATE = 10_000_000  # with character maps, which take some hundred thousand
_MOST_CONTENT, _MOST_GROWTH = 100, 16.0  # letters that a text may get, and times that it may grow
_MOST_LETTERS = 1_000  # of a word that is looked up piece by piece, in quadratic time
_PLAIN = ("BertNormalizer", "BertPreTokenizer", "NoneType", "WordPiece")
# The pattern of our own word-level vocabularies, by its sha256; its groups cannot take for ever.
_OWN_PATTERNS = ("54ffc49dfed6ad29a69a7ee127f1431ab33489888ecc57fe18c820dfd281c4ce",)
# Parts of a pattern that say nothing of its groups: escapes, with what they name, and simple classes.
_ESCAPE = re.compile(r"\\[pPx]\{[^}]*\}|\\.", re.DOTALL)
# A repeated group with a choice or a repetition inside: the time may double with every letter.
_REPEATED = re.compile(r"[*+{|]")


def neutralise(backend: "tokenizers.Tokenizer", path: Path) -> None:
    """Drop padding, truncation and chance from a tokenizer, and refuse what could not be bounded."""
    backend.no_padding()
    backend.no_truncation()
    _check_model(backend.model, path)
    for name in ("normalizer", "pre_tokenizer", "post_processor"):
        part = getattr(backend, name)
        if type(part).__name__ not in _PLAIN:
            _check_part(part, f"{path}: its {name}")


def _check_model(model: Any, path: Path) -> None:
    letters, prefix = (
        getattr(model, name, None) for name in ("max_input_chars_per_word", "continuing_subword_prefix")
    )
    if isinstance(letters, int) and letters > _MOST_LETTERS:
        raise TenorError(
            f"{path}: max_input_chars_per_word is {letters}; at most {_MOST_LETTERS} is read (100 is usual)."
        )
    if isinstance(prefix, str) and len(prefix) > _MOST_CONTENT:
        raise TenorError(f"{path}: continuing_subword_prefix has {len(prefix):,} characters; '##' is usual.")
    if getattr(model, "dropout", None):
        model.dropout = None  # the same text must give the same tokens


def _check_part(part: Any, where: str) -> None:
    state = part.__getstate__()
    if len(state) > _MOST_STATE:
        raise TenorError(f"{where} has {len(state):,} characters of settings; it is not usable.")
    settings = json.loads(state)
    growth, size = 1.0, 0
    for step in _steps(settings):
        size += len(json.dumps({key: value for key, value in step.items() if key != "precompiled_charsmap"}))
        if size > _MOST_SETTINGS:
            raise TenorError(
                f"{where} has more than {_MOST_SETTINGS:,} characters of settings; it is not usable."
            )
        pattern = step.get("pattern")
        if isinstance(pattern, dict) and isinstance(regex := pattern.get("Regex"), str):
            _check_regex(regex, where)
        growth *= _growth(step, where)
    if growth > _MOST_GROWTH:
        raise TenorError(
            f"{where} makes a text up to {growth:,.0f} times as long; at most {_MOST_GROWTH:.0f} is read."
        )


def _steps(settings: Any) -> Iterator[dict[str, Any]]:
    """Yield the steps of a part that may be a sequence of others."""
    if not isinstance(settings, dict):
        return
    for key in ("normalizers", "pretokenizers", "processors"):
        if isinstance(settings.get(key), list):
            for inner in settings[key]:
                yield from _steps(inner)
            return
    yield settings


def _growth(step: dict[str, Any], where: str) -> float:
    """Return how many times longer a step can make a long text."""
    added = step.get("prepend") or step.get("content") or ""
    if not isinstance(added, str) or len(added) > _MOST_CONTENT:
        raise TenorError(
            f"{where} puts {len(added):,} characters into texts; at most {_MOST_CONTENT} are read."
        )
    pattern = step.get("pattern")
    if step.get("type") != "Replace" or not isinstance(pattern, dict):
        return 1.0
    replaced = pattern.get("String")
    shortest = len(replaced) if isinstance(replaced, str) else 1
    # An empty pattern, or one that matches nothing at all, fits between any two letters.
    return max(1.0, len(added) / shortest) if shortest else 1.0 + len(added)


def _check_regex(regex: str, where: str) -> None:
    """Refuse groups that are repeated and hold a repetition or a choice, inside which all ways are tried."""
    if hashlib.sha256(regex.encode()).hexdigest() in _OWN_PATTERNS:
        return
    plain = _without_classes(_ESCAPE.sub("x", regex))
    opened: list[int] = []
    for place, letter in enumerate(plain):
        if letter == "(":
            opened.append(place)
        elif letter == ")" and opened:
            inside, after = plain[opened.pop() + 1 : place], plain[place + 1 : place + 2]
            if after in ("*", "+", "{") and _REPEATED.search(inside):
                raise TenorError(
                    f"{where} has the pattern {regex[:80]!r}, whose repeated group may take forever; "
                    "tokenizers of known models have none such."
                )


def _without_classes(regex: str) -> str:
    """Write a letter for every class of letters, classes inside of classes included."""
    kept, depth = [], 0
    for letter in regex:
        depth += letter == "["
        if not depth:
            kept.append(letter)
        elif letter == "]":
            depth -= 1
            kept.append("" if depth else "x")
    return "".join(kept)
