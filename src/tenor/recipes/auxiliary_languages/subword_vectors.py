"""Vectors of byte-pair pieces for each language, and for several languages together, as BPEmb has them.

A vocabulary of pieces is learned from a language's text, the text is cut into pieces, and PPMI-SVD gives each
piece a vector, all of the same length. The multilingual vectors are those of the texts of all languages of a
target as one.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tenor.recipes.auxiliary_languages.data import Target, Words, read_text, shared_folder
from tenor.recipes.recipe import Context

VECTORS = "vectors.safetensors"
MULTI = "multi"


def sources_of(setting: str, target: Target) -> tuple[str, ...]:
    """Return the languages whose vectors a setting of the paper gives to a target.

    >>> from tenor.recipes.auxiliary_languages.data import TARGETS
    >>> sources_of("mono+nl", TARGETS["NER es"])
    ('es', 'nl')
    """
    own = target.language
    named = {
        "mono": (own,),
        "multi": (MULTI,),
        "mono+mono": (own, own),
        "mono+multi": (own, MULTI),
        "mono+all": (*target.languages, MULTI),
        "meta": (*target.languages, MULTI),
    }
    return named[setting] if setting in named else (own, setting.removeprefix("mono+"))


def embeddings_of(setting: str, target: Target, context: Context) -> list[dict[str, Any]]:
    """Return the embeddings of an encoder, one for each source, which training leaves as they are."""
    return [
        {
            "type": "bpe",
            "tokenizer": str(folder),
            "vectors": str(folder / VECTORS),
            "pooling": "ends",
            "lowercase": True,
            "freeze": True,
        }
        for folder in (vectors_folder(source, target, context) for source in sources_of(setting, target))
    ]


def vectors_folder(source: str, target: Target, context: Context) -> Path:
    """Return the folder of a source's tokenizer and vectors, made by the first cell that asks."""
    languages = target.languages if source == MULTI else (source,)
    settings = {name: context.settings[name] for name in ("pieces", "vector_size", "window")}

    def make(folder: Path) -> None:
        text = [sentence for language in languages for sentence in read_text(language, context)]
        write_vectors(folder, text, **settings)

    return shared_folder(context, "-".join(sorted(languages)), make, **settings)


def write_vectors(folder: Path, text: Sequence[Words], *, pieces: int, vector_size: int, window: int) -> None:
    """Learn pieces and their vectors from a text, and write both."""
    from tokenizers import Tokenizer

    from tenor.encoders.embedded.word_embeddings.begin import learn_pieces
    from tenor.words.corpus import read_corpus
    from tenor.words.counting import PpmiConfig, train_ppmi

    counts = Counter(word.lower() for sentence in text for word in sentence)
    vocabulary = learn_pieces(counts, vocab_size=pieces)
    (folder / "tokenizer.json").write_text(vocabulary, encoding="utf-8")
    tokenizer = Tokenizer.from_str(vocabulary)
    spelled = {word: tokenizer.encode(word).tokens for word in counts}
    lines = folder / "pieces.txt"
    with lines.open("w", encoding="utf-8", newline="\n") as file:
        for sentence in text:
            file.write(" ".join(piece for word in sentence for piece in spelled[word.lower()]) + "\n")
    corpus = read_corpus(lines, lowercase=False, split="spaces", min_count=1)
    lines.unlink()
    made = train_ppmi(corpus, PpmiConfig(vector_size=vector_size, window=window))
    # A length of √d gives entries of about 1, with which an LSTM learns in few steps.
    lengths = np.linalg.norm(made.vectors, axis=1, keepdims=True) / np.sqrt(vector_size)
    made.replace(made.vectors / np.maximum(lengths, 1e-9)).save(folder / VECTORS)
