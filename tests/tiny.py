"""A tiny random BERT in a sentence-transformers folder: 2 layers, width 32, a vocabulary of its own."""

import json
import string
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tenor.encoders.bert.from_scratch import BertFromScratch

WORDS = """
the a an of to in and is are was not no it he she they we you i do does did can will this that with for on
at from by as be have has had how what where when who why which cat dog sat mat house tree river city book
man woman child water food good bad big small old new red blue fast slow run walk eat drink read write play
learn guitar language python code question answer price money day night year time work home school music
film game team world people un able happy sad love hate like make take give find think say tell ask
""".split()  # noqa: SIM905
PIECES = ["##s", "##ed", "##ing", "##ly", "##er", "##est", "##ness", "##able", "##un"]
VOCABULARY = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
    *dict.fromkeys([*WORDS, *string.ascii_lowercase, *string.digits, *".,;:!?'\"-()", "é", "漢", "字", "人"]),
    *PIECES, *("##" + char for char in string.ascii_lowercase + string.digits),
]  # fmt: skip

LAYERS, WIDTH, HEADS, INNER, POSITIONS, LIMIT = 2, 32, 4, 64, 64, 40


def write_tiny_model(
    folder: Path,
    *,
    seed: int = 0,
    pooling: str = "mean",
    normalize: bool = True,
    limit: int = LIMIT,
    scale: float = 0.2,
) -> Path:
    """Write the folder and return it; the same seed gives the same weights."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    _json(folder / "config.json", _config())
    save_file(_weights(seed, scale), folder / "model.safetensors", metadata={"format": "pt"})
    _tokenizer(folder)
    modules = ["Transformer", "Pooling"] + (["Normalize"] if normalize else [])
    paths = ["", "1_Pooling", "2_Normalize"]
    _json(
        folder / "modules.json",
        [
            {"idx": n, "name": str(n), "path": paths[n], "type": f"sentence_transformers.models.{kind}"}
            for n, kind in enumerate(modules)
        ],
    )
    _json(
        folder / "1_Pooling/config.json",
        {"word_embedding_dimension": WIDTH, "pooling_mode_cls_token": pooling == "cls",
         "pooling_mode_mean_tokens": pooling == "mean", "pooling_mode_max_tokens": pooling == "max"},
    )  # fmt: skip
    _json(folder / "sentence_bert_config.json", {"max_seq_length": limit, "do_lower_case": False})
    _json(folder / "config_sentence_transformers.json", {"prompts": {"query": "question: "}})
    return folder


def _config() -> dict[str, object]:
    return {
        "architectures": ["BertModel"], "model_type": "bert", "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER,
        "hidden_act": "gelu",
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "vocab_size": len(VOCABULARY),
        "layer_norm_eps": 1e-12, "pad_token_id": 0, "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
    }  # fmt: skip


def _weights(seed: int, scale: float) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    weights: dict[str, np.ndarray] = {}

    def matrix(name: str, *shape: int) -> None:
        weights[name] = (random.standard_normal(shape) * scale).astype(np.float32)

    def linear(name: str, out: int, width: int) -> None:
        matrix(f"{name}.weight", out, width)
        matrix(f"{name}.bias", out)

    def norm(name: str) -> None:
        matrix(f"{name}.bias", WIDTH)
        weights[f"{name}.weight"] = (1 + random.standard_normal(WIDTH) * scale).astype(np.float32)

    matrix("embeddings.word_embeddings.weight", len(VOCABULARY), WIDTH)
    matrix("embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    matrix("embeddings.token_type_embeddings.weight", 2, WIDTH)
    norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        for name in ("query", "key", "value"):
            linear(f"{at}.attention.self.{name}", WIDTH, WIDTH)
        linear(f"{at}.attention.output.dense", WIDTH, WIDTH)
        norm(f"{at}.attention.output.LayerNorm")
        linear(f"{at}.intermediate.dense", INNER, WIDTH)
        linear(f"{at}.output.dense", WIDTH, INNER)
        norm(f"{at}.output.LayerNorm")
    linear("pooler.dense", WIDTH, WIDTH)
    return weights


def _tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    vocabulary = {token: number for number, token in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    # As in real folders, the file's own settings are not those of the model: they must be overridden.
    tokenizer.enable_truncation(12)
    tokenizer.enable_padding(length=12)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").write_text("".join(token + "\n" for token in VOCABULARY), encoding="utf-8")
    special = {
        "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    }  # fmt: skip
    _json(folder / "special_tokens_map.json", special)
    _json(
        folder / "tokenizer_config.json",
        {"do_lower_case": True, "tokenizer_class": "BertTokenizer", "model_max_length": POSITIONS, **special},
    )


def _json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


def new_bert(folder, texts, *, seed=1, **sizes):
    """Write a BERT with random weights and a vocabulary learned from texts, and return its folder."""
    return BertFromScratch(**sizes).write(folder, texts, seed=seed)
