"""Encoders of low-resource languages (spec 18): when are they good, and does a second language help?

A cell fine-tunes a small encoder on the tasks of a low-resource language: one that was pre-trained on that
language alone, with a related or an unrelated partner, or on all languages, and one with random weights.
Another fine-tunes the multilingual encoder on every language that has labels, with sizes of text and of
labels that are drawn; after it stands the analysis of these factors.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tenor.metrics.outcomes import Outcome
from tenor.recipes.low_resource_encoders.claims import (
    ALL_LANGUAGES,
    CLAIMS,
    FACTORS,
    FREQUENT,
    LOSS_DROP,
    MEAN_NER,
    MEAN_POS,
    MONO,
    MULTI,
    RANDOM,
    RELATED,
    SHORT,
    SMALL_VOCABULARY,
    SMALLER,
    TRIVIAL,
    UNIFORM,
    UNRELATED,
)
from tenor.recipes.low_resource_encoders.data import DATA, LANGUAGES, TARGETS, Target, read_rows, read_text
from tenor.recipes.low_resource_encoders.factor_design import label_rows, text_shares
from tenor.recipes.low_resource_encoders.factors import factor_outcomes
from tenor.recipes.low_resource_encoders.figures import coefficients, curves
from tenor.recipes.low_resource_encoders.pretraining import (
    final_perplexity,
    losses,
    new_encoder,
    pretrained,
    pretraining_of,
)
from tenor.recipes.low_resource_encoders.tagging import fine_tuned, trivial_outcomes
from tenor.recipes.low_resource_encoders.wiki_size import text_size
from tenor.recipes.recipe import Cell, CellResult, Context, Figure, Plan, Recipe, Settings

_LEAST = 0.01  # of a baseline that scores are divided by


def run(cell: Cell, context: Context) -> CellResult:
    """Score a cell on its targets, or on all languages."""
    targets = [TARGETS[name] for name in cell.settings.get("targets", ())]
    if cell.name == FACTORS:
        outcomes, rows = factor_outcomes(context.result_of(ALL_LANGUAGES).extras["points"])
        return CellResult(outcomes=outcomes, extras={"fits": rows})
    if cell.name == ALL_LANGUAGES:
        return _all_languages(context)
    if cell.name == FREQUENT:
        return _trivial(targets, context)
    return _encoders(cell, targets, context)


def _trivial(targets: Sequence[Target], context: Context) -> CellResult:
    """Score what needs no encoder."""
    outcomes: dict[str, Outcome] = {}
    for target in targets:
        outcomes |= trivial_outcomes(target, context)
    for task, metric in (("NER", MEAN_NER), ("POS", MEAN_POS)):
        drawn = label_rows(context.seed, task, int(context.settings["factor_rows"]))
        scores = [
            trivial_outcomes(target, context, rows=rows)[target.name].score for target, rows in drawn.items()
        ]
        outcomes[metric] = Outcome.number(float(np.mean(scores)))
    return CellResult(outcomes=outcomes)


def _encoders(cell: Cell, targets: Sequence[Target], context: Context) -> CellResult:
    """Pre-train an encoder for each target's language, unless it stays random, and fine-tune it."""
    setting = str(cell.settings["pretraining"])
    outcomes: dict[str, Outcome] = {}
    curves_of: dict[str, Any] = {}
    falls: dict[str, float] = {}
    for number, target in enumerate(targets):
        context.progress(number, len(targets))
        pretraining = pretraining_of(setting, target, cell.settings, context)
        if setting == RANDOM:
            encoder = new_encoder(pretraining, context)
        else:
            trained = pretrained(pretraining, context)
            encoder = trained / "model"
            curves_of[target.language] = curve = losses(trained, target.language)
            last = final_perplexity(trained, target.language)
            falls[target.language] = float(np.log(curve[1][0] / last))
        outcomes |= fine_tuned(target, encoder, context)
    if not falls:
        return CellResult(outcomes=outcomes)
    outcomes[LOSS_DROP] = Outcome.number(float(np.mean(list(falls.values()))))
    return CellResult(outcomes=outcomes, extras={"perplexity": curves_of})


def _all_languages(context: Context) -> CellResult:
    """Fine-tune the multilingual encoder on every language, with as many labels as are drawn."""
    encoder = pretrained(pretraining_of(MULTI, TARGETS["NER pcm"], {}, context), context) / "model"
    most = int(context.settings["factor_rows"])
    drawn = {
        target: rows
        for task in ("NER", "POS")
        for target, rows in label_rows(context.seed, task, most).items()
    }
    points = []
    for number, (target, rows) in enumerate(drawn.items()):
        context.progress(number, len(drawn))
        score = fine_tuned(target, encoder, context, rows=rows)[target.name].score
        points.append({**point_of(target, rows, context), "score": score})
    means = {
        metric: Outcome.number(float(np.mean([point["score"] for point in points if point["task"] == task])))
        for task, metric in (("NER", MEAN_NER), ("POS", MEAN_POS))
    }
    return CellResult(outcomes=means, extras={"points": points})


