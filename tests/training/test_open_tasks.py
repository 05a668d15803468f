"""The loop is open: tasks that it knows nothing of, each by subclassing Task and nothing else."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from small_training import VOCABULARY, WIDTH, make_optimizer, quick
from small_training import encoder as make_encoder
from tenor.layers.pooling import pool_mean
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.network import Network
from tenor.tasks.task import Task, TaskData
from tenor.text.tokens import Tokens
from tenor.training.callbacks import Callback
from tenor.training.loop import Trainer
from tenor.training.task_learner import TaskLearner


def losses_of(task, train, *, epochs=4, encoder=None, dev=None, **settings):
    """Train one task for some epochs and return its loss at every step and its last dev scores."""
    network = Network(encoder or make_encoder(), pooling=PoolingConfig(), tasks={task.name: task})
    learner = TaskLearner(network, {task.name: train}, dev={task.name: dev or train}, batches={task.name: 8})
    losses = []

    class Follow(Callback):
        def on_step_end(self, learner, progress, report):
            losses.append(report.losses[task.name])

    config = quick(epochs=epochs, **settings)
    Trainer(learner, make_optimizer(learner), settings=config, callbacks=[Follow()]).run()
    return np.array(losses), learner.evaluate()[task.name].main


class Tagging(Task):
    """A label for every word; a word's pieces are read at its first."""

    def __init__(self, tags=3):
        super().__init__("tags")
        self.linear = nn.Linear(WIDTH, tags)

    def prepare(self, examples, tokenizer):  # an example: pieces, their words, a tag per word
        tokens = Tokens.from_lists([pieces for pieces, _, _ in examples])
        words = np.concatenate([words for _, words, _ in examples]).astype(np.int32)
        most = max(len(tags) for *_, tags in examples)
        targets = np.full((len(examples), most), -100, dtype=np.int64)
        for row, (*_, tags) in zip(targets, examples, strict=True):
            row[: len(tags)] = tags
        return TaskData(examples=examples, tokens=replace(tokens, words=words), targets=targets)

    def forward(self, seen, batch):
        words, text = seen.batch.words, seen.packing.text_of
        new = torch.ones_like(words, dtype=torch.bool)
        new[1:] = (words[1:] != words[:-1]) | (text[1:] != text[:-1])
        return self.linear(seen.last[new & (words >= 0)])  # [words of all texts, tags]

    def losses(self, output, batch):
        return {"tags": functional.cross_entropy(output, batch.targets[batch.targets >= 0])}

    def size(self, batch):
        return float((batch.targets >= 0).sum())  # a mean over words, also when the batch is cut

    def predict(self, output, batch):
        counts = (batch.targets >= 0).sum(1).tolist()
        rows = np.empty(len(batch), dtype=object)
        rows[:] = [part.argmax(-1).numpy() for part in output.split(counts)]
        return rows

    def score(self, predictions, data):
        right = [(p == t[t >= 0]).mean() for p, t in zip(predictions, data.targets, strict=True)]
        return {"accuracy": float(np.mean(right))}


def tagged(count, seed=0):
    """Words of one or two pieces after a [CLS] of no word; a word's tag follows from its first piece."""
    random, examples = np.random.default_rng(seed), []
    for _ in range(count):
        heads = random.integers(5, VOCABULARY, size=random.integers(1, 6))
        sizes = random.integers(1, 3, size=len(heads))
        pieces, words = [2], [-1]
        for number, (head, size) in enumerate(zip(heads.tolist(), sizes.tolist(), strict=True)):
            pieces += [head, 4][:size]
            words += [number] * size
        examples.append((pieces, words, (heads % 3).tolist()))
    return examples


def test_a_tagger():
    task = Tagging()
    losses, accuracy = losses_of(task, task.prepare(tagged(64), None), epochs=10, micro_batch_tokens=60)
    assert losses[-5:].mean() < 0.7 * losses[:5].mean()
    assert accuracy > 0.6


class Crf(nn.Module):
    """A linear chain: log Z by the forward algorithm over padded scores [n, L, k]."""

    def __init__(self, tags):
        super().__init__()
        self.moves = nn.Parameter(torch.zeros(tags, tags))

    def forward(self, scores, tags, mask):  # mean negative log-likelihood of tags [n, L]
        rows = torch.arange(len(tags))
        gold, state = scores[rows, 0, tags[:, 0]], scores[:, 0]
        for at in range(1, scores.shape[1]):
            on = mask[:, at]
            step = self.moves[tags[:, at - 1], tags[:, at]] + scores[rows, at, tags[:, at]]
            gold = gold + torch.where(on, step, 0.0)
            moved = torch.logsumexp(state[:, :, None] + self.moves, dim=1) + scores[:, at]
            state = torch.where(on[:, None], moved, state)
        return (torch.logsumexp(state, dim=1) - gold).mean()


