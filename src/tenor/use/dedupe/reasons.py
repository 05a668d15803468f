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
    return [
        *(f"“{pair.first.text}” ≈ “{pair.second.text}”" for pair in pairs),
        *(f"adds “{left.text}”" for left in explanation.only_first),
        *(f"lacks “{left.text}”" for left in explanation.only_second),
    ]
