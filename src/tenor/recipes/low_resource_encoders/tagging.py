"""Fine-tuning: a tagger or a parser on an encoder, all of it trained, and its score on the test sentences."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tenor.metrics.outcomes import Outcome
from tenor.recipes.low_resource_encoders.data import Labelled, Target, read_rows
from tenor.recipes.recipe import Context, Settings
from tenor.recipes.word_tags import most_frequent_tags, outcome

_TASK = "task"
UNCOUNTED = ("PUNCT", "SYM")
"""Words of these parts of speech are not counted in attachment scores."""
Outcomes = dict[str, Outcome]
Trees = Sequence[tuple[Sequence[int], Sequence[str]]]
"""Heads and relations of every sentence."""


def fine_tuned(target: Target, encoder: Path, context: Context, *, rows: int | None = None) -> Outcomes:
    """Fine-tune an encoder on a target's training sentences, and return its scores by metric."""
    from tenor import train

    sentences = read_rows(target, "train", context, rows=rows)
    work = context.work / f"{target.name.replace(' ', '-')}"
    run = train(
        encoder,
        {_TASK: task_table(target, sentences, context.settings)},
        out=work,
        seed=context.seed,
        **training_settings(target, context.settings),
    )
    test = read_rows(target, "test", context)
    return _scored(run.load(), target, test, context.settings)


def task_table(target: Target, rows: Sequence[Labelled], settings: Settings) -> dict[str, Any]:
    """Return the task on the vectors of words: a tagger repaired by a rule, or a biaffine parser."""
    common = {
        "batch_size": settings["tuning_batch_size"],
        "subwords": settings["subwords"],
        "dropout": settings["dropout"],
    }
    if target.task == "parse":
        trees = [
            {"words": list(row.words), "heads": list(row.heads), "relations": list(row.relations)}
            for row in rows
        ]
        sizes = {"arc_size": settings["arc_size"], "relation_size": settings["relation_size"]}
        return {"kind": "parse", "train": trees, **sizes, **common}
    tagged = [{"words": list(row.words), "tags": list(row.tags)} for row in rows]
    decoding = {"decoding": settings["repair"]} if target.spans else {"scheme": "plain"}
    return {"kind": "tag", "train": tagged, "head": "softmax", "casing": False, **decoding, **common}


def training_settings(target: Target, settings: Settings) -> dict[str, Any]:
    """Return the training settings: linear warm-up and decay, steps by task, no score that chooses."""
    from tenor.recipes.fixed_training import FIXED

    own = {
        "optimizer": "adam", "weight_decay": 0.0, "schedule": "linear", "warmup": 0.1, "max_grad_norm": 5.0,
        "epochs": 100_000, "steps": settings["tuning_steps"][target.task], "eval_steps": 1_000_000,
        "encoder_lr": settings["encoder_lr"], "head_lr": settings["head_lr"], "precision": "fp32",
    }  # fmt: skip
    return FIXED | own


def _scored(model: Any, target: Target, test: Sequence[Labelled], settings: Settings) -> Outcomes:
    words = [list(row.words) for row in test]
    if target.task != "parse":
        return {target.name: outcome(target, test, [list(each.tags) for each in model.tag(words)])}
    spec = model.tasks[_TASK].spec
    answers = spec.answers(model.predict(_TASK, words))
    given = [(each.heads, each.relations) for each in answers]
    return parse_outcomes(target, test, given, ignore_punct=bool(settings["ignore_punct"]))


def parse_outcomes(target: Target, rows: Sequence[Labelled], given: Trees, *, ignore_punct: bool) -> Outcomes:
    """Score trees by unlabelled and labelled attachment, over all words or all but punctuation."""
    counts = np.array(
        [_attached(row, *tree, ignore_punct=ignore_punct) for row, tree in zip(rows, given, strict=True)]
    )
    uas, las, words = counts.T
    return {
        f"UAS {target.language}": Outcome.of("ratio", uas, words, items=target.name),
        f"LAS {target.language}": Outcome.of("ratio", las, words, items=target.name),
    }


def _attached(
    row: Labelled, heads: Sequence[int], relations: Sequence[str], *, ignore_punct: bool
) -> tuple[int, int, int]:
    """Count the words whose head is right, those whose relation is right too, and all."""
    counted = [not (ignore_punct and tag in UNCOUNTED) for tag in row.tags]
    headed = [int(given) == gold for given, gold in zip(heads, row.heads, strict=True)]
    named = [given == gold for given, gold in zip(relations, row.relations, strict=True)]
    uas = sum(one and two for one, two in zip(counted, headed, strict=True))
    las = sum(map(all, zip(counted, headed, named, strict=True)))
    return uas, las, sum(counted)


# What needs no encoder


def trivial_outcomes(target: Target, context: Context, *, rows: int | None = None) -> Outcomes:
    """Score the most frequent tag of every word, and trees that follow from these tags alone."""
    train, test = read_rows(target, "train", context, rows=rows), read_rows(target, "test", context)
    if target.task == "parse":
        given = nearest_trees(train, test)
        return parse_outcomes(target, test, given, ignore_punct=bool(context.settings["ignore_punct"]))
    return {target.name: outcome(target, test, most_frequent_tags(train, test))}


def nearest_trees(train: Sequence[Labelled], rows: Sequence[Labelled]) -> Trees:
    """Give every word the head so many words away, and the relation, that most words of its tag have.

    The tag is the most frequent one of the word.
    """
    by_tag: dict[str, Counter[int]] = {}
    names: dict[str, Counter[str]] = {}
    for row in train:
        for at, (tag, head) in enumerate(zip(row.tags, row.heads, strict=True)):
            by_tag.setdefault(tag, Counter())[0 if head == 0 else head - 1 - at] += 1
        for tag, name in zip(row.tags, row.relations, strict=True):
            names.setdefault(tag, Counter())[name] += 1
    tagged = most_frequent_tags(train, rows)
    distances = {tag: counts.most_common(1)[0][0] for tag, counts in by_tag.items()}
    relations = {tag: counts.most_common(1)[0][0] for tag, counts in names.items()}
    trees = []
    for tags in tagged:
        heads = [_head(at, distances[tag], len(tags)) for at, tag in enumerate(tags)]
        trees.append((heads, [relations[tag] for tag in tags]))
    return trees


def _head(at: int, distance: int, length: int) -> int:
    """Return the head of the word at a position, from 1; 0 is the root, also where there is no such word."""
    head = at + distance
    return head + 1 if distance and 0 <= head < length else 0
