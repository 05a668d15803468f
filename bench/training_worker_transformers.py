"""A peer of the training benchmark: a multi-task model in a transformers Trainer."""

import tempfile

from training_worker_measures import LIMIT, Clock, scores_of
from training_worker_peers import arguments_of, callback_of, labels_of, rounds_of, two_rates


def multi_task(model, labels, clock):
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
            clock.count(int(inputs["attention_mask"].sum().item()))
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


def transformers_side(options, data):
    """A multi-task model in a `Trainer`: all three tasks in every update, one padded batch each."""
    import numpy as np
    import torch
    from transformers import AutoTokenizer, Trainer, TrainingArguments, logging

    logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    labels = labels_of(data)
    encode, collate = collator(AutoTokenizer.from_pretrained(options.model), labels)

    def start(seed):
        torch.manual_seed(seed)
        clock = Clock()
        model = multi_task(options.model, labels, clock)
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
            named = list(model.named_parameters())
            heads = [value for name, value in named if not name.startswith("encoder.")]
            body = [value for name, value in named if name.startswith("encoder.")]
            Trainer(
                model=model, args=given, train_dataset=updates, data_collator=collate,
                callbacks=[callback_of(clock)], optimizers=(two_rates(body, heads), None),
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
