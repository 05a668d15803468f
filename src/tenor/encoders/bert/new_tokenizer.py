"""The vocabulary of a new BERT, learned from texts, and the files of its tokenizer.

wordpiece    pairs of pieces are joined, the likeliest first; words are cut greedily (Devlin et al., 2019)
unigram      pieces with probabilities, pruned from a large set; words are cut into the likeliest pieces
             (Kudo, 2018), as SentencePiece does: spaces belong to the piece behind them
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tenor.files import write_json

if TYPE_CHECKING:
    import tokenizers

VocabularyKind = Literal["wordpiece", "unigram"]
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LETTERS = 1000  # the most different letters; rarer ones become [UNK]
_DECIMALS = 3  # of the logarithm of a piece's probability


def write_tokenizer(
    folder: Path, texts: Iterable[str], *, kind: VocabularyKind, vocab_size: int, positions: int, lower: bool
) -> int:
    """Learn a vocabulary, write the tokenizer's files, and return how many pieces there are."""
    from tokenizers import processors

    learn, tokenizer_class = VOCABULARIES[kind]
    made = learn(list(texts), vocab_size, lower)
    made.add_special_tokens(list(SPECIALS))
    begin, end = (made.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    made.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", begin), ("[SEP]", end)],
    )
    made.save(str(folder / "tokenizer.json"))
    names = {f"{token[1:-1].lower()}_token": token for token in SPECIALS}
    write_json(folder / "special_tokens_map.json", names)
    settings = {
        "do_lower_case": lower,
        "tokenizer_class": tokenizer_class,
        "model_max_length": positions,
        **names,
    }
    write_json(folder / "tokenizer_config.json", settings)
    size: int = made.get_vocab_size()
    return size


def _wordpiece(texts: Sequence[str], vocab_size: int, lower: bool) -> "tokenizers.Tokenizer":
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    learned = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learned.normalizer = normalizers.BertNormalizer(lowercase=lower)
    learned.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    # The trainer numbers the letters inside words in the order of a hash table, another one each time. Handed
    # over as special tokens they have the same numbers always, and so have all pieces that are made of them.
    letters = Counter(letter for text in texts for letter in learned.normalizer.normalize_str(text))
    inside = sorted("##" + letter for letter, _ in letters.most_common(_LETTERS) if not letter.isspace())
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        special_tokens=[*SPECIALS, *inside],
        limit_alphabet=_LETTERS,
        show_progress=False,
    )
    learned.train_from_iterator(texts, trainer)
    made = Tokenizer(models.WordPiece(learned.get_vocab(with_added_tokens=True), unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = learned.normalizer, learned.pre_tokenizer
    made.decoder = decoders.WordPiece()
    return made


def _unigram(texts: Sequence[str], vocab_size: int, lower: bool) -> "tokenizers.Tokenizer":
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.Unigram())
    lowering = [normalizers.Lowercase()] if lower else []
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), *lowering])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.decoder = decoders.Metaspace(prepend_scheme="always")
    trainer = trainers.UnigramTrainer(
        vocab_size=vocab_size, special_tokens=list(SPECIALS), unk_token="[UNK]", show_progress=False
    )
    made.train_from_iterator(texts, trainer)
    learned = json.loads(made.to_str())["model"]["vocab"]
    made.model = models.Unigram(_settled(learned), unk_id=SPECIALS.index("[UNK]"), byte_fallback=False)
    return made


def _settled(learned: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return pieces and scores in an order, and of values, that do not depend on that of a hash table.

    The trainer sums in the order of such a table, which changes last digits, and gives letters that are no
    likely piece the lowest score plus a ten-thousandth more for each before it.
    """
    specials, pieces = learned[: len(SPECIALS)], learned[len(SPECIALS) :]
    lowest = min((score for _, score in pieces), default=0.0)
    letters = sum(len(piece) == 1 for piece, _ in pieces)
    unlikely = lowest + 1e-4 * letters + 1e-6
    scores = {
        piece: round(lowest if len(piece) == 1 and score <= unlikely else score, _DECIMALS)
        for piece, score in pieces
    }
    ordered = sorted(scores.items(), key=lambda each: (-each[1], each[0]))
    return [*((piece, score) for piece, score in specials), *ordered]


VOCABULARIES: Mapping[
    VocabularyKind, tuple[Callable[[Sequence[str], int, bool], "tokenizers.Tokenizer"], str]
] = {
    "wordpiece": (_wordpiece, "BertTokenizer"),
    "unigram": (_unigram, "PreTrainedTokenizerFast"),
}
"""kind -> what learns it, and the class of transformers that opens its tokenizer."""
