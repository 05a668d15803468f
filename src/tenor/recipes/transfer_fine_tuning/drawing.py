"""Which rows a seed learns from: the same ones whatever the encoder."""

from typing import Literal

from tenor.recipes.recipe import Context
from tenor.recipes.rows import Row


def drawn_rows(rows: list[Row], count: int | Literal["all"], context: Context) -> list[Row]:
    """Draw rows by the seed alone: the first 250 are among the first 1,000, for every encoder the same."""
    order = context.generator().permutation(len(rows))[: None if count == "all" else count]
    return [rows[place] for place in order.tolist()]
