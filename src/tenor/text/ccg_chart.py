r"""CKY coverage of CCG supertags: whether any category spans a sentence whose words have these categories.

The rules are those that CCGbank's derivations use most:

    application             X/Y Y → X            Y X\Y → X
    composition             X/Y Y/Z → X/Z        Y\Z X\Y → X\Z        crossed: X/Y Y\Z → X\Z, Y/Z X\Y → X/Z
                            and of degree 2:     X/Y (Y|Z)|W → (X|Z)|W
    type-raising            X → S/(S\X), (S\NP)\((S\NP)/X) of NP and PP
    coordination            conj X → X\X, and of commas and semicolons
    punctuation             X . → X              . X → X
    unary rules             N → NP; S[ng]\NP, S[pss]\NP, S[adj]\NP, S[to]\NP → NP\NP, (S\NP)\(S\NP), S/S;
                            S[dcl]/NP → NP\NP

An atom without a feature matches the same atom with any; the feature that S of an argument met is passed on
to the S without one in the result, so that (S\NP)\(S\NP) keeps what it modifies. A category of more than 12
atoms is not built. The sets of a chart are bit masks, and what two sets give is worked out once.
"""

from collections.abc import Iterable, Sequence

from tenor.text.ccg_categories import Category, functor, parse_category

_MOST_ATOMS = 12
_MOST_CACHED = 500_000
_NP, _S = Category(atom="NP"), Category(atom="S")
_VERB_PHRASE = functor(_S, "\\", _NP)
_BRACKETS = ("LRB", "RRB", "LQU", "RQU")
_REDUCED = ("ng", "pss", "adj", "to")
_ROOTS = ("S", "NP", "N")


class Chart:
    r"""Combines categories; one chart remembers what it worked out over many sentences.

    >>> Chart().spans(["NP", r"(S[dcl]\NP)/NP", "NP[nb]/N", "N"]), Chart().spans(["NP", "NP[nb]/N"])
    (True, False)
    """

    def __init__(self) -> None:
        self._numbers: dict[Category, int] = {}
        self._categories: list[Category] = []
        self._closed: list[int] = []  # the category and what unary rules make of it, as a mask
        self._pairs: dict[tuple[int, int], int] = {}
        self._sets: dict[tuple[int, int], int] = {}

    def spans(self, labels: Sequence[str]) -> bool:
        """Whether any category spans the words; a malformed one, or none at all, is not covered."""
        return self._root(labels) != 0

    def is_sentence(self, labels: Sequence[str]) -> bool:
        """Whether a sentence, a noun phrase or a noun spans the words: what a parser would give out."""
        root = self._root(labels)
        return any(self._categories[number].atom in _ROOTS for number in _bits(root))

    def _root(self, labels: Sequence[str]) -> int:
        parsed = [parse_category(label) for label in labels]
        if not parsed or any(category is None for category in parsed):
            return 0
        cells = {
            (place, place + 1): self._mask([category])
            for place, category in enumerate(parsed)
            if category is not None
        }
        for width in range(2, len(parsed) + 1):
            for begin in range(len(parsed) - width + 1):
                end, found = begin + width, 0
                for middle in range(begin + 1, end):
                    left, right = cells[begin, middle], cells[middle, end]
                    if left and right:
                        found |= self._combined(left, right)
                cells[begin, end] = found
        return cells[0, len(parsed)]

    def _number(self, category: Category) -> int:
        number = self._numbers.get(category)
        if number is None:
            number = self._numbers[category] = len(self._categories)
            self._categories.append(category)
            self._closed.append(0)
            self._closed[number] = 1 << number | self._mask(_unary(category))
        return number

    def _mask(self, categories: Iterable[Category]) -> int:
        mask = 0
        for category in categories:
            mask |= self._closed[self._number(category)]
        return mask

    def _combined(self, left: int, right: int) -> int:
        """Return all categories that two sets of categories give side by side."""
        known = self._sets.get((left, right))
        if known is not None:
            return known
        found = 0
        for one in _bits(left):
            for two in _bits(right):
                pair = self._pairs.get((one, two))
                if pair is None:
                    pair = self._mask(combine(self._categories[one], self._categories[two]))
                    self._pairs[one, two] = pair
                found |= pair
        if len(self._sets) < _MOST_CACHED:
            self._sets[left, right] = found
        return found


