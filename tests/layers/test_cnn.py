"""Convolutions over n-grams against Conv1d on each text by itself."""

import itertools

import numpy as np
import pytest
import torch
from torch.nn import functional

from tenor.layers.cnn import ConvNgrams
from tenor.layers.packed import Packing

LENGTHS = [4, 0, 9, 1, 2]


def packing_of(lengths):
    return Packing(np.cumsum([0, *lengths], dtype=np.int64))


@pytest.mark.parametrize("kernel_sizes", [(3, 4, 5), (1,), (5, 2)])
def test_each_text_by_itself(kernel_sizes):
    torch.manual_seed(0)
    ngrams, packing = ConvNgrams(6, filters=7, kernel_sizes=kernel_sizes), packing_of(LENGTHS)
    states = torch.randn(packing.tokens, 6)
    features = ngrams(states, packing)
    pooled = ngrams.max_over_time(features, packing)
    assert features.shape == (packing.tokens, ngrams.output_size)
    for text, (begin, end) in enumerate(itertools.pairwise(packing.starts)):
        if begin == end:
            assert pooled[text].eq(0).all()
            continue
        rows = []
        for size, convolution in zip(kernel_sizes, ngrams.convolutions, strict=True):
            padded = functional.pad(states[begin:end].T, (0, size - 1))  # zeros after the text's end
            rows.append(convolution(padded[None]).relu()[0].T)
        by_hand = torch.cat(rows, dim=1)
        torch.testing.assert_close(features[begin:end], by_hand)
        torch.testing.assert_close(pooled[text], by_hand.amax(dim=0))


def test_texts_do_not_influence_one_another():
    ngrams, packing = ConvNgrams(6), packing_of(LENGTHS)
    states = torch.randn(packing.tokens, 6, requires_grad=True)
    together = ngrams(states, packing)
    for begin, end in itertools.pairwise(packing.starts):
        torch.testing.assert_close(ngrams(states[begin:end], packing_of([end - begin])), together[begin:end])
    together[:4].sum().backward()
    assert states.grad[:4].ne(0).any()
    assert states.grad[4:].eq(0).all()


@pytest.mark.parametrize("lengths", [[], [0], [0, 0]])
def test_no_tokens(lengths):
    ngrams, packing = ConvNgrams(6, filters=2), packing_of(lengths)
    features = ngrams(torch.zeros(0, 6), packing)
    assert features.shape == (0, 6)
    assert ngrams.max_over_time(features, packing).tolist() == [[0.0] * 6] * len(lengths)


def test_gradient():
    torch.manual_seed(0)
    ngrams, packing = ConvNgrams(2, filters=2, kernel_sizes=(2, 3)).double(), packing_of([3, 0, 1])
    states = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda states: ngrams(states, packing), states)