def point_of(target: Target, rows: int, context: Context) -> dict[str, Any]:
    """Return the sizes of a language's text, labels and vocabulary, and the score without an encoder."""
    share = text_shares(context.seed, LANGUAGES)[target.language]
    labelled = read_rows(target, "train", context, rows=rows)
    return {
        "task": target.task,
        "language": target.language,
        "text": text_size(read_text(target.language, context, share=share)),
        "sentences": len(labelled),
        "words": len({word for row in labelled for word in row.words}),
        "baseline": max(_LEAST, trivial_outcomes(target, context, rows=rows)[target.name].score),
    }


def cells_of(targets: Sequence[str], *, variants: Settings | None = None) -> tuple[Cell, ...]:
    """Return the cells of some targets; ``variants`` are settings of the monolingual encoder by cell."""
    named = {"targets": list(targets)}
    titles = {
        RANDOM: "random initialisation",
        MONO: "the language alone",
        RELATED: "with a related language",
        UNRELATED: "with an unrelated language",
        MULTI: "all languages",
    }
    return (
        Cell(name=FREQUENT, title="the most frequent tag of each word", settings=named),
        *(
            Cell(name=name, title=title, settings={"pretraining": name, **named})
            for name, title in titles.items()
        ),
        *(
            Cell(name=name, settings={"pretraining": MONO, **named, **settings})
            for name, settings in (variants or {}).items()
        ),
        Cell(name=ALL_LANGUAGES, title="all languages, fine-tuned on each"),
        Cell(name=FACTORS, title="factors over languages", after=(ALL_LANGUAGES,)),
    )


_SMALL_TARGETS = ("NER pcm", "POS af", "parse af")
_TUNING = {
    "repair": "retype", "ignore_punct": True, "dropout": 0.1, "arc_size": 64, "relation_size": 32,
    "tuning_batch_size": 16, "subwords": "first",
}  # fmt: skip
_MASKING = {"selection": "inverse_sqrt_frequency", "num_heads": 4, "evaluations": 5}

