"""The time-major order against torch's own packing of sequences."""

import numpy as np
import pytest
import torch
from torch.nn.utils import rnn

from tenor.layers.time_major import TimeMajor


@pytest.mark.parametrize("lengths", [[3, 5, 1, 5], [1], [4, 4, 4]])
def test_equals_torch(lengths):
    starts = np.cumsum([0, *lengths])
    time = TimeMajor.plan(starts)
    rows = [torch.arange(begin, begin + length) for begin, length in zip(starts, lengths, strict=False)]
    packed = rnn.pack_sequence(rows, enforce_sorted=False)
    assert time.batch_sizes.tolist() == packed.batch_sizes.tolist()
    order = np.argsort(-np.array(lengths), kind="stable")
    ranked = rnn.pack_sequence([rows[row] for row in order])
    assert time.order.tolist() == ranked.data.tolist()


def test_slots_invert_the_order():
    time = TimeMajor.plan(np.array([0, 0, 4, 4, 10, 11, 11]))
    assert time.slots[time.order].tolist() == list(range(11))
    assert [step.stop - step.start for step in time.steps()] == time.batch_sizes.tolist()


@pytest.mark.parametrize("starts", [[0], [0, 0, 0]])
def test_no_tokens(starts):
    time = TimeMajor.plan(np.array(starts))
    assert (len(time.order), len(time.slots), time.steps()) == (0, 0, [])
