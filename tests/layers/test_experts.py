"""A mixture of experts against its equations."""

import torch

from tenor.layers.experts import Experts


def test_one_expert_alone_and_all_of_them_alike():
    torch.manual_seed(0)
    mixture = Experts(4, experts=3, expert_size=2)
    words = torch.randn(5, 4)
    single = [
        words @ mixture.experts.weight[2 * a : 2 * a + 2].T + mixture.experts.bias[2 * a : 2 * a + 2]
        for a in range(3)
    ]
    for a in range(3):
        torch.testing.assert_close(mixture.mixed(words, torch.eye(3)[[a] * 5]), single[a])
    torch.testing.assert_close(mixture.mixed(words, torch.full((5, 3), 1 / 3)), sum(single) / 3)
    mixed, gate = mixture(words)
    weights = torch.softmax(words @ mixture.gate.weight.T + mixture.gate.bias, dim=1)
    torch.testing.assert_close(gate.softmax(dim=1).sum(dim=1), torch.ones(5))
    torch.testing.assert_close(mixed, sum(weights[:, [a]] * single[a] for a in range(3)))
