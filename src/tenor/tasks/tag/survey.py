"""What `tenor check` says of tagged words: scheme and errors in it, entities by type, new ones in dev."""

from collections import Counter
from itertools import islice
from typing import Any

from tenor.entities import OUTSIDE, is_span_tag, lenient_entities
from tenor.tasks.survey import DataSurvey, Part
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.tag_schemes import TagScheme, convert, guess_scheme

_SHOWN = 12
_MOST = 200_000  # different entities that are remembered of a file


class TagSurvey(DataSurvey):
    """Counts words, spans and what is wrong with tags."""

    def __init__(self) -> None:
        self._words: Counter[Part] = Counter()
        self._types: dict[Part, Counter[str]] = {"train": Counter(), "dev": Counter()}
        self._entities: dict[Part, Counter[tuple[str, str]]] = {"train": Counter(), "dev": Counter()}
        self._labels: dict[Part, Counter[str]] = {"train": Counter(), "dev": Counter()}
        self._tagged: dict[tuple[str, ...], tuple[int, Origin]] = {}

    def add(self, example: TaggedSentence, part: Part) -> None:
        """See one sentence."""
        tags = example.tags
        if tags is None:
            return
        self._words[part] += len(tags)
        self._labels[part].update(tags)
        for entity in lenient_entities(tags):
            self._types[part][entity.type] += 1
            key = entity.type, " ".join(example.words[entity.begin : entity.end]).casefold()
            if key in self._entities[part] or len(self._entities[part]) < _MOST:
                self._entities[part][key] += 1
        if any(tag != OUTSIDE for tag in tags):
            count, first = self._tagged.get(tags, (0, example.origin))
            if len(self._tagged) < _MOST or tags in self._tagged:
                self._tagged[tags] = count + 1, first

    @property
    def scheme(self) -> TagScheme:
        """The scheme of all tags, both files together."""
        return guess_scheme(tags for tags, (count, _) in self._tagged.items() for _ in range(count))

    def errors(self) -> tuple[int, int, Origin | None]:
        """Count tags that the scheme does not allow, the sentences with any, and tell where the first is."""
        scheme, wrong, sentences = self.scheme, 0, 0
        first: Origin | None = None
        if scheme == "plain":
            return 0, 0, None
        for tags, (count, origin) in self._tagged.items():
            repaired = convert(tags, scheme, scheme)[1]
            if repaired:
                wrong, sentences = wrong + count * repaired, sentences + count
                first = first or origin
        return wrong, sentences, first

    def unseen(self) -> tuple[int, int] | None:
        """Count the entities of dev that train does not have, and all of dev; None without entities there."""
        dev, train = self._entities["dev"], self._entities["train"]
        total = sum(dev.values())
        return (sum(count for key, count in dev.items() if key not in train), total) if total else None

    def new_labels(self) -> list[str]:
        """Return the labels of dev that train never has."""
        return sorted(set(self._labels["dev"]) - set(self._labels["train"])) if self._words["dev"] else []

    def lines(self) -> list[tuple[str, str]]:
        """Return scheme, types, errors and what dev has new."""
        if not self._words:
            return []
        lines: list[tuple[str, str]] = [("scheme", self.scheme)]
        for part, types in self._types.items():
            if types and self.scheme != "plain":
                lines.append((f"{part} has" if self._words["dev"] else "spans", _counts(types)))
        wrong, sentences, first = self.errors()
        if wrong:
            tags = "1 tag is" if wrong == 1 else f"{wrong:,} tags are"
            where = "1 sentence" if sentences == 1 else f"{sentences:,} sentences"
            lines.append(
                ("repair", f"{tags} illegal in {self.scheme} ({where}, first {first}); training repairs them")
            )
        if self._not_spans():
            lines.append(("repair", f"no tags of spans, read as O: {', '.join(self._not_spans()[:_SHOWN])}"))
        if (unseen := self.unseen()) is not None and self._words["train"]:
            new, total = unseen
            lines.append(
                ("unseen", f"{new:,} of {total:,} entities of dev ({new / total:.0%}) are not in train")
            )
        if new_labels := self.new_labels():
            lines.append(("unseen", f"labels of dev that train never has: {', '.join(new_labels[:_SHOWN])}"))
        return lines

    def _not_spans(self) -> list[str]:
        """Return tags that are no tags of spans in files whose others are."""
        if self.scheme == "plain":
            return []
        return sorted({tag for labels in self._labels.values() for tag in labels if not is_span_tag(tag)})

    def to_json(self) -> dict[str, Any]:
        """Return the same for programs."""
        wrong, sentences, first = self.errors()
        unseen = self.unseen()
        return {
            "scheme": self.scheme,
            "spans": {part: dict(types.most_common()) for part, types in self._types.items()},
            "illegal_tags": wrong,
            "illegal_sentences": sentences,
            "first_illegal": None if first is None else str(first),
            "entities_unseen": None if unseen is None or not self._words["train"] else unseen[0],
            "labels_unseen": self.new_labels(),
        }


def _counts(types: Counter[str]) -> str:
    shown = ", ".join(f"{kind} {count:,}" for kind, count in islice(types.most_common(), _SHOWN))
    return shown + (f" and {len(types) - _SHOWN} more" if len(types) > _SHOWN else "")
