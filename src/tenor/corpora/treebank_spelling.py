"""The spelling of the Penn Treebank, which several corpora keep, as people write it."""

_UPPER = (("-LRB-", "("), ("-RRB-", ")"), ("``", '"'), ("''", '"'), ("\\/", "/"))
_LOWER = (("-lrb-", "("), ("-rrb-", ")"), ("``", '"'), ("''", '"'))


def untokenised(text: str) -> str:
    """Undo the treebank's spelling of brackets, slashes and quotes, which no other text has.

    >>> untokenised("a `` fine '' film -LRB- and\\\\/or not -RRB-")
    'a " fine " film ( and/or not )'
    """
    for theirs, usual in _UPPER:
        text = text.replace(theirs, usual)
    return text


def untokenised_lower(text: str) -> str:
    """Do the same for text that was lower-cased after it had been tokenised.

    >>> untokenised_lower("rome -lrb- italy -rrb-")
    'rome ( italy )'
    """
    for theirs, usual in _LOWER:
        text = text.replace(theirs, usual)
    return text
