"""Packed attention and blocks against plain loops and torch's own layers."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from tenor.layers import attention
from tenor.layers.attention import PackedAttention, attend_rectangles, attend_varlen
from tenor.layers.packed import Packing
from tenor.layers.transformer import BlockConfig, TransformerBlock

MIXES = [[1], [5, 5], [3, 17, 1, 30, 0, 16], [0, 0], [], [40, 3, 3, 2, 1]]


def naive(qkv: torch.Tensor, packing: Packing, kind: str) -> torch.Tensor:
    """Attention text by text, written out."""
    out = torch.zeros_like(qkv[:, 0])
    for begin, end in zip(packing.starts, packing.starts[1:], strict=False):
        query, key, value = qkv[begin:end].permute(1, 2, 0, 3)  # each [h, l, e]
        scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
        if kind == "causal":
            scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -math.inf)
        out[begin:end] = (scores.softmax(-1) @ value).transpose(0, 1)
    return out


def pack(lengths: list[int]) -> Packing:
    return Packing(np.cumsum([0, *lengths], dtype=np.int64))


@pytest.mark.parametrize("kind", ["full", "causal"])
@pytest.mark.parametrize("lengths", MIXES)
def test_rectangles_equal_a_plain_loop(lengths, kind):
    torch.manual_seed(0)
    packing = pack(lengths)
    qkv = torch.randn(packing.tokens, 3, 2, 4, dtype=torch.float64, requires_grad=True)
    target = torch.randn(packing.tokens, 2, 4, dtype=torch.float64)
    ours = attend_rectangles(qkv, packing, kind, 0.0)
    theirs = naive(qkv, packing, kind)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    if not packing.tokens:
        return
    gradients = [torch.autograd.grad((out * target).sum(), qkv)[0] for out in (ours, theirs)]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["full", "causal"])
def test_the_variable_length_kernel_is_called_as_it_asks(monkeypatch, kind):
    """No GPU here: the arguments are bound to the real signature and computed by a stand-in."""
    import inspect

    kernel = attention._varlen_kernel()
    if kernel is None:
        pytest.skip("this torch has no variable-length attention")

    def stand_in(*given, **named):
        bound = inspect.signature(kernel).bind(*given, **named).arguments
        starts = bound["cu_seq_q"]
        assert starts.dtype == torch.int32
        assert bound["max_q"] == bound["max_k"] == int(starts.diff().max())
        qkv = torch.stack([bound["query"], bound["key"], bound["value"]], dim=1)
        causal = bound["window_size"] == (-1, 0)
        return naive(qkv, Packing(starts.numpy()), "causal" if causal else "full")

    monkeypatch.setattr(attention, "_varlen_kernel", lambda: stand_in)
    packing = pack([3, 9, 1])
    qkv = torch.randn(13, 3, 2, 4, dtype=torch.float64)
    torch.testing.assert_close(attend_varlen(qkv, packing, kind, 0.0), naive(qkv, packing, kind))


def test_attention_does_not_look_across_texts():
    torch.manual_seed(0)
    layer = PackedAttention(8, heads=2).eval()
    states = torch.randn(7, 8, requires_grad=True)
    layer(states, pack([3, 4]))[:3].sum().backward()
    assert states.grad[:3].abs().sum() > 0
    assert states.grad[3:].abs().sum() == 0


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("kind", ["full", "causal"])
def test_block_equals_torch_own_layer(norm, activation, kind):
    torch.manual_seed(1)
    config = BlockConfig(width=8, heads=2, hidden=12, activation=activation, norm=norm, epsilon=1e-5)
    ours = TransformerBlock(config).double().eval()
    theirs = nn.TransformerEncoderLayer(
        8, 2, 12, activation=activation, norm_first=norm == "pre", batch_first=True, dtype=torch.float64
    ).eval()
    theirs.self_attn.in_proj_weight.data.copy_(ours.attention.qkv.weight)
    theirs.self_attn.in_proj_bias.data.copy_(ours.attention.qkv.bias)
    for mine, other in [
        (ours.attention.out, theirs.self_attn.out_proj),
        (ours.feed_forward.up, theirs.linear1),
        (ours.feed_forward.down, theirs.linear2),
    ]:
        other.load_state_dict(mine.state_dict())
    packing = pack([3, 9, 1, 30])
    states = torch.randn(packing.tokens, 8, dtype=torch.float64)
    causal = (
        nn.Transformer.generate_square_subsequent_mask(packing.longest).isinf() if kind == "causal" else None
    )
    expected = theirs(packing.to_padded(states), src_mask=causal, src_key_padding_mask=~packing.mask)
    torch.testing.assert_close(ours(states, packing, kind), packing.from_padded(expected), rtol=0, atol=1e-10)


def test_dropout_only_in_training():
    block = TransformerBlock(BlockConfig(width=8, heads=2, hidden=12, dropout=0.5, attention_dropout=0.5))
    packing, states = pack([3, 2]), torch.randn(5, 8)
    torch.manual_seed(0)
    first = block.train()(states, packing)
    assert not torch.equal(first, block(states, packing))
    torch.manual_seed(0)
    assert torch.equal(first, block(states, packing))  # the same seed gives the same noise
    assert torch.equal(block.eval()(states, packing), block(states, packing))


def test_tanh_gelu_is_the_approximation():
    states = torch.linspace(-3, 3, 50)
    exact = TransformerBlock(BlockConfig(width=8, heads=2, hidden=12)).feed_forward.activation(states)
    block = TransformerBlock(BlockConfig(width=8, heads=2, hidden=12, activation="gelu_new"))
    inner = math.sqrt(2 / math.pi) * (states + 0.044715 * states**3)
    torch.testing.assert_close(block.feed_forward.activation(states), 0.5 * states * (1 + inner.tanh()))
    torch.testing.assert_close(exact, states * 0.5 * (1 + torch.erf(states / math.sqrt(2))))
