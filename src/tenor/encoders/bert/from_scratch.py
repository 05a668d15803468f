"""A new BERT: word pieces learned from texts, and random weights.

What pre-training begins with, and what a check of a whole procedure runs on in seconds. The folder is a plain
BERT checkpoint with mean pooling, which `tenor`, `transformers` and sentence-transformers open.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tenor.encoders.bert.config import BertConfig
from tenor.encoders.from_scratch import FromScratch, check_at_least, check_size, seeded
from tenor.errors import TenorError
from tenor.files import write_json

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LETTERS = 1000  # the most different letters; rarer ones become [UNK]


@dataclass(frozen=True, slots=True, kw_only=True)
class BertFromScratch(FromScratch):
    """The ``[from_scratch]`` section of a run file for a new BERT with random weights.

    >>> import tempfile
    >>> from tenor.model import load
    >>> texts = ["a cat sat on the mat", "the dog sat on the cat"]
    >>> settings = BertFromScratch(vocab_size=60, hidden_size=8, num_heads=2, num_layers=1)
    >>> load(settings.write(Path(tempfile.mkdtemp()) / "new", texts)).encode(["the cat"]).shape
    (1, 8)
    """

    model_type: Literal["bert"] = "bert"
    num_layers: int = 4
    hidden_size: int = 256
    num_heads: int = 4
    intermediate_size: int | None = None
    """Of the feed-forward layers. Default: four times ``hidden_size``."""
    vocab_size: int = 10_000
    """The most word pieces, learned from the texts that are trained on; few texts give fewer."""
    max_positions: int = 128
    """The most tokens of a text."""
    lowercase: bool = True

    def __post_init__(self) -> None:
        check_at_least(self, num_layers=1, hidden_size=1, num_heads=1, intermediate_size=1)
        if self.hidden_size % self.num_heads:
            raise TenorError(
                f"hidden_size is {self.hidden_size}, which is not divisible by num_heads, {self.num_heads}."
            )
        check_at_least(self, vocab_size=2 * len(SPECIALS), max_positions=8)
        d, inner = self.hidden_size, self.intermediate_size or 4 * self.hidden_size
        blocks = self.num_layers * (4 * d * d + 2 * d * inner)
        check_size(
            self,
            num_layers=1_000,
            vocab_size=10_000_000,
            max_positions=1_000_000,
            parameters=blocks + d * (self.vocab_size + self.max_positions),
        )

    def write_encoder(self, folder: Path, texts: Iterable[str], *, seed: int) -> int:
        """Write config, weights and tokenizer, and return the hidden size."""
        pieces = _write_tokenizer(
            folder, texts, vocab_size=self.vocab_size, positions=self.max_positions, lower=self.lowercase
        )
        config = BertConfig(
            vocab_size=pieces,
            hidden_size=self.hidden_size,
            num_hidden_layers=self.num_layers,
            num_attention_heads=self.num_heads,
            intermediate_size=self.intermediate_size or 4 * self.hidden_size,
            max_position_embeddings=self.max_positions,
        )
        _write_weights(folder, config, seed)
        return self.hidden_size


def _write_tokenizer(
    folder: Path, texts: Iterable[str], *, vocab_size: int, positions: int, lower: bool
) -> int:
    """Learn word pieces, write the tokenizer's files, and return how many pieces there are."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    learned = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learned.normalizer = normalizers.BertNormalizer(lowercase=lower)
    learned.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    texts = list(texts)
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
        "tokenizer_class": "BertTokenizer",
        "model_max_length": positions,
        **names,
    }
    write_json(folder / "tokenizer_config.json", settings)
    size: int = made.get_vocab_size()
    return size


def _write_weights(folder: Path, config: BertConfig, seed: int) -> None:
    from tenor.encoders.bert.checkpoint import BertCheckpoint
    from tenor.encoders.bert.encoder import BertEncoder

    with seeded(seed):
        BertCheckpoint(BertEncoder(config)).save(folder)
