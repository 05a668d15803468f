"""Masked language model and next sentence, beside transformers."""

import numpy as np
import pytest
import torch

from paraphrase_corpus import aligned_pairs, all_words
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import read_folder
from tenor.model.mlm_folder import load_mlm_head
from tenor.model.network import Network
from tenor.model.torch_heads import save_trained
from tenor.tasks.mlm.kind import MlmSpec
from tenor.tasks.mlm.masking import KEPT, MaskingConfig, mask_tokens
from tenor.tasks.mlm.task import MlmTask, vocabulary_of
from tenor.text.examples import Origin, Sentence
from tenor.text.tokenizer import Tokenizer
from tenor.training.api import train_learner
from tenor.training.config import TrainingConfig
from tenor.training.learner import Cut, StepContext
from tenor.training.plan import Update
from tenor.training.task_learner import TaskLearner
from tiny import new_bert


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    new = tmp_path_factory.mktemp("fresh") / "encoder"
    return new_bert(
        new, all_words(), vocab_size=70, hidden_size=16, num_layers=1, num_heads=2, max_positions=64
    )


@pytest.fixture(scope="module")
def tokenizer(folder):
    return Tokenizer.load(folder, max_tokens=32)


def texts(count=60, seed=0):
    pairs = aligned_pairs(count, seed=seed)
    return [Sentence(" ".join(pair.first), Origin("t", n + 1)) for n, pair in enumerate(pairs)]


def network_of(folder, **settings):
    encoder = BertCheckpoint.load(folder).encoder
    task = MlmTask("text", MlmSpec(**settings), encoder)
    return Network(encoder, pooling=PoolingConfig(), tasks={"text": task})


@pytest.mark.parametrize("next_sentence", [False, True])
def test_only_states_of_hidden_tokens_are_read(folder, tokenizer, next_sentence):
    network = network_of(folder, next_sentence=next_sentence).eval()
    task = network.task("text")
    batch = task.collate(task.prepare(texts(), tokenizer), np.arange(20), generator=np.random.default_rng(0))
    with torch.no_grad():
        less = network({"text": batch})["text"]
        whole = task(network.see({"text": batch})["text"], batch)
    assert len(task.positions(batch)) == len(whole.labels) < len(batch.tokens.ids)
    torch.testing.assert_close(task.scores(less), task.scores(whole), rtol=0, atol=1e-5)
    assert torch.equal(less.labels, whole.labels)
    if next_sentence:
        torch.testing.assert_close(less.follows, whole.follows, rtol=0, atol=1e-5)


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_hidden(tokenizer, whole):
    known = vocabulary_of(tokenizer)
    tokens = tokenizer.tokenize([each.text for each in texts(800)])
    config = MaskingConfig(whole_word_masking=whole)
    seen, labels = mask_tokens(tokens, known, config, np.random.default_rng(0))
    chosen, special = labels != KEPT, ~np.isin(tokens.ids, known.usual)
    assert not chosen[special].any()
    assert np.array_equal(seen[~chosen], tokens.ids[~chosen])
    assert np.array_equal(labels[chosen], tokens.ids[chosen])
    # A little more than the share: every text has at least one.
    assert 0.15 < chosen.sum() / (~special).sum() < 0.25
    masked, same = (seen[chosen] == known.mask).mean(), (seen[chosen] == tokens.ids[chosen]).mean()
    assert masked == pytest.approx(0.8, abs=0.03)
    assert same == pytest.approx(0.1, abs=0.03)
    assert not np.isin(
        seen[chosen & (seen != known.mask)], np.flatnonzero(np.isin(range(70), range(5)))
    ).any()
    text_of = np.repeat(np.arange(len(tokens)), tokens.lengths)
    assert len(np.unique(text_of[chosen])) == len(tokens)
    goes_on = known.inside[tokens.ids]
    torn = goes_on[1:] & (chosen[1:] != chosen[:-1])
    assert torn.any() is np.False_ if whole else torn.any()


