"""A run with nothing left to guess, as TOML: what a run folder keeps, and what tells two runs apart."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from tenor.objectives.table import OBJECTIVES
from tenor.training.config import RunConfig

# What may change between the beginning of a run and its continuation: it changes no result.
FREE = ("checkpoint_steps", "checkpoint_minutes")


def to_toml(run: RunConfig) -> str:
    """Write a run out in full.

    >>> print(to_toml(RunConfig(seed=3)).splitlines()[1])
    seed = 3
    """
    top = _settings(run)
    for name in ("tasks", "training", "from_scratch", "objectives", "updates", "given"):
        del top[name]
    parts: list[tuple[str, Any]] = (
        [("from_scratch", run.from_scratch)] if run.from_scratch is not None else []
    )
    parts += [(f"tasks.{_toml_key(name)}", task) for name, task in run.tasks.items()]
    sections = [(None, top), *((name, _settings(config)) for name, config in parts)]
    methods = {config: method for method, config in OBJECTIVES.items()}
    for name, config in run.objectives.items():
        method = {"method": methods.get(type(config), type(config).__name__)}
        sections.append((f"objectives.{_toml_key(name)}", method | _settings(config)))
    sections += [(f"updates.{_toml_key(name)}", _settings(each)) for name, each in run.updates.items()]
    sections.append(("training", _settings(run.training)))
    return "\n".join(line for name, table in sections for line in _section(name, table)) + "\n"


def dump(run: RunConfig, settings: Mapping[str, Any]) -> str:
    """Write a run without tasks out, with settings of its own as a section ``[stage]``."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if value is not None]
    return to_toml(run) + "\n".join(["", "[stage]", *lines, ""])


def _settings(config: Any) -> dict[str, Any]:
    """Return the fields of a config by name."""
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
        elif " = " in line and not line.startswith("#"):
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
    if is_dataclass(value):
        value = {key: each for key, each in _settings(value).items() if each is not None}
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
