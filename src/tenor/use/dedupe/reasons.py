"""Why two texts were paired: by their matching phrases instead of by their differing words alone."""

from tenor.model import Model
from tenor.use.align.explain import Explanation, explain
from tenor.use.align.words import middle_layer
from tenor.use.compare.comparing import CAUTIOUS
from tenor.use.dedupe.deduping import Group, Member
from tenor.use.dedupe.differences import tell_few

_LONGEST = 2000  # characters; nobody reads the matching of longer texts in a line


def aligned_reason(model: Model, group: Group, member: Member) -> str:
    """Say which phrases of a member stand for which of the centre, and what has no counterpart.

    Texts that are the same, or too long to be matched in a line, keep the reason that they have.
    """
    texts = (member.text, group.centre.text)
    if member.kind != "alike" or max(map(len, texts)) > _LONGEST:
        return member.why
    states = model.word_states(texts, layer=middle_layer(model.engine.layers))
    phrases = _descriptions(explain(texts, (states[0], states[1]), settings=CAUTIOUS))
    return f"alike: {tell_few(phrases)}" if phrases else member.why


def _descriptions(explanation: Explanation) -> list[str]:
    pairs = sorted((pair for pair in explanation.phrases if not pair.same_words), key=lambda pair: pair.score)
    added, lacking = _without_common(explanation)
    return [
        *(f"“{pair.first.text}” ≈ “{pair.second.text}”" for pair in pairs),
        *(f"adds “{text}”" for text in added),
        *(f"lacks “{text}”" for text in lacking),
    ]


def _without_common(explanation: Explanation) -> tuple[list[str], list[str]]:
    """Return what only one text has, without words that both have but no phrase took in."""
    added = [left.text for left in explanation.only_first]
    lacking = [left.text for left in explanation.only_second]
    both = {text.casefold() for text in added} & {text.casefold() for text in lacking}
    return _without(added, both), _without(lacking, both)


def _without(texts: list[str], folded: set[str]) -> list[str]:
    return [text for text in texts if text.casefold() not in folded]
