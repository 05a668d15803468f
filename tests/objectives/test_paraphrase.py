"""The paraphrase stage: the checks of its specification, against references written out here."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from paraphrase_corpus import aligned_pairs, all_words
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch
from tenor.layers.pooling_config import PoolingConfig
from tenor.layers.span_pooling import Spans
from tenor.model.network import Network
from tenor.tasks.phrases.aligned_tokens import AlignedTokens
from tenor.tasks.phrases.heads import PhraseHead, SentenceHead
from tenor.tasks.phrases.kind import VARIANTS, PhrasesSpec
from tenor.tasks.phrases.negatives import paraphrases, partner, random_pairs
from tenor.tasks.phrases.spec import PhraseSpec, phrase_probabilities
from tenor.tasks.phrases.task import PhrasesTask
from tenor.text.alignments import AlignedPair
from tenor.text.tokenizer import Tokenizer
from tenor.training.learner import Cut, StepContext
from tenor.training.plan import Update
from tenor.training.task_learner import TaskLearner
from tiny import new_bert

WIDTH = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    # Few pieces, so that words are cut into several.
    new = tmp_path_factory.mktemp("fresh") / "encoder"
    return new_bert(
        new, all_words(), vocab_size=70, hidden_size=WIDTH, num_layers=2, num_heads=2, max_positions=64
    )


@pytest.fixture(scope="module")
def tokenizer(folder):
    return Tokenizer.load(folder, max_tokens=64)


def network_of(folder, config, *, dropout=0.0):
    encoder = BertCheckpoint.load(folder).encoder
    task = PhrasesTask("stage", config, hidden_size=WIDTH)
    for module in task.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = dropout
    return Network(encoder, pooling=PoolingConfig(), tasks={"stage": task})


# 1. Span features.


def test_features_of_phrases():
    torch.manual_seed(0)
    states = torch.randn(10, 8)
    states[6:8] = states[1:3]
    first, second = (
        Spans(torch.tensor([1, 0]), torch.tensor([3, 4])),
        Spans(torch.tensor([6, 5]), torch.tensor([8, 9])),
    )
    elaborate = PhraseHead(PhraseSpec(), width=8).features(states, first, second)
    assert elaborate.shape == (2, 32)
    top = states[1:3].amax(0)
    assert torch.equal(elaborate[0], torch.cat([top, top, top**2, torch.zeros(8)]))
    u, v = states[0:4].amax(0), states[5:9].amax(0)
    torch.testing.assert_close(elaborate[1], torch.cat([u, v, u * v, (u - v).abs()]))
    simple = PhraseHead(PhraseSpec(features="simple"), width=8).features(states, first, second)
    assert simple.shape == (2, 16)
    torch.testing.assert_close(simple[1], torch.cat([states[0:4].mean(0), states[5:9].mean(0)]))


@pytest.mark.parametrize("features", ["elaborate", "simple"])
def test_numpy_says_the_same_as_torch(features):
    torch.manual_seed(1)
    spec = PhraseSpec(features=features)
    head, states = PhraseHead(spec, width=6).eval(), torch.randn(12, 6)
    torch.nn.init.normal_(head.out.weight)
    first, second = np.array([[0, 2], [3, 4], [1, 5]]), np.array([[6, 7], [8, 12], [7, 9]])
    spans = [Spans.from_arrays(each[:, 0].copy(), each[:, 1].copy()) for each in (first, second)]
    wanted = head(states, *spans).softmax(-1).detach().numpy()
    found = phrase_probabilities(spec, head.weights(), states.numpy(), first, second)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    none = np.zeros((0, 2), dtype=np.int64)
    assert phrase_probabilities(spec, head.weights(), states.numpy(), none, none).shape == (0, 3)


def test_heads_begin_small():
    torch.manual_seed(0)
    head = PhraseHead(PhraseSpec(), width=64)
    assert head.out.weight.std().item() == pytest.approx(0.02, rel=0.1)
    assert not head.out.bias.any()
    assert not SentenceHead(width=8).out.bias.any()


# 3. Spans of words to spans of tokens.


def written(tokenizer, ids):
    return "".join(piece.removeprefix("##") for piece in tokenizer.pieces(ids))


def test_spans_lead_back_to_the_words(tokenizer):
    pairs = aligned_pairs(20)
    data = AlignedTokens.of(pairs, tokenizer)
    assert len(data.ids) > 1.3 * sum(len(p.first) + len(p.second) for p in pairs), "no word is cut"
    even = np.arange(0, 40, 2)
    joined = data.join(even, even + 1)
    for row, pair in enumerate(pairs):
        own = joined.tokens.ids[joined.tokens.starts[row] : joined.tokens.starts[row + 1]]
        for (one, two), spans in zip(data.aligned(row).tolist(), pair.alignments, strict=True):
            for side, (number, words) in enumerate(((one, pair.first), (two, pair.second))):
                begin, end = data.phrases_of(2 * row + side)[number] + joined.begins[row, side]
                assert 1 <= begin < end <= len(own) - 1
                assert written(tokenizer, own[begin:end]) == "".join(words[slice(*spans[side])])


def phrases_written(data, tokenizer, text):
    """Every phrase of a text, as its pieces are written."""
    own = data.ids[data.starts[text] : data.starts[text + 1]]
    return {written(tokenizer, own[begin:end]) for begin, end in data.phrases_of(text).tolist()}


def shortened(pair):
    """The pair with two words left of its second text, and all phrases of its first."""
    alignments = tuple(spans for spans in pair.alignments if spans[1][1] <= 2)
    phrases = tuple(spans[0] for spans in pair.alignments)
    return AlignedPair(pair.first, pair.second[:2], alignments=alignments, first_phrases=phrases)


@pytest.mark.parametrize("limit", [64, 13])  # the second leaves ten pieces of two texts that have more
def test_every_phrase_of_a_batch_is_one_of_the_right_text(folder, limit):
    tokenizer = Tokenizer.load(folder, max_tokens=limit)
    # Of several lengths, so that a text is cut elsewhere beside its paraphrase than beside a random other.
    pairs = [pair for size in (2, 4, 6) for pair in aligned_pairs(4, size=size, seed=size)]
    pairs[8:10] = [shortened(pair) for pair in pairs[8:10]]
    task = PhrasesTask("stage", PhrasesSpec(), hidden_size=WIDTH)
    data = task.prepare(pairs, tokenizer)
    order = np.array([7, 2, 11, 0, 5, 3, 1, 10, 4, 9, 6, 8])  # a row's place is not its number
    batch = task.collate(data, order, generator=np.random.default_rng(0))
    cut = limit == 13
    assert (batch.tokens.lengths.max() == limit) == cut
    assert (batch.tokens.dropped > 0).any() == cut
    known = [phrases_written(data.aligned, tokenizer, text) for text in range(24)]
    counts = dict.fromkeys(task.labels, 0)
    for place, row in enumerate(order.tolist()):
        gold = {
            ("".join(pairs[row].first[slice(*a)]), "".join(pairs[row].second[slice(*b)]))
            for a, b in pairs[row].alignments
        }
        for side, j, k, m, n, label in batch.extras["phrases"][place].tolist():
            if label < 0:
                continue
            text = side * len(order) + place
            own = batch.tokens.ids[batch.tokens.starts[text] : batch.tokens.starts[text + 1]].tolist()
            between = tokenizer.pieces(own).index("[SEP]")
            assert 1 <= j < k <= between < m < n <= len(own) - 1, "each phrase lies within its own text"
            found = written(tokenizer, own[j:k]), written(tokenizer, own[m:n])
            assert found[0] in known[2 * row]
            name = task.labels[label]
            counts[name] += 1
            assert (name == "random") is (side == 1)
            if side == 0:
                assert found[1] in known[2 * row + 1]
                assert (found in gold) is (name == "paraphrase")
            else:
                # The other text begins what its pieces say, and it is neither of the pair's own.
                rest = own[between + 1 : -1]
                others = [
                    text
                    for text in range(24)
                    if data.aligned.ids[data.aligned.starts[text] :][: len(rest)].tolist() == rest
                ]
                assert others
                assert not {2 * row, 2 * row + 1} & set(others)
                assert any(found[1] in known[text] for text in others)
    assert min(counts.values()) > 0
    every = sum(len(pair.alignments) for pair in pairs)
    assert (counts["paraphrase"] < every) == cut


def test_a_word_without_pieces_is_no_phrase(tokenizer):
    pair = AlignedPair(("bami", "\u200b", "kelo"), ("mi",), alignments=(((0, 2), (0, 1)), ((2, 3), (0, 1))))
    data = AlignedTokens.of([pair], tokenizer)
    assert data.left_out == 1
    assert len(data.aligned(0)) == 1


# 4. Negatives.


def test_negatives(tokenizer):
    pairs = aligned_pairs(30, seed=2)
    data = AlignedTokens.of(pairs, tokenizer)
    generator, kept = np.random.default_rng(0), np.array([99, 99])
    for row in range(30):
        gold, wrong = paraphrases(data, row, kept, most=16, generator=generator)
        numbers = {tuple(span): n for n, span in enumerate(data.phrases_of(2 * row).tolist())}
        others = {tuple(span): n for n, span in enumerate(data.phrases_of(2 * row + 1).tolist())}
        aligned = set(map(tuple, data.aligned(row).tolist()))
        for found, label in ((gold, True), (wrong, False)):
            for one, two in zip(found.first.tolist(), found.second.tolist(), strict=True):
                assert ((numbers[tuple(one)], others[tuple(two)]) in aligned) is label
        other = partner(data, row, generator)
        assert data.prints[other] not in data.prints[2 * row : 2 * row + 2]
        drawn = random_pairs(data, 2 * row, other, kept, most=16, generator=generator)
        inside = {tuple(span) for span in data.phrases_of(other).tolist()}
        assert len(drawn.first) == min(len(data.phrases_of(2 * row)), round(data.mean_alignments))
        assert {tuple(span) for span in drawn.second.tolist()} <= inside


def test_a_pair_with_one_phrase_has_no_in_paraphrase(tokenizer):
    pair = AlignedPair(("bami",), ("kelo",), alignments=(((0, 1), (0, 1)),))
    data = AlignedTokens.of([pair], tokenizer)
    gold, wrong = paraphrases(data, 0, np.array([9, 9]), most=4, generator=np.random.default_rng(0))
    assert (len(gold.first), len(wrong.first)) == (1, 0)


def test_every_phrase_that_may_be_drawn_is_drawn(tokenizer):
    data = AlignedTokens.of(aligned_pairs(3, seed=1), tokenizer)
    found, generator = set(), np.random.default_rng(0)
    for _ in range(200):
        _, wrong = paraphrases(data, 0, np.array([99, 99]), most=16, generator=generator)
        found |= {
            (tuple(a), tuple(b)) for a, b in zip(wrong.first.tolist(), wrong.second.tolist(), strict=True)
        }
    first, second = (len(data.phrases_of(text)) for text in (0, 1))
    assert len(found) == first * second - len(data.aligned(0))


def test_training_draws_anew_and_dev_does_not(folder, tokenizer):
    task = PhrasesTask("stage", PhrasesSpec(), hidden_size=WIDTH)
    data = task.prepare(aligned_pairs(20), tokenizer)
    rows = np.arange(8)
    one, two, again = (task.collate(data, rows, generator=np.random.default_rng(n)) for n in (1, 2, 1))
    assert np.array_equal(one.tokens.ids, again.tokens.ids)
    assert not np.array_equal(one.tokens.ids[-40:], two.tokens.ids[-40:])
    whole, part = task.collate(data, rows), task.collate(data, rows[5:6])
    begin, end = whole.tokens.starts[8 + 5], whole.tokens.starts[8 + 6]
    assert np.array_equal(whole.tokens.ids[begin:end], part.tokens.ids[part.tokens.starts[1] :])
    there = part.extras["phrases"][0]
    assert torch.equal(whole.extras["phrases"][5, : len(there)], there)


# 5. Losses.


def losses_of(network, data, rows, **collate):
    task = network.task("stage")
    batch = task.collate(data, rows, **collate)
    return batch, task.losses(network({"stage": batch})["stage"], batch)


def test_the_losses_are_those_of_the_paper(folder, tokenizer):
    network = network_of(folder, PhrasesSpec()).eval()
    task, pairs = network.task("stage"), aligned_pairs(7)
    # A pair without alignments is kept for the texts.
    pairs[3] = AlignedPair(pairs[3].first, pairs[3].second)
    data = task.prepare(pairs, tokenizer)
    torch.nn.init.normal_(task.phrases.out.weight)
    batch, losses = losses_of(network, data, np.arange(7))
    phrasal, sentential = [], []
    for row in range(7):
        for side in range(2):
            text = side * 7 + row
            own = batch.tokens.take(np.array([text]))
            states = network.encoder(PackedBatch.from_tokens(own)).last
            truth = torch.tensor([1 - side])
            sentential.append(functional.cross_entropy(task.sentences.out(states[:1]), truth))
            for at, j, k, m, n, label in batch.extras["phrases"][row].tolist():
                if label >= 0 and at == side:
                    u, v = states[j:k].amax(0), states[m:n].amax(0)
                    logits = task.phrases.out(torch.cat([u, v, u * v, (u - v).abs()]))
                    phrasal.append(functional.cross_entropy(logits[None], torch.tensor([label])))
        if row == 3:
            assert not (batch.extras["phrases"][3][:, 0] == 0).any()
    torch.testing.assert_close(losses["phrases"], torch.stack(phrasal).mean())
    torch.testing.assert_close(losses["sentences"], torch.stack(sentential).mean())


def test_each_loss_moves_its_own_head_and_the_sum_is_plain(folder, tokenizer):
    network = network_of(folder, PhrasesSpec())
    task = network.task("stage")
    _, losses = losses_of(network, task.prepare(aligned_pairs(8), tokenizer), np.arange(8))
    for name, own, other in (
        ("phrases", task.phrases, task.sentences),
        ("sentences", task.sentences, task.phrases),
    ):
        network.zero_grad()
        losses[name].backward(retain_graph=True)
        assert own.out.weight.grad.abs().sum() > 0
        assert other.out.weight.grad is None or not other.out.weight.grad.any()
    assert network.encoder.pooler.weight.grad is None, "the stage does not train the pooler"
    learner = TaskLearner(network, {"stage": task.prepare(aligned_pairs(8), tokenizer)})
    context = StepContext(step=1, epoch=0, steps=1, generator=np.random.default_rng(0))
    learner.begin_epoch(0, np.random.default_rng(0))
    (piece,) = learner.micro_batches(learner.batch(0, np.random.default_rng(0)), Cut(), Update())
    named = learner.losses(piece, context)
    assert set(named) == {"stage.phrases", "stage.sentences"}
    torch.testing.assert_close(learner.weigh(named), named["stage.phrases"] + named["stage.sentences"])


def test_cutting_a_batch_into_passes_changes_nothing(folder, tokenizer):
    network = network_of(folder, PhrasesSpec())
    task = network.task("stage")
    learner = TaskLearner(network, {"stage": task.prepare(aligned_pairs(9), tokenizer)}, batches={"stage": 9})
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))
    found = []
    for tokens in (100_000, 90):
        context = StepContext(step=1, epoch=0, steps=1, generator=np.random.default_rng(0))
        pieces = learner.micro_batches(batch, Cut(tokens=tokens), Update())
        parts = [learner.losses(piece, context) for piece in pieces]
        found.append({name: sum(part[name] for part in parts) for name in parts[0]})
    assert len(pieces) > 2
    for name, value in found[0].items():
        torch.testing.assert_close(found[1][name], value)


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_every_variant(folder, tokenizer, name):
    config = VARIANTS[name]
    network = network_of(folder, config)
    task = network.task("stage")
    data = task.prepare(aligned_pairs(8), tokenizer)
    batch, losses = losses_of(network, data, np.arange(8))
    assert ("sentences" in losses) is config.sentential
    assert ("phrases" in losses) is (config.phrasal != "none")
    assert len(batch.tokens) == (8 if name == "+binary-pp" else 16)
    labels = set(batch.extras["phrases"][..., 5].ravel().tolist()) - {-1}
    wanted = {"three_way": {0, 1, 2}, "binary": {0, 1}, "none": set()}[config.phrasal]
    assert labels == wanted
    sum(losses.values()).backward()
    output = network({"stage": batch})["stage"]
    scores = task.score(task.predict(output, batch), data)
    assert task.metric.name in scores
    if config.phrasal == "three_way":
        right = (output.phrases.argmax(1) == output.labels).float().mean().item()
        assert scores["phrasal_accuracy"] == pytest.approx(right)


# Bad input.


def test_what_cannot_be_learned_from_is_said(tokenizer):
    pairs = aligned_pairs(4)
    plain = [AlignedPair(pair.first, pair.second) for pair in pairs]
    task = PhrasesTask("stage", PhrasesSpec(), hidden_size=WIDTH)
    with pytest.raises(TenorError, match="No pair has an aligned phrase"):
        task.prepare(plain, tokenizer)
    with pytest.raises(TenorError, match="too few"):
        task.prepare(pairs[:1], tokenizer)
    only = PhrasesTask("stage", VARIANTS["+sentence"], hidden_size=WIDTH)
    assert len(only.prepare(plain, tokenizer)) == 4
    for odd in ({"phrasal": "four_way"}, {"features": "rich"}):
        with pytest.raises(TenorError, match=f"is '{next(iter(odd.values()))}'; it must be one of"):
            PhrasesSpec(**odd)
    with pytest.raises(TenorError, match="nothing would be learned"):
        PhrasesSpec(sentential=False, phrasal="none")


def test_identical_one_word_and_unlike_pairs(folder, tokenizer):
    pairs = [
        AlignedPair(("bami", "kelo"), ("bami", "kelo"), alignments=(((0, 1), (0, 1)),)),
        AlignedPair(("tu",), ("ra",), alignments=(((0, 1), (0, 1)),)),
        AlignedPair(("kelo", "mi"), ("zzz", "é")),
        *aligned_pairs(2),
    ]
    network = network_of(folder, PhrasesSpec())
    _, losses = losses_of(network, network.task("stage").prepare(pairs, tokenizer), np.arange(5))
    assert all(torch.isfinite(loss) for loss in losses.values())
