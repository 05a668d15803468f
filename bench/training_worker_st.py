"""A peer of the training benchmark: the SentenceTransformerTrainer."""

import tempfile

from training_worker_measures import LIMIT, Clock, scores_of
from training_worker_peers import arguments_of, callback_of, grouped, labels_of, two_rates


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
        model.register_forward_pre_hook(
            lambda _, given: clock.count(int(given[0]["attention_mask"].sum().item()))
        )
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
            heads = [*made["sentiment"].linear.parameters(), *made["paraphrase"].classifier.parameters()]
            SentenceTransformerTrainer(
                model=model, args=given, train_dataset=tables, loss=made, callbacks=[callback_of(clock)],
                optimizers=(two_rates(list(model.parameters()), heads), None),
            ).train()  # fmt: skip
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
