"""A mixture of linear experts with a gate (Liu et al., 2020).

    α_i = softmax(W_g h_i + b_g)        m_i = Σ_a α_i^a (A_a h_i + c_a)

The mixture is dense: every expert works on every word, no non-linearity, no routing. What each expert stands
for is taught by whoever supervises the gate. Shapes: W words, d hidden size, E experts, k expert size.
"""

from torch import Tensor, nn

from tenor.layers.linear import Linear


class Experts(nn.Module):
    """Linear experts and the gate that mixes them.

    >>> import torch
    >>> mixed, gate = Experts(8, experts=3, expert_size=5)(torch.randn(4, 8))
    >>> mixed.shape, gate.shape
    (torch.Size([4, 5]), torch.Size([4, 3]))
    """

    def __init__(self, hidden_size: int, *, experts: int, expert_size: int) -> None:
        super().__init__()
        self.expert_size = expert_size
        self.experts = Linear(hidden_size, experts * expert_size)  # expert a has the rows a·k … (a + 1)·k
        self.gate = Linear(hidden_size, experts)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mixture [W, k] and the logits of the gate [W, E] from states [W, d]."""
        gate: Tensor = self.gate(words)
        return self.mixed(words, gate.softmax(dim=1)), gate

    def mixed(self, words: Tensor, weights: Tensor) -> Tensor:
        """Mix the experts by given weights [W, E]."""
        outputs = self.experts(words).view(len(words), -1, self.expert_size)  # [W, E, k]
        out: Tensor = (weights[:, :, None] * outputs).sum(dim=1)
        return out
