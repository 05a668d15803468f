"""Words that a model does not know, so that texts which differ in them alone are not taken for the same.

A model reads an emoji, or a word of a script that its vocabulary lacks, as one token for all of these, or
leaves it out: "I love 🍕" and "I love 🍔" get the same vector, and so do any two sentences of Thai. Where
a fraction s of a text's tokens is unknown, its unit vector v is therefore joined by a unit vector w that is
drawn from the unknown words themselves:

    [sqrt(1 - s) v, sqrt(s) w],    so that the cosine of two texts is
    sqrt((1 - s)(1 - s')) cos(v, v') + sqrt(s s') cos(w, w').

w is the normalised sum of one random sign vector per word, so that cos(w, w') is 1 for the same words and
about 0 for others. A text without unknown words keeps its vector.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np

from tenor.model import Model
from tenor.text.unknown_words import UnknownWords, unknown_words
from tenor.use.dedupe.neighbours import Floats, Rows
from tenor.use.unit_vectors import normalise

Encode = Callable[[Rows, Floats], None]
SIGNS = 128  # numbers of w: two words agree in nine of ten by chance once in 10^22 pairs


def with_unknown_words(model: Model, texts: Sequence[str], encode: Encode) -> tuple[Encode, int]:
    """Return what fills in vectors that know the unknown words too, and how long these are."""
    found = unknown_words(model.tokenizer, texts)
    if not found:
        return encode, model.width
    width = model.width

    def encode_both(rows: Rows, out: Floats) -> None:
        known = out[:, :width]
        encode(rows, known)
        normalise(known)
        out[:, width:] = 0
        for place, row in enumerate(rows.tolist()):
            if (unknown := found.get(row)) is not None:
                out[place, :width] *= np.sqrt(1 - unknown.share)
                out[place, width:] = np.sqrt(unknown.share) * _signs(unknown, texts[row])

    return encode_both, width + SIGNS


def _signs(unknown: UnknownWords, text: str) -> Floats:
    """Return the unit vector of unknown words [SIGNS]; of those that are no word for us, that of the text."""
    total = np.sum([_sign(word.casefold()) for word in unknown.words or (text,)], axis=0)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length else _sign(text) / np.sqrt(SIGNS), dtype=np.float32)


def _sign(word: str) -> Floats:
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=SIGNS // 8).digest()
    return np.unpackbits(np.frombuffer(digest, dtype=np.uint8)).astype(np.float32) * 2 - 1