class LstmCrf(Tagging):
    """The same words through a BiLSTM and a CRF, on the packed batch's own rectangle."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(WIDTH, WIDTH // 2, bidirectional=True, batch_first=True)
        self.crf = Crf(3)

    def forward(self, seen, batch):
        padded, lengths = seen.packing.to_padded(seen.last), seen.packing.lengths
        rows = nn.utils.rnn.pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(rows)[0], batch_first=True)
        return super().forward(replace(seen, last=seen.packing.from_padded(states)), batch)

    def losses(self, output, batch):
        mask = batch.targets >= 0
        scores = torch.zeros(*mask.shape, 3).masked_scatter(mask[..., None], output)
        return {"nll": self.crf(scores, batch.targets.clamp(min=0), mask)}

    def size(self, batch):
        return float(len(batch))


def test_a_bilstm_crf_tagger():
    torch.manual_seed(0)
    scores, tags = torch.randn(1, 3, 2), torch.tensor([[0, 1, 1]])
    crf = Crf(2)
    nn.init.normal_(crf.moves)
    paths = torch.cartesian_prod(*[torch.arange(2)] * 3)
    totals = torch.stack([path_score(crf, scores[0], path) for path in paths])
    by_hand = totals.logsumexp(0) - path_score(crf, scores[0], tags[0])
    torch.testing.assert_close(crf(scores, tags, torch.ones(1, 3, dtype=torch.bool)), by_hand)
    task = LstmCrf()
    losses, _ = losses_of(task, task.prepare(tagged(64), None), epochs=6)
    assert losses[-5:].mean() < 0.8 * losses[:5].mean()


def path_score(crf, scores, path):
    steps = [scores[at, tag] for at, tag in enumerate(path)]
    return sum(steps) + sum(crf.moves[one, two] for one, two in pairwise(path))


class MaskedLanguage(Task):
    """Hides tokens anew each time they are drawn, and guesses them with the tied word embeddings."""

    def __init__(self, words, mask_id=4):
        super().__init__("language")
        self.tied, self.mask_id = [words], mask_id  # in a list: the encoder's weights are not the head's own
        self.dense = nn.Linear(WIDTH, WIDTH)

    def prepare(self, examples, tokenizer):
        return TaskData(examples=examples, tokens=Tokens.from_lists(examples))

    def collate(self, data, rows, *, generator=None):
        batch = super().collate(data, rows)
        ids = batch.tokens.ids
        hidden = (generator or np.random.default_rng(0)).random(len(ids)) < 0.25
        hidden[batch.tokens.starts[:-1]] |= not hidden.any()
        labels, _ = replace(batch.tokens, ids=np.where(hidden, ids, -100)).to_padded(pad_id=-100)
        tokens = replace(batch.tokens, ids=np.where(hidden, self.mask_id, ids).astype(np.int32))
        return replace(batch, tokens=tokens, extras={"labels": torch.from_numpy(labels).long()})

    def size(self, batch):
        return float((batch.extras["labels"] >= 0).sum())

    def forward(self, seen, batch):
        labels = seen.packing.from_padded(batch.extras["labels"][:, : seen.packing.longest])
        there = labels >= 0
        return functional.gelu(self.dense(seen.last[there])) @ self.tied[0].weight.T, labels[there]

    def losses(self, output, batch):
        return {"masked": functional.cross_entropy(*output)}

    def predict(self, output, batch):
        return np.full(len(batch), float(functional.cross_entropy(*output)))

    def score(self, predictions, data):
        return {"accuracy": -float(predictions.mean())}


def test_a_masked_language_model():
    random, encoder = np.random.default_rng(0), make_encoder()
    texts = [[5 + (n + at) % 10 for at in range(8)] for n in random.integers(0, 10, size=64).tolist()]
    task = MaskedLanguage(encoder.embeddings.words)
    losses, _ = losses_of(task, task.prepare(texts, None), epochs=10, encoder=encoder)
    assert losses[-8:].mean() < 0.75 * losses[:4].mean()


class Choice(Task):
    """Which of three texts is right: a score each, a softmax over a row's own."""

    def __init__(self):
        super().__init__("choice")
        self.linear = nn.Linear(WIDTH, 1)

    def prepare(self, examples, tokenizer):
        tokens = Tokens.from_lists([text for choices, _ in examples for text in choices])
        right = np.array([right for _, right in examples], dtype=np.int64)
        return TaskData(examples=examples, tokens=tokens, sides=3, targets=right)

    def forward(self, seen, batch):
        return self.linear(pool_mean(seen.last, seen.packing)).view(batch.sides, len(batch)).T  # [r, 3]

    def losses(self, output, batch):
        return {"choice": functional.cross_entropy(output, batch.targets)}

    def predict(self, output, batch):
        return output.argmax(1).numpy()

    def score(self, predictions, data):
        return {"accuracy": float((predictions == data.targets).mean())}


def test_multiple_choice():
    random = np.random.default_rng(1)
    examples = []
    for right in random.integers(0, 3, size=64).tolist():
        low = [random.integers(5, 30, size=4).tolist() for _ in range(3)]
        low[right] = random.integers(30, VOCABULARY, size=4).tolist()
        examples.append((low, right))
    task = Choice()
    losses, accuracy = losses_of(task, task.prepare(examples, None), micro_batch_tokens=40)
    assert accuracy > 0.9
    assert losses[-4:].mean() < 0.5 * losses[:4].mean()
