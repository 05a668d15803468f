"""A word-level vocabulary, counted in texts and written as ``tokenizer.json``.

Words and punctuation are split as :func:`tenor.text.words.split_words` splits them, by one regular expression
that the `tokenizers` library runs. It differs in one rare thing: a clitic after a number with a point
(``3.5's``) is one word here.
"""

from collections.abc import Iterable
from pathlib import Path

from tenor.files import write_json

PAD, UNKNOWN = "[PAD]", "[UNK]"

_APOSTROPHE = r"'\x{2019}\x{02BC}"
_IDEOGRAPH = (
    r"\x{3400}-\x{4DBF}\x{4E00}-\x{9FFF}\x{F900}-\x{FAFF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2CEAF}"
    r"\x{2F800}-\x{2FA1F}"
)
_SPACE = r"\s\x{1C}-\x{1F}\x{85}"
_L = rf"[\p{{L}}\p{{Nl}}\p{{No}}&&[^{_APOSTROPHE}{_IDEOGRAPH}]]"
_D, _M = r"\p{Nd}", r"\p{M}"
_F = rf"[\p{{C}}&&[^{_SPACE}]]"
_LD, _LDM, _LDMF = f"[{_L}{_D}]", f"[{_L}{_D}{_M}]", f"[{_L}{_D}{_M}{_F}]"
_A = f"[{_APOSTROPHE}]"
_STEM = f"{_LD}(?:{_LDMF}*{_LDM})?"
# A clitic ends its word: nothing may follow that would go on with it.
_CLITIC = rf"(?i:s|m|d|re|ve|ll)(?!{_F}*{_LDM}|{_A}{_LD})"
_SYMBOL = rf"[^{_SPACE}\p{{L}}\p{{N}}\p{{M}}\p{{C}}{_IDEOGRAPH}]"
WORD = "|".join(
    [
        rf"(?<!{_LD})(?:{_L}\.){{2,}}",  # abbreviations
        rf"{_D}+(?:[.,]{_D}+)+(?!{_LDM})",  # numbers
        rf"(?<={_LD}){_A}{_CLITIC}",
        rf"{_STEM}(?:(?:(?<={_M}){_A}|{_A}(?!{_CLITIC})){_STEM})*",
        rf"[{_IDEOGRAPH}]{_M}*",
        rf"(?:{_A}|{_SYMBOL}){_M}*",
        rf"{_M}+",
    ]
)


def write_word_level(
    folder: Path,
    texts: Iterable[str],
    *,
    vocab_size: int,
    min_count: int = 1,
    lowercase: bool = True,
    further: Iterable[str] = (),
) -> list[str]:
    """Count words, write the tokenizer of the most frequent ones, and return the vocabulary in its order.

    ``vocab_size`` counts the special tokens [PAD] and [UNK] too; ``further`` words are added beyond it.

    >>> import tempfile
    >>> write_word_level(Path(tempfile.mkdtemp()), ["It's a cat.", "a dog"], vocab_size=5)
    ['[PAD]', '[UNK]', 'a', "'s", '.']
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    counting = Tokenizer(models.WordLevel(unk_token=UNKNOWN))
    if lowercase:
        counting.normalizer = normalizers.Lowercase()
    counting.pre_tokenizer = pre_tokenizers.Split(Regex(WORD), behavior="removed", invert=True)
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocab_size, min_frequency=min_count, special_tokens=[PAD, UNKNOWN], show_progress=False
    )
    counting.train_from_iterator(texts, trainer)
    counted = counting.get_vocab(with_added_tokens=True)
    words = list(dict.fromkeys([*sorted(counted, key=counted.__getitem__), *further]))
    # Made anew, without special tokens that a text could write out.
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token=UNKNOWN))
    made.normalizer, made.pre_tokenizer = counting.normalizer, counting.pre_tokenizer
    made.post_processor = processors.TemplateProcessing(single="$A:0", pair="$A:0 $B:0", special_tokens=[])
    made.save(str(folder / "tokenizer.json"))
    write_json(folder / "tokenizer_config.json", {"pad_token": PAD, "unk_token": UNKNOWN})
    return words
