"""Multi-head self-attention on a packed batch (Vaswani et al., 2017).

    attention(x) = softmax(Q Kᵀ / √(d/h)) V · W_out        with Q, K, V = x · W_qkv, h heads

Query, key and value come from one product. Each text attends to itself only: on the CPU in rectangles of
nearly equal length, on a GPU in half precision by torch's variable-length kernel. ``causal`` lets a token see
only itself and what stands before it.

Shapes: T tokens, d width, h heads, e = d / h; a rectangle has r texts of l slots.
"""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.cpu.rectangles import Rectangle
from tenor.layers.cpu.training_attention import attend_in_training
from tenor.layers.linear import Linear
from tenor.layers.packed import AttentionKind, Packing


class PackedAttention(nn.Module):
    """Self-attention of every text of a packed batch.

    >>> import numpy as np
    >>> attention = PackedAttention(8, heads=2)
    >>> attention(torch.zeros(5, 8), Packing(np.array([0, 3, 5]))).shape
    torch.Size([5, 8])
    """

    def __init__(self, width: int, *, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.head_width = width // heads
        self.dropout = dropout
        self.qkv = Linear(width, 3 * width)  # rows: all of query, then key, then value
        self.out = Linear(width, width)

    def forward(
        self,
        states: Tensor,
        packing: Packing,
        kind: AttentionKind = "full",
        *,
        wanted: Tensor | None = None,
    ) -> Tensor:
        """Return the new states [T, d], or only those of the tokens ``wanted`` [w, d]."""
        qkv: Tensor = self.qkv(states)
        qkv = qkv.view(len(states), 3, self.heads, self.head_width)  # [T, 3, h, e]
        dropout = self.dropout if self.training else 0.0
        attend = attend_varlen if _varlen_serves(qkv, dropout) else attend_rectangles
        mixed = attend(qkv, packing, kind, dropout).flatten(1)
        out: Tensor = self.out(mixed if wanted is None else mixed.index_select(0, wanted))
        return out


def attend_rectangles(qkv: Tensor, packing: Packing, kind: AttentionKind, dropout: float) -> Tensor:
    """Attend within each text [T, 3, h, e] -> [T, h, e], one kernel call for texts of nearly equal length."""
    plan = packing.rectangles
    if kind != "causal" and plan.parts and _products_serve(qkv, dropout):
        return attend_in_training(qkv, plan, dropout)
    slots = qkv if plan.take is None else qkv.index_select(0, plan.take)  # [P, 3, h, e]
    if not plan.parts:
        return qkv[:, 0]
    # Split and unbind, not slices: the gradient of each slice would be a whole tensor of zeros around it.
    cut = torch.split(slots, [part.last - part.first for part in plan.parts])
    parts = [_attend_rectangle(own, part, kind, dropout) for own, part in zip(cut, plan.parts, strict=True)]
    mixed = parts[0] if len(parts) == 1 else torch.cat(parts)  # [P, h, e]
    return mixed if plan.back is None else mixed.index_select(0, plan.back)


def _products_serve(qkv: Tensor, dropout: float) -> bool:
    """Whether plain products are faster than torch's kernel: on a CPU, with dropout or learning in bf16."""
    learning = qkv.dtype == torch.bfloat16 and qkv.requires_grad and torch.is_grad_enabled()
    return qkv.device.type == "cpu" and (0 < dropout < 1 or (dropout == 0 and learning))


def _attend_rectangle(slots: Tensor, part: Rectangle, kind: AttentionKind, dropout: float) -> Tensor:
    rows = slots.view(part.texts, part.length, *slots.shape[1:]).permute(2, 0, 3, 1, 4)  # [3, r, h, l, e]
    query, key, value = rows.unbind(0)
    causal = kind == "causal"
    # Padding stands behind a text's tokens, so what may look only back never sees it.
    mask = None if causal else part.mask
    mixed = functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=dropout, is_causal=causal
    )  # [r, h, l, e]
    return mixed.transpose(1, 2).flatten(0, 1)


def attend_varlen(qkv: Tensor, packing: Packing, kind: AttentionKind, dropout: float) -> Tensor:
    """Attend within each text [T, 3, h, e] -> [T, h, e] by torch's variable-length kernel."""
    kernel = _varlen_kernel()
    assert kernel is not None
    query, key, value = qkv.unbind(1)
    window = (-1, 0) if kind == "causal" else (-1, -1)
    longest = packing.longest
    mixed: Tensor = kernel(
        query, key, value, packing.bounds, packing.bounds, longest, longest, window_size=window
    )
    return mixed


def _varlen_serves(qkv: Tensor, dropout: float) -> bool:
    """Whether the variable-length kernel can do it: a GPU, half precision, no dropout on the weights."""
    half = qkv.dtype in (torch.float16, torch.bfloat16)
    return qkv.is_cuda and half and dropout == 0 and qkv.shape[0] > 0 and _varlen_kernel() is not None


@cache
def _varlen_kernel() -> Callable[..., Any] | None:
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    # Earlier releases spelt causal attention otherwise; the rectangles serve there.
    return varlen_attn if "window_size" in inspect.signature(varlen_attn).parameters else None
