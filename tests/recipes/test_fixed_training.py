"""Recipes leave no setting of training to a default, which may change under a published result."""

import ast
from dataclasses import fields
from pathlib import Path

import pytest

import tenor.recipes
from tenor.recipes.fixed_training import FIXED, fixed_training
from tenor.training.config import TrainingConfig

ROOT = Path(tenor.recipes.__file__).parent


def test_every_setting_is_named():
    assert set(FIXED) == {entry.name for entry in fields(TrainingConfig)}
    assert fixed_training(epochs=3, fit_heads="start").fit_heads == "start"


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("*/*.py")), ids=lambda path: path.parent.name + "/" + path.name
)
def test_no_recipe_makes_settings_of_its_own(path):
    """`TrainingConfig(…)` and `tenor.train(…, epochs=…)` would take the defaults of the day."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).rpartition(".")[2]
            assert called != "TrainingConfig", node.lineno
            if called == "train" and any(each.arg == "epochs" for each in node.keywords):
                raise AssertionError(f"line {node.lineno}: give tenor.train all of fixed_training")
