"""Attention as training on a CPU needs it, with dropout on its weights: one step with a gradient of its own.

    P = softmax(s · Q Kᵀ)       D = P where it is kept, else 0       O = c · D V

with s = 1/√e and c = 1/(1 - share), and backwards, with G the gradient of O times c, and O' = D V:

    dV = Dᵀ G       dS = D ∘ (G Vᵀ) - P ∘ rowsum(O' ∘ G)       dQ = s · dS K       dK = s · dSᵀ Q

torch has no fast kernel for it: with dropout, put together from its single steps, it spends more time on
moving numbers than on multiplying them, and without dropout its kernel is two to ten times slower in bf16
than these products. Here tokens are brought into the order of the products by one look-up of rows,
forwards and backwards, and every product is written where it stays. The rows of padding get no gradient, so
that every token takes its own from its own slot.

Shapes: T tokens, h heads, e width of a head, P slots; a rectangle has r texts of l slots. In the order of the
products, a rectangle's part of all rows [3·P·h, e] is [3, r·h, l, e], and of the mixed ones [P·h, e] it is
[r·h, l, e].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tenor.layers.cpu.dropout import kept_places
from tenor.layers.cpu.rectangles import Rectangle, Rectangles


def attend_in_training(qkv: Tensor, plan: Rectangles, share: float) -> Tensor:
    """Attend within each text [T, 3, h, e] -> [T, h, e], a share of the weights dropped; differentiable once.

    >>> import numpy as np
    >>> plan = Rectangles.plan(np.array([0, 3, 5]), torch.device("cpu"))
    >>> attend_in_training(torch.zeros(5, 3, 2, 4), plan, 0.1).shape
    torch.Size([5, 2, 4])
    """
    order = plan.once(("order of products", qkv.shape[2]), lambda: Order.of(plan, len(qkv), qkv.shape[2]))
    out: Tensor = _Attention.apply(qkv, order, share)  # type: ignore[no-untyped-call]
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Where the rows of tokens stand in the order of the products: the same for every layer of a pass."""

    parts: tuple[Rectangle, ...]
    heads: int
    into: Tensor  # [3·P·h], the row of qkv [T·3·h, e] of every row of the products
    back: Tensor  # [T·3·h], and the other way
    into_mixed: Tensor  # [P·h], the row of the mixed values [T·h, e] of every row of the products
    back_mixed: Tensor  # [T·h], and the other way
    present: Tensor | None  # [P·h, 1], 0 in rows of padding; None without padding
    biases: tuple[Tensor | None, ...]  # of each rectangle [r·h, 1, l], -inf where a key is padding

    @classmethod
    def of(cls, plan: Rectangles, tokens: int, heads: int) -> "Order":
        """Work out the order for a plan."""
        take = torch.arange(tokens) if plan.take is None else plan.take
        back = torch.arange(tokens) if plan.back is None else plan.back
        kinds, head = torch.arange(3)[:, None, None, None], torch.arange(heads)[:, None]
        into, into_mixed, biases, present = [], [], [], []
        places = torch.empty(len(take), 3, heads, dtype=torch.int64)  # of every slot's rows in `into`
        mixed_places = torch.empty(len(take), heads, dtype=torch.int64)
        for part in plan.parts:
            own = take[part.first : part.last].view(part.texts, 1, part.length)
            into.append(((own * 3 + kinds) * heads + head).flatten())  # [3, r, h, l]
            into_mixed.append((own * heads + head).flatten())  # [r, h, l]
            slots = torch.arange(part.texts * heads * part.length).view(part.texts, heads, part.length)
            rows = torch.stack([slots + kind * slots.numel() for kind in range(3)])  # [3, r, h, l]
            places[part.first : part.last] = (3 * heads * part.first + rows).permute(1, 3, 0, 2).flatten(0, 1)
            mixed_places[part.first : part.last] = (heads * part.first + slots).transpose(1, 2).flatten(0, 1)
            present.append(_present(part, heads))
            biases.append(_bias(part, heads))
        padded = any(part.mask is not None for part in plan.parts)
        return cls(
            plan.parts,
            heads,
            torch.cat(into),
            places.index_select(0, back).flatten(),
            torch.cat(into_mixed),
            mixed_places.index_select(0, back).flatten(),
            torch.cat(present)[:, None] if padded else None,
            tuple(biases),
        )

    def cut(self, rows: Tensor, kinds: int) -> list[Tensor]:
        """Cut rows [kinds·P·h, e] into those of each rectangle [kinds, r·h, l, e]; one kind has no axis."""
        sizes = [kinds * self.heads * (part.last - part.first) for part in self.parts]
        shape = (kinds,) if kinds > 1 else ()
        return [
            own.view(*shape, part.texts * self.heads, part.length, -1)
            for own, part in zip(torch.split(rows, sizes), self.parts, strict=True)
        ]


