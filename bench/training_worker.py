"""One side of the training benchmark: makes some updates for every line on stdin, and says what they took.

Started by bench/training.py in the interpreter of the side's own environment. All sides begin with the same
weights and see the same rows: 3 tasks, the same number of examples per update, AdamW (fused), clipping at 1,
dropout as the checkpoint says. A round is timed from the end of its first update, so that no set-up counts.
"""

import argparse
import contextlib
import json
import random
import sys
import tempfile
import time
from pathlib import Path

ENCODER_RATE, HEAD_RATE, LIMIT = 2e-5, 1e-3, 128


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=list(SIDES))
    parser.add_argument("data", type=Path, help="a folder with TASK.train.json and TASK.dev.json")
    parser.add_argument("--model", required=True)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--batch", type=int, default=16, help="examples of each task in an update")
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scores", action="store_true", help="score dev after every round")
    options = parser.parse_args()
    data = {
        task: {
            part: json.loads((options.data / f"{task}.{part}.json").read_text()) for part in ("train", "dev")
        }
        for task in ("sentiment", "paraphrase", "similarity")
    }
    start = SIDES[options.side](options, data)
    say({"ready": options.side})
    for number, _ in enumerate(sys.stdin):
        with contextlib.redirect_stdout(sys.stderr):  # trainers print tables of their own
            told = start(options.seed + number)
        say(told)


def read(path):
    return json.loads(path.read_text())


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


class Clock:
    """CPU and wall time from the end of the first update to that of the last."""

    def __init__(self):
        self.marks = []

    def tick(self):
        self.marks.append((time.process_time(), time.perf_counter()))

    def told(self):
        (cpu, wall), (last_cpu, last_wall) = self.marks[0], self.marks[-1]
        return {"cpu": last_cpu - cpu, "wall": last_wall - wall, "updates": len(self.marks) - 1}


# ── ours


def tenor_side(options, data):
    from tenor.machine import guard

    guard()
    import torch

    from tenor.tasks.config import TaskConfig
    from tenor.text.examples import Origin, Pair, Sentence
    from tenor.training.building import build_learner, build_trainer
    from tenor.training.config import RunConfig, TrainingConfig
    from tenor.training.loop import Watcher
    from tenor.training.reading import TaskExamples

    torch.set_num_threads(options.threads)
    origin, nothing = Origin("bench", 1), Path("bench")
    pair = {"first": "first", "second": "second"}
    tasks = {
        "sentiment": TaskConfig(kind="classify", train=nothing, columns={"text": "text", "label": "label"}),
        "paraphrase": TaskConfig(
            kind="pair", train=nothing, columns=pair | {"label": "label"}, head="linear",
            features=("u", "v", "abs"),
        ),
        "similarity": TaskConfig(
            kind="similarity", train=nothing, columns=pair | {"score": "score"}, range=(0, 5)
        ),
    }  # fmt: skip
    make = {
        "sentiment": lambda row: Sentence(row[0], origin, label=row[1]),
        "paraphrase": lambda row: Pair(row[0], row[1], origin, label=row[2]),
        "similarity": lambda row: Pair(row[0], row[1], origin, score=row[2]),
    }
    examples = {
        name: TaskExamples(
            train=[make[name](row) for row in parts["train"]], dev=[make[name](row) for row in parts["dev"]]
        )
        for name, parts in data.items()
    }

    class Ticks(Watcher):
        def __init__(self):
            self.clock = Clock()

        def step_done(self, report, progress):
            self.clock.tick()

    def start(seed):
        training = TrainingConfig(
            epochs=1000, steps=options.updates, encoder_rate=ENCODER_RATE, head_rate=HEAD_RATE,
            schedule="constant", warmup=0.0, evaluate_steps=10**9, precision=options.precision,
        )  # fmt: skip
        run = RunConfig(encoder=options.model, seed=seed, tasks=tasks, training=training)
        built = build_learner(run, examples)
        dev, built.learner.dev = built.learner.dev, {}
        watcher = Ticks()
        build_trainer(built.learner, run, watcher=watcher, precision=options.precision).run()
        told = watcher.clock.told()
        if options.scores:
            built.learner.dev = dev
            told["scores"] = {name: found.main for name, found in built.learner.evaluate().items()}
        return told

    return start


# ── the peers


def grouped(rows, batch, seed):
    """Shuffle rows, then sort them by length within windows of 50 batches, as the Trainer's grouping does."""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    window = 50 * batch
    parts = [rows[at : at + window] for at in range(0, len(rows), window)]
    for part in parts:
        part.sort(key=lambda row: -sum(len(text.split()) for text in row[:-1]))
    rows = [row for part in parts for row in part]
    batches = [rows[at : at + batch] for at in range(0, len(rows) - batch + 1, batch)]
    random.Random(seed + 1).shuffle(batches)
    return batches


def rounds_of(rows, batch, count, seed):
    found = []
    while len(found) < count:
        found += grouped(rows, batch, seed + len(found))
    return found[:count]


