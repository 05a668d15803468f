"""What a tagger says of one sentence."""

from dataclasses import dataclass
from typing import Any

from tenor.entities import Entity, lenient_entities
from tenor.tasks.answer import Answer


@dataclass(frozen=True, slots=True)
class TagAnswer(Answer):
    """The tag of every word, and its probability.

    >>> TagAnswer(("B-PER", "I-PER", "O"), (0.9, 0.8, 1.0), True).entities
    [Entity(type='PER', begin=0, end=2)]
    """

    tags: tuple[str, ...]
    probabilities: tuple[float, ...]
    spans: bool = True
    """Whether tags are those of spans."""
    gates: tuple[dict[str, float], ...] | None = None
    """How much each expert says of every word, where the head has experts."""

    @property
    def predicted(self) -> list[str]:
        """The tags."""
        return list(self.tags)

    @property
    def entities(self) -> list[Entity]:
        """The spans, as stretches of words."""
        return lenient_entities(self.tags) if self.spans else []

    def to_json(self) -> dict[str, Any]:
        """Return tags and probabilities, word by word, and the weights of experts where there are any."""
        told: dict[str, Any] = {
            "tags": list(self.tags),
            "probabilities": [round(p, 4) for p in self.probabilities],
        }
        if self.gates is not None:
            told["gates"] = [{name: round(p, 4) for name, p in word.items()} for word in self.gates]
        return told

    def cells(self) -> dict[str, str]:
        """Return the tags in one cell."""
        return {"": " ".join(self.tags)}
