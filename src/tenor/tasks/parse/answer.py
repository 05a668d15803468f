"""What a parser says of one sentence."""

from dataclasses import dataclass
from typing import Any

from tenor.tasks.answer import Answer


@dataclass(frozen=True, slots=True)
class ParseAnswer(Answer):
    """The head of every word (from 1; 0 is the root), its relation, and the probability of both.

    >>> ParseAnswer((2, 0), ("nsubj", "root"), (0.9, 1.0)).cells()
    {'': '2:nsubj 0:root'}
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]
    probabilities: tuple[float, ...]

    @property
    def predicted(self) -> list[str]:
        """Heads and relations, as one text a word."""
        return [f"{head}:{relation}" for head, relation in zip(self.heads, self.relations, strict=True)]

    def to_json(self) -> dict[str, Any]:
        """Return heads, relations and probabilities, word by word."""
        return {
            "heads": list(self.heads),
            "relations": list(self.relations),
            "probabilities": [round(p, 4) for p in self.probabilities],
        }

    def cells(self) -> dict[str, str]:
        """Return the tree in one cell."""
        return {"": " ".join(self.predicted)}