def _present(part: Rectangle, heads: int) -> Tensor:
    """Return 1 for every row of a token and 0 for padding [r·h·l]."""
    if part.mask is None:
        return torch.ones(part.texts * heads * part.length)
    return part.mask[:, 0].expand(part.texts, heads, part.length).flatten().float()


def _bias(part: Rectangle, heads: int) -> Tensor | None:
    if part.mask is None:
        return None
    bias = torch.zeros(part.mask.shape).masked_fill_(~part.mask, float("-inf"))  # [r, 1, 1, l]
    return bias[:, 0].repeat_interleave(heads, 0)


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, qkv: Tensor, order: Order, share: float) -> Tensor:
        width = qkv.shape[-1]
        rows = qkv.reshape(-1, width).index_select(0, order.into)
        mixed = rows.new_empty(len(order.into_mixed), width)
        kept, nothing, ctx.scale = [], rows.new_zeros(()), 1.0
        for own, out, bias in zip(order.cut(rows, 3), order.cut(mixed, 1), order.biases, strict=True):
            weights = thinned = _scores(own, bias).softmax(-1)
            if share:
                places, ctx.scale = kept_places(weights, share)
                thinned = torch.where(places, weights, nothing)
            torch.bmm(thinned, own[2], out=out)
            kept += [weights, thinned]
        ctx.order = order
        ctx.save_for_backward(rows, mixed, *kept)
        return mixed.index_select(0, order.back_mixed).mul_(ctx.scale).view(len(qkv), -1, width)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None]:
        order: Order = ctx.order
        (gradient,) = outer
        rows, mixed, *kept = ctx.saved_tensors
        width = rows.shape[-1]
        moved = gradient.reshape(-1, width).index_select(0, order.into_mixed)
        moved.mul_(ctx.scale if order.present is None else order.present * ctx.scale)  # nothing from padding
        sums = (mixed * moved).sum(-1, keepdim=True)
        inner = torch.empty_like(rows)
        parts = zip(
            order.cut(rows, 3), order.cut(inner, 3), order.cut(moved, 1), order.cut(sums, 1),
            _by_two(kept), strict=True,
        )  # fmt: skip
        for (query, key, value), out, own, own_sums, (weights, thinned) in parts:
            scores = torch.bmm(own, value.transpose(1, 2)).mul_(thinned)
            scores.addcmul_(weights, own_sums, value=-1)
            scores.mul_(width**-0.5)
            torch.bmm(scores, key, out=out[0])
            torch.bmm(scores.transpose(1, 2), query, out=out[1])
            torch.bmm(thinned.transpose(1, 2), own, out=out[2])
        return inner.index_select(0, order.back).view(len(gradient), 3, -1, width), None, None


def _by_two(kept: Sequence[Tensor]) -> list[tuple[Tensor, Tensor]]:
    return list(zip(kept[::2], kept[1::2], strict=True))


def _scores(rows: Tensor, bias: Tensor | None) -> Tensor:
    """Return the scaled products of query and key [r·h, l, l], -inf where a key is padding."""
    query, key, _ = rows
    scale = query.shape[-1] ** -0.5
    if bias is None:
        return torch.bmm(query, key.transpose(1, 2)).mul_(scale)
    # Every text has a token, so that no row is all -inf.
    return torch.baddbmm(bias.to(query.dtype), query, key.transpose(1, 2), alpha=scale)
