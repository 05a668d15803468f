"""What is wrong with the spans of a sentence, put into words for the report."""

from collections.abc import Sequence

from tenor.entities import Entity, lenient_entities

_CONTEXT = 2  # words shown on either side


def span_errors(words: Sequence[str], gold: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return a phrase for each span that is missed, taken for another, cut otherwise, or not there.

    >>> span_errors(["in", "New", "York", "now"], ["O", "B-LOC", "I-LOC", "O"], ["O", "O", "B-LOC", "O"])
    ['in «New York» now: LOC, predicted LOC at «York»']
    """
    true, told = lenient_entities(gold), lenient_entities(given)
    errors = []
    for one in true:
        near = [two for two in told if two.begin < one.end and one.begin < two.end]
        if one in near:
            continue
        errors.append(f"{_marked(words, one)}: {one.type}, {_taken_for(words, one, near)}")
    for two in told:
        if not any(two.begin < one.end and one.begin < two.end for one in true):
            errors.append(f"{_marked(words, two)}: predicted {two.type}, gold has none")
    return errors


def _taken_for(words: Sequence[str], one: Entity, near: list[Entity]) -> str:
    if not near:
        return "missed"
    shown = []
    for two in near:
        same = (two.begin, two.end) == (one.begin, one.end)
        shown.append(two.type if same else f"{two.type} at «{' '.join(words[two.begin : two.end])}»")
    return "predicted " + " and ".join(shown)


def _marked(words: Sequence[str], span: Entity) -> str:
    """Return a span in marks, with a few words around it."""
    before = words[max(0, span.begin - _CONTEXT) : span.begin]
    behind = words[span.end : span.end + _CONTEXT]
    return " ".join([*before, f"«{' '.join(words[span.begin : span.end])}»", *behind])
