"""``tenor.tag``: the words of texts, or of a file of them, with their tags."""

from collections.abc import Sequence
from pathlib import Path

from tenor.model.given import ModelLike, given_model
from tenor.text.problems import Problems
from tenor.use.notes import log_problems
from tenor.use.tag.tagging import Tagged, Text, tag_file
from tenor.use.tag.tagging import tag as tag_with


def tag(
    texts: Sequence[Text] | Path,
    *,
    model: ModelLike,
    task: str | None = None,
    column: str | int | None = None,
    strict: bool = False,
) -> list[Tagged]:
    """Tag the words of texts: a tag for every word, and the entities with their offsets.

    A text is a string or a list of words; a ``Path`` is a file of texts or of CoNLL columns. ``task`` is the
    model's only tagger when None.

    >>> import tenor
    >>> rows = [(["a", "dog", "sat"], ["DET", "NOUN", "VERB"]), (["the", "cat"], ["DET", "NOUN"])] * 4
    >>> small = {"model_type": "lstm", "hidden_size": 8}
    >>> run = tenor.train(None, {"pos": {"kind": "tag", "train": rows}}, from_scratch=small, epochs=1)
    >>> (tagged,) = tenor.tag(["a cat sat"], model=run.load())
    >>> list(zip(tagged.words, tagged.offsets))
    [('a', (0, 1)), ('cat', (2, 5)), ('sat', (6, 9))]
    >>> len(tagged.tags)
    3
    """
    if not isinstance(texts, Path):
        return tag_with(given_model(model), texts, task=task)
    problems = Problems(strict)
    tagged = list(tag_file(given_model(model), texts, task=task, column=column, problems=problems))
    log_problems(problems)
    return tagged
