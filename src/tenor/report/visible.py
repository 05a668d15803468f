"""Characters that would act instead of being seen, taken out of what a page shows."""

# Control characters (but for tab and line feed), and marks that turn the direction of what follows.
_ACTING = [
    *range(9),
    11,
    12,
    13,
    *range(14, 32),
    *range(127, 160),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
]
_SURROGATES = range(0xD800, 0xE000)
_TABLE = dict.fromkeys(_ACTING, " ") | dict.fromkeys([*_SURROGATES, 0xFFFE, 0xFFFF], "\ufffd")


def visible(text: str) -> str:
    """Replace characters that command a terminal, a browser or the reading direction.

    Joiners stay, as emoji and several scripts are spelt with them.

    >>> visible("a\\x1b[31m\\u202eb")
    'a [31m b'
    """
    return text.translate(_TABLE)
