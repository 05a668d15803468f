"""The table of recipes: to add one, write its module and add a line here.

A recipe's module is imported only when it is asked for, or by `tenor recipes`; it ends in ``RECIPE =
Recipe(…)``.
"""

from collections.abc import Mapping
from importlib import import_module

from tenor.errors import TenorError, did_you_mean
from tenor.recipes.recipe import Recipe

# name of the recipe -> module of this room, in the order of the specifications.
RECIPES: Mapping[str, str] = {
    "transfer-fine-tuning": "transfer_fine_tuning.recipe",
    "minbert-shared": "minbert.shared",
    "minbert-concat": "minbert.concat",
    "minbert-best": "minbert.best",
    "zero-resource-ner": "zero_resource_ner.recipe",
    "fuzzy-words": "fuzzy_words.recipe",
    "probabilistic-sentences": "probabilistic_sentences.recipe",
    "emergent-languages": "emergent_languages.recipe",
    "geometric-meta-embeddings": "geometric_meta_embeddings.recipe",
    "nth-order-bli": "nth_order_bli.recipe",
    "alpha-embeddings": "alpha_embeddings.recipe",
    "auxiliary-languages": "auxiliary_languages.recipe",
    "temporal-adversarial": "temporal_adversarial.recipe",
    "low-resource-encoders": "low_resource_encoders.recipe",
    "embedding-dimensions": "embedding_dimensions.recipe",
    "ccg-primitives": "ccg_primitives.recipe",
}


def look_up(name: str) -> Recipe:
    """Return a recipe by its name, or name the nearest."""
    if name not in RECIPES:
        near = did_you_mean(name, RECIPES) or f" There are {', '.join(RECIPES) or 'none yet'}."
        raise TenorError(f"There is no recipe {name!r}.{near}")
    recipe: Recipe = import_module(f"tenor.recipes.{RECIPES[name]}").RECIPE
    return recipe


def all_recipes() -> list[Recipe]:
    """Return all recipes, in the order of the table."""
    return [look_up(name) for name in RECIPES]
