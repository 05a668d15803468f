"""Random damage to a folder's JSON files: the model works, or a sentence says why not; nothing else."""

import json
import random
import shutil
from pathlib import Path

import pytest

import tenor
from tenor.encoders.from_scratch import from_scratch_config
from tenor.errors import TenorError

FILES = [
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
]
VALUES = [None, True, -1, 0, 3, 1e30, 10**12, "x", "", [], {}, ["a"], {"a": 1}, "../x", float("nan")]


def damage_value(dice: random.Random, content: object) -> None:
    """Replace or delete one value somewhere inside."""
    places: list[tuple[object, object]] = []

    def walk(value: object) -> None:
        keys = list(value)[:40] if isinstance(value, dict) else range(min(len(value), 40))
        for key in keys:
            places.append((value, key))
            if isinstance(value[key], dict | list):
                walk(value[key])

    walk(content)
    holder, key = dice.choice(places)
    if isinstance(holder, dict) and dice.random() < 0.2:
        del holder[key]
    else:
        holder[key] = dice.choice(VALUES)


def damage(dice: random.Random, path: Path) -> None:
    if dice.random() < 0.7:
        content = json.loads(path.read_text())
        damage_value(dice, content)
        path.write_text(json.dumps(content))
    else:
        content = bytearray(path.read_bytes())
        content[dice.randrange(len(content))] = dice.randrange(256)
        path.write_bytes(content)


@pytest.mark.slow
def test_damaged_folders_work_or_are_told(tiny_folder, tmp_path):
    check_damaged(tiny_folder, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{"model_type": "lstm", "hidden_size": 4}, {"model_type": "cnn", "filters": 3}]
)
def test_damaged_folders_of_other_encoders(settings, tmp_path):
    settings |= {"embedding_size": 5, "max_tokens": 40}
    texts = ["the cat sat on the mat", "a dog"]
    check_damaged(from_scratch_config(settings).write(tmp_path / "whole", texts), tmp_path)


def check_damaged(whole, tmp_path):
    dice = random.Random(7)
    files = [name for name in FILES if (whole / name).is_file()]
    told: list[str] = []
    for number in range(200):
        folder = tmp_path / str(number)
        shutil.copytree(whole, folder)
        damage(dice, folder / dice.choice(files))
        try:
            model = tenor.load(folder, precision="fp32")
            model.encode(["the cat", "", "é 漢"])
            model.save(tmp_path / f"{number} saved")
        except TenorError as error:
            told.append(str(error))
    assert not any("\n" in sentence for sentence in told)
    assert 20 < len(told) < 180  # else the damage is not what it should be
