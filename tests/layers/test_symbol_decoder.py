"""The decoder of labels against step-by-step recomputation and exhaustive search."""

from itertools import product

import numpy as np
import pytest
import torch

from tenor.layers.packed import Packing
from tenor.layers.symbol_decoder import SEP, SymbolDecoder

STARTS = np.array([0, 2, 2, 3])  # two words, none, one
TARGETS = [[1, 2], [3], [2]]  # of each word, without [SEP]


@pytest.fixture(params=[True, False])
def decoder(request):
    torch.manual_seed(4)
    made = SymbolDecoder(5, symbols=4, decoder_size=6, longest=2, history=request.param)
    with torch.no_grad():
        made.out.weight.mul_(6)
        made.symbols.weight.mul_(2)
    return made.eval()


def flat(labels):
    return np.array([symbol for label in labels for symbol in (*label, SEP)], dtype=np.int64)


def score(decoder, contexts, starts, labels):
    """Return the teacher-forced log probability of labels."""
    targets = flat(labels)
    logs = decoder.log_probabilities(contexts, targets, Packing(starts))
    return float(logs.gather(1, torch.from_numpy(targets)[:, None]).sum())


def test_teacher_forcing_is_step_by_step_decoding(decoder):
    contexts = decoder.contexts(torch.randn(3, 5))
    logs = decoder.log_probabilities(contexts, flat(TARGETS), Packing(STARTS))
    assert len(logs) == sum(len(label) + 1 for label in TARGETS)
    layer = torch.nn.LSTMCell(12, 6)
    own = decoder.lstm.layers[0].state_dict()
    layer.load_state_dict({name.removesuffix("_l0"): value for name, value in own.items()})
    at = 0
    for begin, end in ((0, 2), (2, 3)):
        state = (torch.zeros(1, 6), torch.zeros(1, 6))
        for word in range(begin, end):
            before = SEP
            if not decoder.history:
                state = (torch.zeros(1, 6), torch.zeros(1, 6))
            for symbol in (*TARGETS[word], SEP):
                embedded = decoder.symbols.weight[before][None]
                state = layer(torch.cat([contexts[word : word + 1], embedded], dim=1), state)
                expected = decoder.out(state[0]).log_softmax(dim=1)[0]
                torch.testing.assert_close(logs[at], expected)
                before, at = symbol, at + 1


def test_the_pointer_is_the_number_of_separators_before_a_symbol(decoder):
    targets = flat(TARGETS)
    assert len(targets) == sum(len(label) + 1 for label in TARGETS)
    assert (targets == SEP).sum() == len(TARGETS)
    expected = [sum(symbol == SEP for symbol in targets[:at]) for at in range(len(targets))]
    assert decoder.pointers(targets).tolist() == expected == [0, 0, 0, 1, 1, 2, 2]


def test_weights_are_drawn_as_in_the_paper():
    decoder = SymbolDecoder(300, symbols=40, decoder_size=200, longest=2)
    recurrent = dict(decoder.lstm.named_parameters())["layers.0.weight_hh_l0"]
    for gate in recurrent.chunk(4):
        torch.testing.assert_close(gate @ gate.t(), torch.eye(200), atol=1e-5, rtol=0)
    assert decoder.combine.weight.std().item() == pytest.approx((2 / 300) ** 0.5, rel=0.03)  # He
    assert decoder.symbols.weight.std().item() == pytest.approx((2 / 240) ** 0.5, rel=0.05)  # Glorot
    assert decoder.out.weight.std().item() == pytest.approx((2 / 240) ** 0.5, rel=0.05)
    assert not decoder.combine.bias.any()


def test_dropout_is_the_same_at_all_steps_and_only_in_training():
    decoder = SymbolDecoder(5, symbols=4, decoder_size=400, longest=2, history=True, dropout=0.5)
    seen = {}
    decoder.lstm.register_forward_hook(lambda module, given, output: seen.update(given=given[0]))
    decoder.out.register_forward_hook(lambda module, given, output: seen.update(out=given[0]))
    contexts, targets, packing = decoder.contexts(torch.randn(3, 5)), flat([[1], [1], [1]]), Packing(STARTS)
    for training in (True, False):
        decoder.train(training).log_probabilities(contexts, targets, packing)
        kept = seen["given"][:, 400:] != 0  # of embeddings; what is read of words is never dropped
        torch.testing.assert_close(seen["given"][:, :400], contexts[[0, 0, 1, 1, 2, 2]])
        assert (kept[:4] == kept[0]).all()  # the first sentence's four steps
        assert (kept[4:] == kept[4]).all()
        dropped = 1 - (seen["out"] != 0).float().mean()
        assert (0.4 < dropped < 0.6) if training else dropped < 0.01
        assert (kept[0] != kept[4]).any() == (not kept.all()) == training


def test_a_wide_beam_is_exhaustive_search(decoder):
    labels = [each for size in (1, 2) for each in product((1, 2, 3), repeat=size)]
    contexts = decoder.contexts(torch.randn(2, 5))
    starts = np.array([0, 2])
    sequences = {pair: score(decoder, contexts, starts, pair) for pair in product(labels, repeat=2)}
    best = max(sequences, key=sequences.__getitem__)
    # A search never says [SEP] first nor goes on at the cap, and there the probabilities are as they are.
    spelled, scores = decoder.spell_contexts(contexts, starts, beam=1000)
    assert tuple(spelled) == best
    assert sum(scores) == pytest.approx(sequences[best], abs=1e-4)


def test_greedy_takes_the_best_symbol_at_every_step(decoder):
    contexts = decoder.contexts(torch.randn(3, 5))
    spelled, _ = decoder.spell_contexts(contexts, STARTS, beam=1)
    logs = decoder.log_probabilities(contexts, flat(spelled), Packing(STARTS))
    at = 0
    for label in spelled:
        for place, symbol in enumerate((*label, SEP)):
            allowed = logs[at].clone()
            allowed[SEP if place == 0 else slice(SEP + 1, None) if place == 2 else slice(0, 0)] = -torch.inf
            assert int(allowed.argmax()) == symbol
            at += 1


def test_history_makes_a_label_depend_on_those_before_it():
    torch.manual_seed(0)
    for history in (True, False):
        decoder = SymbolDecoder(5, symbols=4, decoder_size=6, longest=2, history=history)
        contexts = decoder.contexts(torch.randn(2, 5))
        packing = Packing(np.array([0, 2]))
        one, two = (
            decoder.log_probabilities(contexts, flat([first, [2]]), packing)[-2:] for first in ([1], [3])
        )
        assert torch.allclose(one, two) == (not history)
    words = torch.randn(1, 5)
    outputs = []
    for history in (True, False):
        decoder.history = history
        outputs.append(decoder.spell(words, np.array([0, 1]), beam=3))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("beam", [1, 4])
def test_decoding_ends_with_a_label_for_every_word(decoder, beam):
    for seed in range(5):
        torch.manual_seed(seed)
        spelled, scores = decoder.spell(torch.randn(7, 5) * 9, np.array([0, 4, 4, 7]), beam=beam)
        assert len(spelled) == len(scores) == 7
        assert all(1 <= len(label) <= 2 and SEP not in label for label in spelled)
        assert all(score <= 1e-6 for score in scores)
    assert decoder.spell(torch.zeros(0, 5), np.array([0, 0]), beam=beam) == ([], [])
