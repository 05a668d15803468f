"""Pre-training from scratch: a small BERT on the text of one language, of two, or of all.

All text of a language is one stream of tokens, cut into sequences whatever ends in them; a batch is of one
language, drawn uniformly; the vocabulary of two languages is of equally many sentences of each. Masked tokens
alone are learned from, 15 % of a batch, rare ones more often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenor.files import read_json
from tenor.recipes.low_resource_encoders.data import LANGUAGES, Target, Words, read_text
from tenor.recipes.low_resource_encoders.factor_design import text_shares
from tenor.recipes.recipe import Context, Settings

DEV_EVERY = 20
"""So manieth sentence of a text is held out to measure by; no tagger ever is."""
SHARED = ("vocab_size", "num_layers", "sequence_tokens", "batch_size", "selection")
"""Settings that a cell may have of its own."""


@dataclass(frozen=True, slots=True)
class Pretraining:
    """Which languages an encoder is pre-trained on, how much of each one's text it sees, and its settings."""

    shares: Mapping[str, float]
    settings: Settings

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages, in order."""
        return tuple(self.shares)


def pretraining_of(setting: str, target: Target, cell: Settings, context: Context) -> Pretraining:
    """Return the pre-training of a cell for a target: mono, related, unrelated, multi; none stands at mono's.

    ``cell`` may change vocabulary, layers, length, batch and masking.
    """
    if setting == "multi":
        shares = text_shares(context.seed, LANGUAGES)
    else:
        partner = {"related": target.related, "unrelated": target.unrelated}.get(setting)
        shares = dict.fromkeys(filter(None, (target.language, partner)), 1.0)
    settings = dict(context.settings["pretraining"])
    settings |= {name: cell[name] for name in SHARED if name in cell}
    settings["steps"] = context.settings["steps"]
    if setting == "multi":
        settings |= context.settings["multi"]
    return Pretraining(shares, settings)


def new_encoder(pretraining: Pretraining, context: Context) -> Path:
    """Return the folder of an encoder with random weights and the vocabulary of its languages."""
    from tenor.encoders.from_scratch import from_scratch_config

    sizes = {name: pretraining.settings[name] for name in ("vocab_size", "num_layers", "hidden_size")}
    sizes |= {"num_heads": pretraining.settings["num_heads"]}
    limit = int(pretraining.settings["sequence_tokens"])

    def make(folder: Path) -> None:
        texts = [read_text(name, context, share=share) for name, share in pretraining.shares.items()]
        config = from_scratch_config(
            {**sizes, "max_positions": limit, "lowercase": False, "vocabulary": "unigram"}
        )
        config.write(folder / "encoder", vocabulary_texts(texts), seed=context.seed)

    settings = {"shares": dict(pretraining.shares), "seed": context.seed, "limit": limit, **sizes}
    return context.shared("new-encoder", make, settings=settings) / "encoder"


def vocabulary_texts(texts: Sequence[Sequence[Words]]) -> list[str]:
    """Return what a vocabulary is learned from: equally many sentences of two languages, all of more."""
    count = min(map(len, texts)) if len(texts) == 2 else None
    return [" ".join(words) for text in texts for words in text[:count]]


def pretrained(pretraining: Pretraining, context: Context) -> Path:
    """Pre-train, or go on with it, and return the run folder."""
    from tenor import train

    beginning = new_encoder(pretraining, context)
    settings = {
        "shares": dict(pretraining.shares),
        "seed": context.seed,
        "text_words": context.settings["text_words"],
        **pretraining.settings,
    }
    with context.lasting("pretrained", settings=settings) as folder:
        run = folder / "run"
        if not (run / "metrics.json").is_file():
            train(
                beginning,
                mlm_tasks(pretraining, context),
                out=run,
                seed=context.seed,
                **training_settings(pretraining.settings),
            )
    return run


def mlm_tasks(pretraining: Pretraining, context: Context) -> dict[str, dict[str, Any]]:
    """Return a task for every language; all share the head of the first."""
    first, *_ = pretraining.languages
    tasks = {}
    for language, share in pretraining.shares.items():
        train, dev = streams(read_text(language, context, share=share))
        tasks[language] = {
            "kind": "mlm",
            "train": [{"text": train}],
            "dev": [{"text": dev}],
            "batch_size": pretraining.settings["batch_size"],
            "mlm_selection": pretraining.settings["selection"],
            **({} if language == first else {"share_head_with": first}),
        }
    return tasks


def streams(text: Sequence[Words]) -> tuple[str, str]:
    """Return the text as one stream to learn from and one to measure by."""
    held = [place % DEV_EVERY == DEV_EVERY - 1 for place in range(len(text))]
    if not any(held):
        held[-1] = True
    parts = ([words for words, out in zip(text, held, strict=True) if out is side] for side in (False, True))
    train, dev = (" ".join(" ".join(words) for words in part) for part in parts)
    return train, dev


def training_settings(settings: Settings) -> dict[str, Any]:
    """Return the training settings; held-out text chooses among the checkpoints."""
    from tenor.recipes.fixed_training import FIXED

    steps, lr = int(settings["steps"]), settings["lr"]
    own = {
        "optimizer": "adam", "weight_decay": 0.0, "schedule": settings["schedule"], "warmup": 0.1,
        "max_grad_norm": 5.0, "task_sampling": "uniform", "epochs": 100_000, "steps": steps,
        "eval_steps": max(1, steps // int(settings["evaluations"])),
        "encoder_lr": lr, "head_lr": lr, "dropout": settings["dropout"], "precision": "fp32",
    }  # fmt: skip
    return FIXED | own


def losses(run: Path, language: str) -> tuple[list[float], list[float]]:
    """Return steps and perplexities of a language's held-out text, from the first measure in training on."""
    from tenor.report.run_log import read_log

    curve = zip(*read_log(run / "log.jsonl").scores[(language, "perplexity")], strict=True)
    measured = [(step, perplexity) for step, perplexity in curve if step > 0]
    return [step for step, _ in measured], [perplexity for _, perplexity in measured]


def final_perplexity(run: Path, language: str) -> float:
    """Return the perplexity of the checkpoint that was chosen."""
    scores = read_json(run / "metrics.json")["tasks"][language]["scores"]
    return float(scores["perplexity"]["estimate"])