def scores_of(data, guess):
    """Accuracy and Pearson's correlation on the dev rows, from functions that score rows of a task."""
    import numpy as np

    found = {}
    for task, parts in data.items():
        rows = parts["dev"]
        said = np.concatenate([guess(task, rows[at : at + 64]) for at in range(0, len(rows), 64)])
        gold = [row[-1] for row in rows]
        right = (
            np.corrcoef(said, gold)[0, 1]
            if task == "similarity"
            else np.mean([s == g for s, g in zip(said, gold, strict=True)])
        )
        found[task] = float(right)
    return found


def callback_of(clock):
    from transformers import TrainerCallback

    class Tick(TrainerCallback):
        def on_step_end(self, *_, **__):
            clock.tick()

    return Tick()


def arguments_of(options, folder, seed):
    return {
        "output_dir": folder, "max_steps": options.updates, "learning_rate": ENCODER_RATE, "seed": seed,
        "optim": "adamw_torch_fused", "lr_scheduler_type": "constant", "weight_decay": 0.01,
        "max_grad_norm": 1.0, "use_cpu": True, "bf16": options.precision == "bf16", "disable_tqdm": True,
        "report_to": "none", "save_strategy": "no", "logging_strategy": "no", "dataloader_num_workers": 0,
    }  # fmt: skip


def labels_of(data):
    named = {task: parts for task, parts in data.items() if task != "similarity"}
    return {task: sorted({row[-1] for row in parts["train"]}) for task, parts in named.items()}


