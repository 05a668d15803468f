"""The list of recipes for people and programs."""

from typing import Any

from tenor.recipes.recipe import Plan, Recipe
from tenor.recipes.table import all_recipes


def listed() -> list[dict[str, Any]]:
    """Describe every recipe in plain values: what it is, its scales, its data, its claims."""
    return [_described(recipe) for recipe in all_recipes()]


def _described(recipe: Recipe) -> dict[str, Any]:
    return {
        "name": recipe.name,
        "title": recipe.title,
        "paper": recipe.paper,
        "spec": recipe.spec,
        "summary": recipe.summary,
        "version": recipe.version,
        "scales": [_scale(recipe, scale, plan) for scale, plan in recipe.scales.items()],
        "data": [
            {"name": folder.name, "about": folder.about, "optional": folder.optional}
            for folder in recipe.data
        ],
        "claims": [claim.text for claim in recipe.claims],
    }


def _scale(recipe: Recipe, scale: str, plan: Plan) -> dict[str, Any]:
    return {
        "scale": scale,
        "about": plan.about,
        "cells": len(plan.cells),
        "seeds": plan.seeds,
        "data": [folder.name for folder in recipe.data] if plan.data else [],
        "weights": sorted({name for cell in plan.cells for name in cell.weights}),
    }
