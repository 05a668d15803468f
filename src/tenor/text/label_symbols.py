"""Labels as sequences of symbols: ``(S[dcl]\\NP)/NP`` is ``( S[dcl] \\ NP ) / NP``, ``B-PER`` is ``B - PER``.

A label is split at parentheses, slashes, bars and hyphens, which are symbols themselves, so that joining the
symbols gives the label again. What stands between is one symbol, with its features.
"""

import re
from collections.abc import Iterable

_DELIMITER = re.compile(r"([()/\\|\-])")


def split_label(label: str) -> list[str]:
    r"""Return the symbols of a label.

    >>> split_label(r"(S[dcl]\NP)/NP")
    ['(', 'S[dcl]', '\\', 'NP', ')', '/', 'NP']
    """
    return [symbol for symbol in _DELIMITER.split(label) if symbol]


def label_symbols(labels: Iterable[str]) -> tuple[str, ...]:
    """Return all symbols of labels, sorted.

    >>> label_symbols(["N/N", "NP", "NP/N"])
    ('/', 'N', 'NP')
    """
    return tuple(sorted({symbol for label in labels for symbol in split_label(label)}))


def without_redundant_parentheses(label: str) -> str:
    r"""Return a category without parentheses around the whole of it, or twice around a part.

    >>> without_redundant_parentheses(r"((A/B))"), without_redundant_parentheses(r"((A\B))/C")
    ('A/B', '(A\\B)/C')
    """
    symbols = split_label(label)
    partner = _partners(symbols)
    if partner is None:
        return label
    redundant: set[int] = set()
    for begin, end in partner.items():
        outer = begin == 0 and end == len(symbols) - 1
        doubled = partner.get(begin + 1) == end - 1
        if outer or doubled or end == begin + 2:
            redundant |= {begin, end}
    if not redundant:
        return label
    return without_redundant_parentheses(
        "".join(symbol for place, symbol in enumerate(symbols) if place not in redundant)
    )


def _partners(symbols: list[str]) -> dict[int, int] | None:
    """Return where each opening parenthesis is closed; None where they do not match."""
    opened: list[int] = []
    partner: dict[int, int] = {}
    for place, symbol in enumerate(symbols):
        if symbol == "(":
            opened.append(place)
        elif symbol == ")":
            if not opened:
                return None
            partner[opened.pop()] = place
    return None if opened else partner