def test_the_same_loss_as_transformers(folder, tokenizer, tmp_path):
    from transformers import BertForPreTraining

    network = network_of(folder, next_sentence=True).eval()
    task = network.task("text")
    for parameter in task.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    data = task.prepare(texts(9), tokenizer)
    assert len(data) == 8
    batch = task.collate(data, np.arange(8), generator=np.random.default_rng(0))
    with torch.no_grad():
        losses = task.losses(network({"text": batch})["text"], batch)
    path = tmp_path / "saved"
    save_trained(network, read_folder(folder), path, name="fresh")
    theirs, loading = BertForPreTraining.from_pretrained(path, output_loading_info=True)
    assert not loading["missing_keys"]
    assert not loading["unexpected_keys"]
    ids, mask = batch.tokens.to_padded()
    segments, _ = type(batch.tokens)(batch.tokens.segments, batch.tokens.starts).to_padded()
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}
    with torch.no_grad():
        told = theirs.eval()(**{key: torch.from_numpy(value).long() for key, value in given.items()})
    masked = torch.nn.functional.cross_entropy(
        told.prediction_logits.flatten(0, 1), batch.extras["labels"].flatten()
    )
    follows = torch.nn.functional.cross_entropy(told.seq_relationship_logits, 1 - batch.targets)
    torch.testing.assert_close(losses["masked"], masked, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(losses["follows"], follows, atol=1e-4, rtol=1e-4)
    again = network_of(folder, next_sentence=True)
    assert load_mlm_head(again.task("text"), path)
    assert torch.equal(again.task("text").dense.weight, task.dense.weight)
    assert not load_mlm_head(again.task("text"), folder)


def test_what_follows(folder, tokenizer):
    task = network_of(folder, next_sentence=True).task("text")
    data = task.prepare(texts(30), tokenizer)
    rows, seen = np.arange(29), []
    for seed in range(20):
        batch = task.collate(data, rows, generator=np.random.default_rng(seed))
        # What was not hidden of the second text is the text behind, or else is not.
        right = data.tokens
        for row, follows in enumerate(batch.targets.tolist()):
            own = batch.tokens.ids[batch.tokens.starts[row] : batch.tokens.starts[row + 1]]
            wanted = right.ids[right.starts[row] : right.starts[row + 1]]
            same = len(own) == len(wanted) and (own == wanted).mean() > 0.6
            assert same or not follows
        seen += batch.targets.tolist()
    assert 0.4 < np.mean(seen) < 0.6


def test_passes_and_dev(folder, tokenizer):
    network = network_of(folder)
    task = network.task("text")
    data = task.prepare(texts(12), tokenizer)
    learner = TaskLearner(network.eval(), {"text": data}, batches={"text": 12})
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))
    found = []
    for tokens in (10_000, 40):
        pieces = learner.micro_batches(batch, Cut(tokens=tokens), Update())
        context = StepContext(step=1, epoch=0, steps=1, generator=np.random.default_rng(0))
        found.append(sum(learner.losses(piece, context)["text"] for piece in pieces))
    assert len(pieces) > 1
    torch.testing.assert_close(found[0], found[1])
    whole, one = task.collate(data, np.arange(5)), task.collate(data, np.array([3]))
    begin, end = whole.tokens.starts[3:5]
    assert np.array_equal(whole.tokens.ids[begin:end], one.tokens.ids)
    output = network({"text": whole})["text"]
    score = task.score(task.predict(output, whole), data)
    assert score["perplexity"] == pytest.approx(task.losses(output, whole)["masked"].exp().item(), rel=1e-4)


def test_it_learns_and_goes_on(folder, tokenizer, tmp_path):
    def learner():
        network = network_of(folder)
        task = network.task("text")
        train, dev = (task.prepare(texts(200, seed=n), tokenizer) for n in (1, 2))
        return TaskLearner(network, {"text": train}, dev={"text": dev}, batches={"text": 20})

    training = TrainingConfig(epochs=4, encoder_lr=5e-3, head_lr=5e-3, precision="fp32", monitor="text")
    made = learner()
    before = made.evaluate()["text"].main
    train_learner(made, training, out=tmp_path / "run")
    assert made.evaluate()["text"].main < 0.8 * before


def test_what_cannot_be_trained_on(folder, tokenizer):
    task = network_of(folder, next_sentence=True).task("text")
    with pytest.raises(TenorError, match="at least 3 texts"):
        task.prepare(texts(2), tokenizer)
    with pytest.raises(TenorError, match="mlm_probability is 2"):
        MaskingConfig(probability=2)