def combine(left: Category, right: Category) -> list[Category]:
    r"""Return all categories that two neighbours give by binary rules.

    >>> noun, article = parse_category("N"), parse_category("NP[nb]/N")
    >>> [str(category) for category in combine(article, noun)]
    ['NP[nb]']
    """
    found = [*_forward(left, right), *_backward(left, right)]
    if _punctuation(right) and not _punctuation(left):
        found.append(left)
    elif _punctuation(left) and not _punctuation(right):
        found.append(right)
    if left.atom in ("conj", ",", ";") and not _punctuation(right) and right.atom != "conj":
        found.append(functor(right, "\\", right))
    return [category for category in found if category.size <= _MOST_ATOMS]


def _forward(left: Category, right: Category) -> list[Category]:
    """Apply or compose X/Y with what stands at its right."""
    if left.slash != "/" or left.result is None or left.argument is None:
        return []
    return _reduced(left.result, left.argument, right)


def _backward(left: Category, right: Category) -> list[Category]:
    """Apply or compose X\\Y with what stands at its left."""
    if right.slash != "\\" or right.result is None or right.argument is None:
        return []
    return _reduced(right.result, right.argument, left)


def _reduced(result: Category, wanted: Category, given: Category) -> list[Category]:
    """Give X from X|Y and Y, X|Z from X|Y and Y|Z, and (X|Z)|W from X|Y and (Y|Z)|W."""
    found: list[Category] = []
    arguments: list[tuple[str, Category]] = []
    inner: Category | None = given
    while inner is not None and len(arguments) <= 2:
        feature = _matched(wanted, inner)
        if feature is not None:
            category = _with_feature(result, feature)
            for slash, argument in reversed(arguments):
                category = functor(category, slash, argument)
            found.append(category)
        if inner.argument is not None:
            arguments.append((inner.slash, inner.argument))
        inner = inner.result
    return found


def _matched(wanted: Category, given: Category) -> str | None:
    """Return the feature that an S without one met, "" where there was none; None where they differ."""
    if wanted.slash != given.slash:
        return None
    if wanted.result is None or given.result is None or wanted.argument is None or given.argument is None:
        if wanted.atom != given.atom:
            return None
        if wanted.feature and given.feature and wanted.feature != given.feature:
            return None
        return given.feature if wanted.atom == "S" and not wanted.feature else ""
    first = _matched(wanted.result, given.result)
    second = None if first is None else _matched(wanted.argument, given.argument)
    if first is None or second is None or (first and second and first != second):
        return None
    return first or second


def _with_feature(category: Category, feature: str) -> Category:
    if not feature:
        return category
    if category.result is None or category.argument is None:
        return Category(atom="S", feature=feature) if category == _S else category
    return functor(
        _with_feature(category.result, feature), category.slash, _with_feature(category.argument, feature)
    )


def _punctuation(category: Category) -> bool:
    return not category.slash and (
        category.atom in _BRACKETS or not any(letter.isalnum() for letter in category.atom)
    )


def _unary(category: Category) -> list[Category]:
    """Return what unary rules and type-raising make of a category, by one step."""
    if category.atom == "N":
        return [Category(atom="NP")]
    if category.atom in ("NP", "PP"):
        raised = Category(atom=category.atom)
        return [
            functor(_S, "/", functor(_S, "\\", raised)),
            functor(_VERB_PHRASE, "\\", functor(_VERB_PHRASE, "/", raised)),
        ]
    if category.result is None or category.argument is None or category.argument.atom != "NP":
        return []
    if category.slash == "\\" and category.result.atom == "S" and category.result.feature in _REDUCED:
        return [
            functor(_NP, "\\", _NP),
            functor(_VERB_PHRASE, "\\", _VERB_PHRASE),
            functor(_S, "/", _S),
        ]
    if str(category) == "S[dcl]/NP":
        return [functor(_NP, "\\", _NP)]
    return []


def _bits(mask: int) -> Iterable[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