def multi_task(model, labels):
    """A transformers encoder with mean pooling and three heads."""
    import torch
    from torch import nn
    from torch.nn import functional
    from transformers import AutoModel

    class MultiTask(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = AutoModel.from_pretrained(model)
            width = self.encoder.config.hidden_size
            self.sentiment = nn.Linear(width, len(labels["sentiment"]))
            self.paraphrase = nn.Linear(3 * width, 1)

        def vectors(self, inputs):
            states = self.encoder(**inputs).last_hidden_state
            mask = inputs["attention_mask"][..., None].float()
            return (states * mask).sum(1) / mask.sum(1)

        def outputs(self, task, inputs):
            vectors = self.vectors(inputs)
            if task == "sentiment":
                return self.sentiment(functional.dropout(vectors, 0.1, self.training))
            u, v = vectors.chunk(2)
            if task == "similarity":
                return 5 * functional.cosine_similarity(u, v)
            features = torch.cat([u, v, (u - v).abs()], -1)
            return self.paraphrase(functional.dropout(features, 0.1, self.training))[:, 0]

        def forward(self, **batch):
            said = {task: self.outputs(task, inputs) for task, (inputs, _) in batch.items()}
            gold = {task: right for task, (_, right) in batch.items()}
            loss = functional.cross_entropy(said["sentiment"], gold["sentiment"])
            loss += functional.binary_cross_entropy_with_logits(said["paraphrase"], gold["paraphrase"])
            return {"loss": loss + functional.mse_loss(said["similarity"] / 5, gold["similarity"] / 5)}

    return MultiTask()


def collator(tokenizer, labels):
    """Pads each task's texts to its own longest; both sides of a pair go through the encoder together."""
    import torch

    def encode(rows):
        texts = [row[side] for side in range(len(rows[0]) - 1) for row in rows]
        return dict(tokenizer(texts, padding=True, truncation=True, max_length=LIMIT, return_tensors="pt"))

    def gold_of(task, rows):
        if task == "similarity":
            return torch.tensor([row[-1] for row in rows])
        numbers = torch.tensor([labels[task].index(row[-1]) for row in rows])
        return numbers.float() if task == "paraphrase" else numbers

    def collate(items):
        return {task: (encode(rows), gold_of(task, rows)) for task, rows in items[0].items()}

    return encode, collate


def two_rates(trainer_class):
    import torch

    class Both(trainer_class):
        def create_optimizer(self, *_):
            named = list(self.model.named_parameters())
            head = [p for name, p in named if not name.startswith("encoder.")]
            body = [p for name, p in named if name.startswith("encoder.")]
            groups = [{"params": body, "lr": ENCODER_RATE}, {"params": head, "lr": HEAD_RATE}]
            self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
            return self.optimizer

    return Both


def transformers_side(options, data):
    """A multi-task model in a `Trainer`: all three tasks in every update, one padded batch each."""
    import numpy as np
    import torch
    from transformers import AutoTokenizer, Trainer, TrainingArguments, logging

    logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    labels = labels_of(data)
    encode, collate = collator(AutoTokenizer.from_pretrained(options.model), labels)
    trainer = two_rates(Trainer)

    def start(seed):
        torch.manual_seed(seed)
        model, clock = multi_task(options.model, labels), Clock()
        parts = {
            task: rounds_of(rows["train"], options.batch, options.updates, seed)
            for task, rows in data.items()
        }
        updates = [{task: parts[task][at] for task in parts} for at in range(options.updates)]
        with tempfile.TemporaryDirectory() as folder:
            given = TrainingArguments(
                **arguments_of(options, folder, seed), per_device_train_batch_size=1,
                remove_unused_columns=False,
            )  # fmt: skip
            trainer(
                model=model, args=given, train_dataset=updates, data_collator=collate,
                callbacks=[callback_of(clock)],
            ).train()  # fmt: skip
        told = clock.told()

        @torch.no_grad()
        def guess(task, rows):
            said = model.outputs(task, encode(rows))
            if task == "similarity":
                return said.numpy()
            numbers = said.argmax(-1) if task == "sentiment" else (said > 0).long()
            return np.array([labels[task][number] for number in numbers.tolist()])

        model.eval()
        return told | ({"scores": scores_of(data, guess)} if options.scores else {})

    return start


def label_loss(model, width, count):
    """A loss for the labels of single texts, which the library has not."""
    from torch import nn
    from torch.nn import functional

    class Label(nn.Module):
        def __init__(self):
            super().__init__()
            self.model, self.linear = model, nn.Linear(width, count)

        def forward(self, features, gold):
            vectors = self.model(features[0])["sentence_embedding"]
            return functional.cross_entropy(self.linear(vectors), gold.view(-1))

    return Label()


def by_length():
    """Length grouping, which the library has not: rows are sorted within windows of 50 batches."""
    from sentence_transformers.base.sampler import DefaultBatchSampler

    class ByLength(DefaultBatchSampler):
        def __init__(self, dataset, batch_size, drop_last, **rest):
            super().__init__(dataset, batch_size=batch_size, drop_last=drop_last, **rest)
            columns = [dataset[name] for name in dataset.column_names if name != "label"]
            rows = [(*texts, number) for number, texts in enumerate(zip(*columns, strict=True))]
            self.batches = [[row[-1] for row in part] for part in grouped(rows, batch_size, self.seed or 0)]

        def __iter__(self):
            return iter(self.batches)

        def __len__(self):
            return len(self.batches)

    return ByLength


def st_table(task, rows, labels):
    from datasets import Dataset

    names = ["text"] if task == "sentiment" else ["first", "second"]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    gold = [row[-1] / 5 if task == "similarity" else labels[task].index(row[-1]) for row in rows]
    return Dataset.from_dict(columns | {"label": gold})


def st_side(options, data):
    """The SentenceTransformerTrainer: a batch of one task per update, in turn, of as many examples in all."""
    import torch
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, losses
    from sentence_transformers.training_args import SentenceTransformerTrainingArguments
    from transformers import logging

    logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    labels = labels_of(data)
    tables = {task: st_table(task, parts["train"], labels) for task, parts in data.items()}

    def start(seed):
        torch.manual_seed(seed)
        model, clock = SentenceTransformer(options.model, device="cpu"), Clock()
        model.max_seq_length = LIMIT
        width = model.get_embedding_dimension()
        made = {
            "sentiment": label_loss(model, width, len(labels["sentiment"])),
            "paraphrase": losses.SoftmaxLoss(model, embedding_dimension=width, num_labels=2),
            "similarity": losses.CosineSimilarityLoss(model),
        }
        with tempfile.TemporaryDirectory() as folder:
            given = SentenceTransformerTrainingArguments(
                **arguments_of(options, folder, seed), per_device_train_batch_size=3 * options.batch,
                batch_sampler=by_length(), multi_dataset_batch_sampler="round_robin",
            )  # fmt: skip
            SentenceTransformerTrainer(
                model=model, args=given, train_dataset=tables, loss=made, callbacks=[callback_of(clock)]
            ).train()
        told = clock.told()
        model.eval()
        guess = st_guess(model, made, labels)
        return told | ({"scores": scores_of(data, guess)} if options.scores else {})

    return start


def st_guess(model, made, labels):
    import numpy as np
    import torch
    from torch.nn import functional

    @torch.no_grad()
    def guess(task, rows):
        columns = [[row[at] for row in rows] for at in range(len(rows[0]) - 1)]
        sides = [model.encode(texts, convert_to_tensor=True) for texts in columns]
        if task == "similarity":
            return functional.cosine_similarity(*sides).numpy()
        if task == "sentiment":
            said = made[task].linear(sides[0])
        else:
            u, v = sides
            said = made[task].classifier(torch.cat([u, v, (u - v).abs()], -1))
        return np.array([labels[task][number] for number in said.argmax(-1).tolist()])

    return guess


def linears_side(options, data):
    """Bare linear layers of the encoder's shapes, forward and backward: what this machine gives at most."""
    from tenor.machine import guard

    guard()
    import torch

    torch.set_num_threads(options.threads)
    shapes = [(384, 1152), (384, 384), (384, 1536), (1536, 384)]
    layers = [torch.nn.Linear(*shape) for shape in shapes]
    inputs = [torch.randn(1400, shape[0], requires_grad=True) for shape in shapes]

    def start(seed):
        clock = Clock()
        for _ in range(4):
            for layer, values in zip(layers, inputs, strict=True):
                layer(values).sum().backward()
            clock.tick()
        flops = 6 * 1400 * sum(a * b for a, b in shapes)
        return clock.told() | {"flops": flops}

    return start


SIDES = {"tenor": tenor_side, "transformers": transformers_side, "st": st_side, "linears": linears_side}

if __name__ == "__main__":
    main()
