"""A run with nothing left to guess, as TOML: what a run folder keeps, and what tells two runs apart."""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from tenor.training.config import RunConfig

# What may change between the beginning of a run and its continuation: it changes no result.
FREE = ("checkpoint_steps", "checkpoint_minutes")


def to_toml(run: RunConfig) -> str:
    """Write a run out in full.

    >>> print(to_toml(RunConfig(seed=3)).splitlines()[2])
    seed = 3
    """
    top = _settings(run)
    del top["tasks"], top["training"], top["fresh"]
    tasks = [(f"tasks.{_toml_key(name)}", _settings(task)) for name, task in run.tasks.items()]
    fresh = [] if run.fresh is None else [("fresh", _settings(run.fresh))]
    sections = [(None, top), *fresh, *tasks, ("training", _settings(run.training))]
    return "\n".join(line for name, table in sections for line in _section(name, table)) + "\n"


def _settings(config: Any) -> dict[str, Any]:
    return {each.name: getattr(config, each.name) for each in fields(config)}


def difference(kept: str, new: str) -> str | None:
    """Return the first setting in which two resolved runs differ, or None; what changes no result passes."""
    before, after = (_lines(text) for text in (kept, new))
    for key in dict.fromkeys([*before, *after]):
        one, two = before.get(key, "nothing"), after.get(key, "nothing")
        if one != two:
            return f"{key} was {one} and is now {two}"
    return None


def _lines(text: str) -> dict[str, str]:
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]") + "."
        elif " = " in line:
            key, _, value = line.partition(" = ")
            if key not in FREE:
                found[section + key] = value
    return found


def _section(name: str | None, table: Mapping[str, Any]) -> list[str]:
    head = [] if name is None else ["", f"[{name}]"]
    return head + [f"{key} = {_value(value)}" for key, value in table.items() if value is not None]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Path):
        return _toml_text(str(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value) if isinstance(value, int) else _toml_text(str(value))


def _toml_key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "")
    return name if plain.isascii() and plain.isalnum() else _toml_text(name)


def _toml_text(text: str) -> str:
    # TOML's strings are those of JSON but for one control character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
