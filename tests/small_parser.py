"""Sentences with trees that follow from the words: nouns hang on the verb, what describes them on them."""

import numpy as np

NOUNS, VERBS, OTHERS = ["cat", "dog", "river", "city"], ["see", "like"], ["the", "old", "red"]


def parsed_rows(count, *, seed=0):
    """Return words, heads (from 1; 0 is the root) and relations."""
    random = np.random.default_rng(seed)
    return [_row(random) for _ in range(count)]


def _row(random):
    first, second = (_phrase(random) for _ in range(2))
    verb = len(first) + 1
    words = [*first, str(random.choice(VERBS)), *second]
    heads, relations = [], []
    for phrase, begin, relation in ((first, 0, "nsubj"), (second, verb, "obj")):
        if phrase is second:
            heads.append(0)
            relations.append("root")
        heads += [begin + len(phrase)] * (len(phrase) - 1) + [verb]
        relations += ["mod"] * (len(phrase) - 1) + [relation]
    return words, heads, relations


def _phrase(random):
    return [*random.choice(OTHERS, size=random.integers(0, 3)).tolist(), str(random.choice(NOUNS))]


def conllu(rows):
    """Write rows as CoNLL-U, with a comment, a multiword token and an empty node in each."""
    return "\n".join(
        "# text\n1-2\t_" + "\t_" * 8 + "\n"
        + "".join(
            f"{at}\t{word}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
            for at, (word, head, relation) in enumerate(zip(*row, strict=True), start=1)
        )
        + "1.1\tghost" + "\t_" * 8 + "\n"
        for row in rows
    )  # fmt: skip
