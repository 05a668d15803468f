"""A new encoder that knows nothing yet: its own vocabulary, learned from texts, and random weights.

What pre-training begins with, and what a check of a whole procedure runs on in seconds. The folder is a plain
BERT checkpoint with mean pooling, which `tenor`, `transformers` and sentence-transformers open.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from tenor.encoders.bert.config import BertConfig
from tenor.errors import TenorError
from tenor.files import atomic_folder, write_json

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LETTERS = 1000  # the most different letters; rarer ones become [UNK]


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshConfig:
    """The ``[fresh]`` section of a run file: a new encoder instead of one that knows something already.

    >>> FreshConfig(layers=2).width
    256
    """

    layers: int = 4
    width: int = 256
    heads: int = 4
    hidden: int | None = None
    """Width of the inner layers. Default: four times that of the encoder."""
    vocabulary: int = 10_000
    """The most word pieces, learned from the texts that are trained on."""
    positions: int = 128
    """The most tokens of a text."""
    lower: bool = True
    """Whether capitals count as small letters."""

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "hidden"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise TenorError(f"{name} is {value}; it must be at least 1.")
        if self.width % self.heads:
            raise TenorError(f"width is {self.width}, which {self.heads} heads cannot share equally.")
        for name, least in (("vocabulary", 2 * len(SPECIALS)), ("positions", 8)):
            if getattr(self, name) < least:
                raise TenorError(f"{name} is {getattr(self, name)}; it must be at least {least}.")

    def write(self, folder: str | Path, texts: Iterable[str], *, seed: int = 1) -> Path:
        """Write such an encoder, with a vocabulary learned from texts, to a new folder."""
        return write_fresh(folder, texts, **asdict(self), seed=seed)


def write_fresh(
    folder: str | Path,
    texts: Iterable[str],
    *,
    vocabulary: int = 8000,
    width: int = 256,
    layers: int = 4,
    heads: int = 4,
    hidden: int | None = None,
    positions: int = 128,
    lower: bool = True,
    seed: int = 1,
) -> Path:
    """Write a new encoder to a folder that is new or empty, and return it.

    ``vocabulary`` is the most word pieces; few texts give fewer.

    >>> import tempfile
    >>> from tenor.model import load
    >>> texts = ["a cat sat on the mat", "the dog sat on the cat"]
    >>> new = Path(tempfile.mkdtemp()) / "new"
    >>> folder = write_fresh(new, texts, vocabulary=60, width=8, heads=2, layers=1)
    >>> load(folder).encode(["the cat"]).shape
    (1, 8)
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TenorError(f"{folder} exists already; choose a folder that is new or empty.")
    with atomic_folder(folder) as aside:
        pieces = _write_tokenizer(aside, texts, vocabulary=vocabulary, positions=positions, lower=lower)
        config = BertConfig(
            vocabulary=pieces,
            width=width,
            layers=layers,
            heads=heads,
            hidden=hidden or 4 * width,
            positions=positions,
        )
        _write_weights(aside, config, seed)
        modules = (("Transformer", ""), ("Pooling", "1_Pooling"))
        entries = [
            {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for number, (kind, path) in enumerate(modules)
        ]
        write_json(aside / "modules.json", entries)
        (aside / "1_Pooling").mkdir()
        mean = {"word_embedding_dimension": width, "pooling_mode_mean_tokens": True}
        write_json(aside / "1_Pooling/config.json", mean)
        write_json(aside / "sentence_bert_config.json", {"max_seq_length": positions, "do_lower_case": False})
    return folder


def _write_tokenizer(
    folder: Path, texts: Iterable[str], *, vocabulary: int, positions: int, lower: bool
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
        vocab_size=vocabulary,
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
    import torch

    from tenor.encoders.bert.checkpoint import BertCheckpoint
    from tenor.encoders.bert.encoder import BertEncoder

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        BertCheckpoint(BertEncoder(config)).save(folder)