RECIPE = Recipe(
    name="low-resource-encoders",
    title="Small encoders of low-resource languages",
    paper="Wu and Dredze, Are All Languages Created Equal in Multilingual BERT?, 2020",
    spec=18,
    summary="Which sizes the scores of a multilingual encoder go with, over languages; and small encoders "
    "that are pre-trained from scratch on a low-resource language alone, with a related or an unrelated one, "
    "or on all languages, for entities, parts of speech and dependency trees.",
    version=1,
    scales={
        "tiny": Plan(
            cells=cells_of(
                tuple(TARGETS),
                variants={
                    SMALLER: {"num_layers": 1},
                    SMALL_VOCABULARY: {"vocab_size": 40},
                    SHORT: {"sequence_tokens": 12, "batch_size": 8},
                    UNIFORM: {"selection": "uniform"},
                },
            ),
            seeds=2,
            settings={
                "text_words": 400, "steps": 5, "multi": {"steps": 7, "vocab_size": 130},
                "pretraining": {
                    "vocab_size": 60, "num_layers": 2, "hidden_size": 8, "sequence_tokens": 24,
                    "batch_size": 4, "lr": 3e-3, "schedule": "linear", "dropout": 0.0,
                    **_MASKING, "num_heads": 2,
                },
                "train_rows": 12, "test_rows": 10, "factor_rows": 40,
                "tuning_steps": {"NER": 3, "POS": 3, "parse": 3}, "encoder_lr": 3e-3, "head_lr": 3e-3,
                **_TUNING, "arc_size": 8, "relation_size": 4,
            },
            data=False,
            about="12 made-up sentences of each target; a check only",
        ),
        "small": Plan(
            cells=cells_of(_SMALL_TARGETS),
            seeds=5,
            settings={
                "text_words": 40_000, "steps": 1500, "multi": {"steps": 2250, "vocab_size": 12_000},
                "pretraining": {
                    "vocab_size": 3000, "num_layers": 1, "hidden_size": 64, "sequence_tokens": 64,
                    "batch_size": 8, "lr": 3e-3, "schedule": "linear", "dropout": 0.0, **_MASKING,
                },
                "train_rows": 300, "test_rows": 300, "factor_rows": 800,
                "tuning_steps": {"NER": 200, "POS": 200, "parse": 400},
                "encoder_lr": 5e-3, "head_lr": 5e-3, **_TUNING, "subwords": "mean",
            },
            about="one layer of 64 units, 1,500 steps of pre-training on at most 40,000 words a language, "
            "300 labelled sentences to learn from, drawn anew for every seed, and 300 to test on",
        ),
        "full": Plan(
            cells=cells_of(
                tuple(TARGETS),
                variants={
                    SMALLER: {"num_layers": 6},
                    SMALL_VOCABULARY: {"vocab_size": 10_000},
                    SHORT: {"sequence_tokens": 128, "batch_size": 220},
                    UNIFORM: {"selection": "uniform"},
                },
            ),
            seeds=5,
            settings={
                "text_words": 10_000_000, "steps": 115_000,
                "multi": {"steps": 115_000, "vocab_size": 120_000},
                "pretraining": {
                    "vocab_size": 30_000, "num_layers": 12, "hidden_size": 768, "sequence_tokens": 256,
                    "batch_size": 88, "lr": 1e-4, "schedule": "inverse_sqrt", "dropout": 0.1,
                    **_MASKING, "num_heads": 12,
                },
                "train_rows": 1_000_000, "test_rows": 1_000_000, "factor_rows": 8000,
                "tuning_steps": {"NER": 10_000, "POS": 10_000, "parse": 10_000},
                "encoder_lr": 3e-5, "head_lr": 3e-5,
                **_TUNING, "arc_size": 500, "relation_size": 100, "dropout": 0.33,
            },
            about="the paper's encoders and numbers of steps on all text there is; for a GPU",
        ),
    },
    run=run,
    data=DATA,
    claims=CLAIMS,
    trivial=TRIVIAL,
    figures=(
        Figure(
            name="coefficients",
            caption="What a doubling of each factor adds to the score, over the languages of all seeds: "
            "least squares with 95% intervals.",
            draw=coefficients,
        ),
        Figure(
            name="pre-training",
            caption="Perplexity of masked tokens on held-out text of a language, first seed. Vocabularies "
            "differ, so that levels do not compare between cells.",
            draw=curves,
        ),
    ),
    differs=(
        "There is no Wikipedia here, and no multilingual BERT. The text of a language is the training part "
        "of its labelled corpus without the labels, 3,000 to 40,000 words (the paper: 0.9 to 29 million), "
        "and the multilingual encoder is pre-trained here on the texts of 20 languages; en, es and nl have "
        "no more text than the others. What is said of the paper's mBERT is tested on this encoder, which "
        "has little of its advantage: many times the text in other languages.",
        "Encoders have one layer of 64 units (12 of 768), vocabularies of 3,000 pieces (30,000; 120,000 for "
        "mBERT), sequences of 64 tokens (256). As in the paper all encoders of a comparison have the same "
        "number of steps, so that one with a partner sees half as much of the target; the multilingual one "
        "has half as many steps again, and four times the pieces. The learning rate falls linearly and not "
        "by the inverse square root, "
        "as there are 1,500 steps and not 115,000; there is no dropout in pre-training.",
        "Afrikaans (POS, parsing) and Nigerian Pidgin (NER, MasakhaNER) stand for Latvian and Afrikaans; "
        "their partners are Dutch and English (CoNLL), and Spanish as one that is not related. Luganda with "
        "Kinyarwanda or Hausa is a target of the scale full. Labels are 300 sentences a task, fewer than "
        "have text, drawn anew for every seed.",
        "A word's vector is the mean of its pieces and not its first one: with 3,000 pieces the first is "
        "often one letter. Taggers and parsers are trained for a fixed number of steps at one learning rate, "
        "and no dev score chooses anything but the checkpoint of the pre-training, by held-out text. "
        "The learning rates, steps and sizes were chosen by few trials on Afrikaans and Pidgin (random "
        "initialisation and pre-training on one language) with the rows of seed 1; test scores of these "
        "trials were seen.",
        "The factor analysis is over 13 languages with entities and 8 with parts of speech; size of text "
        "and number of labels are drawn for every language and seed (1 to 1/8 of all); the paper has "
        "99 languages as they are, where one grows with the other. A coefficient's interval on this page "
        "is over seeds, each a fit to its languages; fits to all seeds together are in the figure. Text is "
        "log2 of compressed MB without rounding. The ratio is to the most frequent tag of each word, in "
        "place of a published tagger, and a baseline of less than 0.01 counts as 0.01.",
        "Long sentences go through the encoder in windows with context on both sides; none are dropped, in "
        "parsing neither. Attachment scores leave out punctuation, as the authors' code does. Tags are "
        "repaired by giving an entity the type of its last word (the text; the authors' code splits it: "
        "repair = split).",
    ),
)  # fmt: skip
