"""The last two checks of the specification, in which direction things go, on a corpus made for them.

In these texts half of the words are the same in both, as in paraphrases that people write, all n-grams are
phrases, and the alignments are wrong as often as those of an automatic aligner: neighbouring links change
places now and then. The order of recalls hangs on such a corpus: on others, without shared words or wrong
links, random pairs were told worst. So the seventh check shows here that the classifier can do what the paper
saw, not that it always does; the recipe's page has its accuracy on real pairs. Two parts of the eighth check
can only be seen with real tasks and a pre-trained encoder, and are tested on what the recipe has published
(``tests/recipes/test_transfer_fine_tuning.py``): that the gain shrinks with more labelled rows (an encoder
that begins with nothing does not learn synonyms from a thousand labels, so that here the gain grows), and
that single-sentence tasks gain nothing.
"""

import tempfile

import numpy as np
import pytest
import torch

import paraphrase_corpus
from paraphrase_corpus import aligned_pairs, all_words, labelled_pairs
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.network import Network
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.tasks.phrases.task import PhrasesTask
from tenor.tasks.table import task_spec, tasks_of
from tenor.text.tokenizer import Tokenizer
from tenor.training.api import train_learner
from tenor.training.config import TrainingConfig
from tenor.training.evaluation import predict_task
from tenor.training.task_learner import TaskLearner
from tenor.use.align.pairs import PhraseSettings, WordPair, phrase_pairs
from tiny import new_bert

WIDTH, KEPT, WRONG = 32, 0.5, 0.16
pytestmark = pytest.mark.slow


def natural_pairs(count, *, seed):
    random, pairs = np.random.default_rng([seed, 7]), []
    for pair in aligned_pairs(count, seed=seed, size=6):
        second = list(pair.second)
        for i, j in pair.links:
            if random.random() < KEPT:
                second[j] = pair.first[i]
        places = [j for _, j in pair.links]
        for n in range(len(places) - 1):
            if random.random() < WRONG:
                places[n], places[n + 1] = places[n + 1], places[n]
        links = np.zeros((len(places), len(places)), dtype=bool)
        links[np.arange(len(places)), places] = True
        words = WordPair(pair.first, tuple(second), pair.origin)
        pairs.append(phrase_pairs(words, links, settings=PhraseSettings()))
    return pairs


def trained(network, data, *, batch, epochs, rate, dev=None, seed=1):
    learner = TaskLearner(network, data, dev=dev, batches=dict.fromkeys(data, batch))
    training = TrainingConfig(epochs=epochs, encoder_lr=rate, head_lr=2e-3, precision="fp32")
    train_learner(learner, training, out=tempfile.mkdtemp(), seed=seed)
    return network.eval()


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """Return a new encoder, the network that a stage made of it, its dev data and the tokenizer."""
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paraphrase_corpus, "THINGS", 64)  # eight topics: a random text is mostly of another
        new = tmp_path_factory.mktemp("fresh") / "encoder"
        folder = new_bert(
            new, all_words(), vocab_size=300, hidden_size=WIDTH, num_layers=2, num_heads=2, max_positions=64
        )
        tokenizer = Tokenizer.load(folder, max_tokens=64)
        task = PhrasesTask("stage", PhrasesSpec(), hidden_size=WIDTH)
        network = Network(encoder_of(folder), pooling=PoolingConfig(), tasks={"stage": task})
        train, dev = (task.prepare(natural_pairs(n, seed=n), tokenizer) for n in (1500, 80))
        trained(network, {"stage": train}, batch=20, epochs=9, rate=2e-3, dev={"stage": dev})
        yield folder, network, dev, tokenizer


def encoder_of(folder):
    encoder = BertCheckpoint.load(folder).encoder
    for module in encoder.modules():  # so that a few epochs are enough
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return encoder


def test_7_random_pairs_are_told_best_and_most_errors_are_within_paraphrases(stage):
    _, network, dev, _ = stage
    predictions, _ = predict_task(network, "stage", dev)
    table = predictions.sum(axis=0)[4:].reshape(3, 3)  # paraphrase, random, in-paraphrase
    recall = np.diag(table) / table.sum(axis=1)
    majority = table.sum(axis=1).max() / table.sum()
    assert np.trace(table) / table.sum() > majority + 0.3
    assert recall[1] == recall.max()
    errors = table.sum() - np.trace(table)
    assert table[0, 2] + table[2, 0] > errors / 2


def test_8_few_labelled_pairs_go_further_after_the_stage(stage):
    folder, network, _, tokenizer = stage
    learned = {name: value.clone() for name, value in network.encoder.state_dict().items()}
    spec = task_spec("pair", labels=("0", "1"), head="linear", encoding="cross", pooling="cls", dropout=0.0)

    def accuracy(rows, seed, transferred):
        encoder = encoder_of(folder)
        if transferred:
            encoder.load_state_dict(learned)
        tasks = tasks_of({"same": spec}, encoder=encoder, pooling=PoolingConfig(), seed=seed)
        own = Network(encoder, pooling=PoolingConfig(), tasks=tasks)
        train, test = (
            tasks["same"].prepare(labelled_pairs(count, seed=number), tokenizer)
            for count, number in ((rows, 10 + seed), (300, 99))
        )
        trained(own, {"same": train}, batch=10, epochs=max(4, 480 // rows), rate=1e-3, seed=seed)
        predictions, _ = predict_task(own, "same", test)
        return tasks["same"].score(predictions, test)["accuracy"]

    gains = {
        rows: [accuracy(rows, seed, True) - accuracy(rows, seed, False) for seed in (1, 2, 3)]
        for rows in (60, 240)
    }
    for found in gains.values():
        assert min(found) > 0
        assert np.mean(found) > 0.1
