"""Attention with dropout on its weights, as training on a CPU needs it: one step with a gradient of its own.

    P = softmax(s · Q Kᵀ)       D = P where it is kept, else 0       O = c · D V

with s = 1/√e and c = 1/(1 - share), and backwards, with G the gradient of O times c, and O' = D V:

    dV = Dᵀ G       dS = D ∘ (G Vᵀ) - P ∘ rowsum(O' ∘ G)       dQ = s · dS K       dK = s · dSᵀ Q

torch has no fast kernel for it, and put together from its single steps it spends more time on moving numbers
than on multiplying them. Here each rectangle is brought into the order of the products once, forwards and
backwards; scale, padding and the dropped weights ride on passes that are made anyway. The rows of padding get
no gradient, so that every token takes its own from its own slot.

Shapes: T tokens, h heads, e width of a head, P slots; a rectangle has r texts of l slots.
"""

from typing import Any

import torch
from torch import Tensor

from tenor.layers.dropout import kept_places
from tenor.layers.rectangles import Rectangle, Rectangles


def attend_with_dropout(qkv: Tensor, plan: Rectangles, share: float) -> Tensor:
    """Attend within each text [T, 3, h, e] -> [T, h, e]; differentiable once.

    >>> import numpy as np
    >>> plan = Rectangles.plan(np.array([0, 3, 5]), torch.device("cpu"))
    >>> attend_with_dropout(torch.zeros(5, 3, 2, 4), plan, 0.1).shape
    torch.Size([5, 2, 4])
    """
    out: Tensor = _Attention.apply(qkv, plan, share)  # type: ignore[no-untyped-call]
    return out


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, qkv: Tensor, plan: Rectangles, share: float) -> Tensor:
        slots = qkv if plan.take is None else qkv.index_select(0, plan.take)  # [P, 3, h, e]
        mixed = slots.new_empty(len(slots), *slots.shape[2:])
        kept, nothing = [], slots.new_zeros(())
        for part in plan.parts:
            rows = _by_head(slots[part.first : part.last], part)
            weights = _scores(rows, part).softmax(-1)
            places, ctx.scale = kept_places(weights, share)
            thinned = torch.where(places, weights, nothing)
            own = torch.bmm(thinned, rows[2])
            text_rows = own.view(part.texts, -1, part.length, own.shape[-1]).transpose(1, 2)  # [r, l, h, e]
            torch.mul(text_rows, ctx.scale, out=mixed[part.first : part.last].view(text_rows.shape))
            kept += [rows, weights, thinned, own]
        ctx.plan = plan
        ctx.save_for_backward(*kept)
        return mixed if plan.back is None else mixed.index_select(0, plan.back)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None]:
        plan: Rectangles = ctx.plan
        (gradient,) = outer
        slots = gradient if plan.take is None else gradient.index_select(0, plan.take)  # [P, h, e]
        out = slots.new_empty(len(slots), 3, *slots.shape[1:])
        kept = ctx.saved_tensors
        for number, part in enumerate(plan.parts):
            rows, weights, thinned, own = kept[4 * number : 4 * number + 4]
            query, key, value = rows
            begin, end = part.first, part.last
            texts = slots[begin:end].view(part.texts, part.length, *slots.shape[1:]).transpose(1, 2)
            scale = ctx.scale  # with padding [r, 1, l, 1]
            if part.mask is not None:
                scale = part.mask.transpose(2, 3).to(own.dtype) * scale
            outer_rows = torch.empty_like(own)  # [r·h, l, e], nothing from padding
            torch.mul(texts, scale, out=outer_rows.view(texts.shape))
            inner = torch.empty_like(rows)
            scores = torch.bmm(outer_rows, value.transpose(1, 2)).mul_(thinned)
            scores.addcmul_(weights, (own * outer_rows).sum(-1, keepdim=True), value=-1)
            torch.bmm(scores, key, out=inner[0])
            torch.bmm(scores.transpose(1, 2), query, out=inner[1])
            inner[:2] *= query.shape[-1] ** -0.5
            torch.bmm(thinned.transpose(1, 2), outer_rows, out=inner[2])
            wide = inner.view(3, part.texts, -1, part.length, inner.shape[-1]).permute(1, 3, 0, 2, 4)
            out[begin:end].view(wide.shape).copy_(wide)
        return (out if plan.back is None else out.index_select(0, plan.back)), None, None


def _by_head(slots: Tensor, part: Rectangle) -> Tensor:
    """Bring [r·l, 3, h, e] into the order of the products [3, r·h, l, e]."""
    _, kinds, heads, width = slots.shape
    rows = slots.view(part.texts, part.length, kinds, heads, width).permute(2, 0, 3, 1, 4)
    return rows.reshape(kinds, part.texts * heads, part.length, width)


def _scores(rows: Tensor, part: Rectangle) -> Tensor:
    """Return the scaled products of query and key [r·h, l, l], -inf where a key is padding."""
    query, key, _ = rows
    many, length, width = query.shape
    if part.mask is None:
        return torch.bmm(query, key.transpose(1, 2)).mul_(width**-0.5)
    bias = torch.zeros_like(part.mask, dtype=query.dtype).masked_fill_(~part.mask, float("-inf"))
    scores = bias.expand(part.texts, many // part.texts, length, length).reshape(many, length, length)
    # Every text has a token, so that no row is all -inf.
    return scores.baddbmm_(query, key.transpose(1, 2), alpha=width**-0.5)
