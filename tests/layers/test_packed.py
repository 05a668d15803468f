"""Packed batches: the flat axis, the rectangle and back, and the rectangles of attention."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.layers.cpu.rectangles import Rectangles
from tenor.layers.packed import PackedBatch, Packing
from tenor.text.tokens import Tokens

lengths_of_texts = st.lists(st.integers(0, 40), min_size=0, max_size=12)


def starts_of(lengths: list[int]) -> np.ndarray:
    return np.cumsum([0, *lengths], dtype=np.int64)


@given(lengths_of_texts, st.sampled_from([(), (3,), (2, 2)]))
@settings(max_examples=60, deadline=None)
def test_to_padded_and_back_is_the_identity(lengths, shape):
    packing = Packing(starts_of(lengths))
    values = torch.arange(packing.tokens * int(np.prod(shape)), dtype=torch.float32).view(-1, *shape)
    rows = packing.to_padded(values, fill=-1)
    assert rows.shape == (len(lengths), max(lengths, default=0), *shape)
    assert torch.equal(packing.from_padded(rows), values)
    for row, begin, length in zip(rows, packing.starts, lengths, strict=False):
        assert torch.equal(row[:length], values[begin : begin + length])
        assert (row[length:] == -1).all()
    assert packing.mask.sum() == packing.tokens


def test_gradients_go_through_the_rectangle_both_ways():
    packing = Packing(starts_of([2, 0, 3]))
    values = torch.randn(5, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: packing.from_padded(packing.to_padded(v).sin()), values)


def test_indexes_of_a_packing():
    packing = Packing(starts_of([2, 0, 3]))
    assert packing.text_of.tolist() == [0, 0, 2, 2, 2]
    assert packing.places.tolist() == [0, 1, 0, 1, 2]
    assert packing.lengths.tolist() == [2, 0, 3]
    assert packing.longest == 3


@given(lengths_of_texts, st.sampled_from(["cpu", "cuda"]))
@settings(max_examples=80, deadline=None)
def test_rectangles_hold_every_token_once(lengths, kind):
    starts = starts_of(lengths)
    device = torch.device("cpu")
    from tenor.layers.cpu import rectangles

    runs = rectangles._runs(np.sort(np.array([n for n in lengths if n], dtype=np.int64)), kind)
    assert sum(end - begin for begin, end in runs) == sum(1 for n in lengths if n)
    plan = Rectangles.plan(starts, device)
    tokens = torch.arange(int(starts[-1]))
    slots = tokens if plan.take is None else tokens[plan.take]
    back = slots if plan.back is None else slots[plan.back]
    assert torch.equal(back, tokens)
    assert sum(part.texts * part.length for part in plan.parts) == len(slots)
    for part in plan.parts:
        rows = slots[part.first : part.last].view(part.texts, part.length)
        mask = torch.ones_like(rows, dtype=torch.bool) if part.mask is None else part.mask[:, 0, 0]
        for row, filled in zip(rows, mask, strict=True):
            text = int(np.searchsorted(starts, int(row[0]), side="right")) - 1
            expected = torch.arange(int(starts[text]), int(starts[text + 1]))
            assert torch.equal(row[filled], expected)  # a row holds one whole text, in order
            assert filled[: len(expected)].all()  # with its padding behind


def test_sorted_batches_of_equal_lengths_are_not_copied():
    assert Rectangles.plan(starts_of([7, 7, 7]), torch.device("cpu")).take is None
    assert Rectangles.plan(starts_of([60, 60, 5, 5]), torch.device("cpu")).take is None
    assert Rectangles.plan(starts_of([5, 60, 5]), torch.device("cpu")).take is not None


def test_little_padding_on_mixed_lengths():
    lengths = np.random.default_rng(0).integers(3, 300, 64)
    plan = Rectangles.plan(starts_of(lengths.tolist()), torch.device("cpu"))
    slots = sum(part.texts * part.length for part in plan.parts)
    assert slots < 1.2 * lengths.sum()
    assert len(plan.parts) < 20


def test_batch_from_tokens_keeps_everything():
    tokens = Tokens(
        np.array([5, 6, 7], dtype=np.int32),
        np.array([0, 2, 3], dtype=np.int64),
        segments=np.array([0, 1, 0], dtype=np.int32),
        words=np.array([-1, 0, -1], dtype=np.int32),
    )
    batch = PackedBatch.from_tokens(tokens, attention="causal")
    assert batch.ids.tolist() == [5, 6, 7]
    assert batch.segments.tolist() == [0, 1, 0]
    assert batch.words.tolist() == [-1, 0, -1]
    assert batch.positions.tolist() == [0, 1, 0]
    assert batch.attention == "causal"
    assert len(batch) == 2


@pytest.mark.parametrize("field", ["segments", "words"])
def test_batch_from_tokens_without_extras(field):
    assert getattr(PackedBatch.from_tokens(Tokens.from_lists([[1, 2], []])), field) is None
