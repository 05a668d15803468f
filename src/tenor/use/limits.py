"""How many texts go beyond a model's limit: counted everywhere, so that nothing is cut unnoticed."""

from collections.abc import Sequence

from tenor.model import Model

_AT_ONCE = 4096
_CHUNKED = "their vectors are means over chunks"


def count_beyond_limit(model: Model, texts: Sequence[str], *, prompt: str | None = None) -> int:
    """Count the texts that have more tokens than the model takes, a prompt in front included.

    Only texts that could be too long are tokenised.
    """
    if model.max_tokens is None:
        return 0
    name = model.settings.default_prompt if prompt is None else prompt
    front = model.prompts.get(name, name) if name else ""
    room = model.max_tokens - 2  # the special tokens at both ends take two positions
    suspects = [front + text for text in texts if _most_tokens(front + text) > room]
    count = 0
    for start in range(0, len(suspects), _AT_ONCE):
        dropped = model.tokenizer.tokenize(suspects[start : start + _AT_ONCE]).dropped
        count += 0 if dropped is None else int((dropped > 0).sum())
    return count


def _most_tokens(text: str) -> int:
    """Bound the tokens of a text: each has a character, but normalising takes some apart, into four at most.

    So a Korean syllable becomes up to three letters, and each of these may be a token.
    """
    return len(text) if text.isascii() else 4 * len(text)


def tell_beyond_limit(count: int, long: str) -> str | None:
    """Say in a sentence what became of texts beyond the limit, or None where there were none.

    >>> tell_beyond_limit(2, "chunk")
    "2 texts are longer than the model's limit: their vectors are means over chunks."
    """
    if not count:
        return None
    texts = "1 text is" if count == 1 else f"{count:,} texts are"
    cut = "only the beginning of each counts (--long chunk takes all of it)"
    return f"{texts} longer than the model's limit: {cut if long == 'truncate' else _CHUNKED}."
