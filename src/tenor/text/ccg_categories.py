r"""Categories of CCG as trees: ``(S[dcl]\NP)/NP`` is a functor whose result is ``S[dcl]\NP``.

A category is an atom, perhaps with a feature in brackets, or a functor: result, slash, argument. Parts that
are functors themselves stand in parentheses, as CCGbank writes them; whatever else is malformed.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_ATOM = re.compile(r"([^()/\\\[\]\s]+)(?:\[([^\[\]()/\\\s]+)\])?")
_MOST_DEPTH = 60


@dataclass(frozen=True, slots=True)
class Category:
    r"""An atom (``slash`` is empty), or a functor with its result and argument.

    >>> category = parse_category(r"(S[dcl]\NP)/NP")
    >>> str(category), str(category.result), category.slash
    ('(S[dcl]\\NP)/NP', 'S[dcl]\\NP', '/')
    """

    atom: str = ""
    feature: str = ""
    slash: str = ""
    result: "Category | None" = None
    argument: "Category | None" = None

    def __str__(self) -> str:
        if self.result is None or self.argument is None:
            return f"{self.atom}[{self.feature}]" if self.feature else self.atom
        parts = (f"({part})" if part.slash else str(part) for part in (self.result, self.argument))
        return self.slash.join(parts)

    @property
    def size(self) -> int:
        """The number of atoms."""
        if self.result is None or self.argument is None:
            return 1
        return self.result.size + self.argument.size


def functor(result: Category, slash: str, argument: Category) -> Category:
    """Return the category that gives ``result`` with an argument at its right (/) or left (\\)."""
    return Category(slash=slash, result=result, argument=argument)


@lru_cache(maxsize=50_000)
def parse_category(label: str) -> Category | None:
    r"""Return the tree of a category, None where it is malformed.

    >>> parse_category("NP/N/N"), parse_category("(NP/N"), parse_category("") is None
    (None, None, True)
    """
    parsed = _part(label, 0, 0, top=True)
    return parsed[0] if parsed is not None and parsed[1] == len(label) else None


def _part(label: str, at: int, depth: int, *, top: bool = False) -> tuple[Category, int] | None:
    """Parse what begins at a place: an atom, a functor in parentheses, or at the top a bare functor."""
    first = _operand(label, at, depth)
    if first is None or not top:
        return first
    left, at = first
    if at == len(label) or label[at] not in "/\\":
        return None if left.slash else first  # parentheses around the whole are redundant
    second = _operand(label, at + 1, depth)
    return None if second is None else (functor(left, label[at], second[0]), second[1])


def _operand(label: str, at: int, depth: int) -> tuple[Category, int] | None:
    if depth > _MOST_DEPTH:
        return None
    if label[at : at + 1] == "(":
        inner = _part(label, at + 1, depth + 1, top=True)
        if inner is None or not inner[0].slash or label[inner[1] : inner[1] + 1] != ")":
            return None  # parentheses around an atom are redundant, and not as CCGbank writes it
        return inner[0], inner[1] + 1
    match = _ATOM.match(label, at)
    if match is None:
        return None
    return Category(atom=match[1], feature=match[2] or ""), match.end()
