"""Learning an aligner from human word links: the network in torch, and the one loop that trains it.

The encoder is not changed. Every word pair of a text pair is one decision, link or not, and the loss is the
binary cross-entropy over the whole grid. An eighth of the pairs is held out, none of whose texts stands in
another pair; on it the best epoch and the threshold of a link are chosen. What is kept is the running mean of
the weights, which is steadier than any single step. The same seed gives the same aligner on one machine.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tenor.errors import TenorError
from tenor.machine import thread_count
from tenor.model import Model
from tenor.text.alignments import AlignedPair
from tenor.text.components import hold_out
from tenor.use.align.learned.aligner import Learned, LearnedLinks
from tenor.use.align.learned.grid import View, features, layers_of, view
from tenor.use.align.learned.network import Shape, Weights, link_chances
from tenor.use.align.states import everyday_centre, layered_states
from tenor.use.align.words import Floats, Links, middle_layer

Progress = Callable[[int, int | None], None]

HELD_OUT = 1 / 8  # of the pairs
FEWEST = 16  # pairs; of fewer nothing can be learned and held out
_WINDOW = 400  # pairs whose word vectors of all layers are in memory at once
_THRESHOLDS = np.round(np.arange(0.25, 0.71, 0.05), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnSettings:
    """How an aligner is learned."""

    epochs: int = 5
    fewest_steps: int = 80  # of an epoch, which passes over few pairs several times
    patience: int = 3  # epochs without a better score on the pairs held out, after which it ends
    batch: int = 12  # pairs of a step
    rate: float = 3e-3  # the highest learning rate; it rises over a tenth of the steps and falls to nothing
    decay: float = 0.05
    word_dropout: float = 0.2  # of the numbers of a word vector
    cell_dropout: float = 0.1  # inside the network
    steady: float = 0.99  # of the running mean of the weights that stays at each step
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Example:
    seen: View
    links: Links  # [n, m]

    def swapped(self) -> "_Example":
        return _Example(self.seen.swapped(), self.links.T)


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Pairs with links as the network sees them, all of them in memory: about 100 kB a pair of sentences."""

    encoder_name: str
    encoder: str
    layers: tuple[int, ...]
    middle: int
    centre: Floats
    train: list[_Example]
    held_out: list[_Example]


class GridNetwork(nn.Module):
    """The network of :mod:`tenor.use.align.learned.network` for batches of padded grids."""

    def __init__(self, shape: Shape, settings: LearnSettings) -> None:
        super().__init__()
        inside = shape.channels
        self.likeness, self.kinds = (
            nn.Linear(shape.inputs, shape.likeness),
            nn.Linear(shape.inputs, shape.kinds),
        )
        self.cells = nn.Linear(shape.features, inside)
        self.products = nn.Linear(shape.likeness, inside, bias=False)
        self.differences = nn.Linear(shape.likeness, inside, bias=False)
        self.first_kinds = nn.Linear(shape.kinds, inside, bias=False)
        self.second_kinds = nn.Linear(shape.kinds, inside, bias=False)
        blocks = range(shape.blocks)
        self.around = nn.ModuleList(nn.Conv2d(inside, inside, 3, padding=1) for _ in blocks)
        self.rows = nn.ModuleList(nn.Linear(inside, inside, bias=False) for _ in blocks)
        self.columns = nn.ModuleList(nn.Linear(inside, inside, bias=False) for _ in blocks)
        self.out = nn.Linear(inside, 1)
        self.word_dropout = nn.Dropout(settings.word_dropout)
        self.cell_dropout = nn.Dropout(settings.cell_dropout)

    def forward(self, grid: Tensor, first: Tensor, second: Tensor, real: Tensor) -> Tensor:
        """Return logits [b, n, m]: grids [b, n, m, k], words [b, n, w] and [b, m, w]; ``real`` [b, n, m]."""
        first, second = self.word_dropout(first), self.word_dropout(second)
        one, two = self.likeness(first)[:, :, None], self.likeness(second)[:, None]
        hidden = self.cells(grid) + self.products(one * two) + self.differences((one - two).abs())
        hidden = hidden + self.first_kinds(torch.tanh(self.kinds(first)))[:, :, None]
        hidden = hidden + self.second_kinds(torch.tanh(self.kinds(second)))[:, None]
        inside = real[..., None]
        hidden = functional.silu(hidden) * inside
        outside = (1 - inside) * -1e4  # never the strongest of a row or column
        for around, rows, columns in zip(self.around, self.rows, self.columns, strict=True):
            found = around(hidden.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
            best = hidden + outside
            found = found + rows(best.amax(dim=2))[:, :, None] + columns(best.amax(dim=1))[:, None]
            hidden = (hidden + self.cell_dropout(functional.silu(found))) * inside
        logits: Tensor = self.out(hidden)[..., 0]
        return logits


def learn_aligner(
    model: Model,
    gold: Sequence[AlignedPair],
    *,
    settings: LearnSettings | None = None,
    progress: Progress | None = None,
) -> LearnedLinks:
    """Learn to link words from pairs whose ``links`` people have made.

    ``progress`` is called with the steps just done and the most there can be.
    """
    return learn_from_examples(look_at(model, gold), settings=settings, progress=progress)


def look_at(model: Model, gold: Sequence[AlignedPair]) -> Examples:
    """Bring pairs with links into the form that is learned from; several aligners may learn from it."""
    held = _held_out(gold)
    layers = layers_of(model.engine.layers)
    centre = everyday_centre(model, layers)
    examples = list(zip(_examples(model, gold, centre, layers), held, strict=True))
    return Examples(
        model.name,
        model.fingerprint,
        layers,
        layers.index(middle_layer(model.engine.layers)),
        centre,
        [example for example, out in examples if not out and example.links.size],
        [example for example, out in examples if out and example.links.size],
    )


def learn_from_examples(
    examples: Examples, *, settings: LearnSettings | None = None, progress: Progress | None = None
) -> LearnedLinks:
    """Learn to link words from what :func:`look_at` has returned."""
    settings = settings or LearnSettings()
    torch.set_num_threads(thread_count())
    shape = Shape(features=features(len(examples.layers)), inputs=examples.centre.size)
    best = _trained(examples.train, examples.held_out, shape, settings, progress)
    learned = Learned(
        encoder=examples.encoder,
        encoder_name=examples.encoder_name,
        layers=examples.layers,
        middle=examples.middle,
        threshold=best.threshold,
        pairs=len(examples.train),
        held_out=len(examples.held_out),
        f1=round(best.f1, 4),
        epochs=best.epoch,
        seed=settings.seed,
    )
    return LearnedLinks(learned, examples.centre, best.weights)


def _held_out(gold: Sequence[AlignedPair]) -> list[bool]:
    if len(gold) < FEWEST:
        raise TenorError(
            f"An aligner is learned from at least {FEWEST} pairs with links; there are {len(gold)}."
        )
    if not any(pair.links for pair in gold):
        raise TenorError(
            'None of the pairs has a link: an aligner is learned from "links" that people have made.'
        )
    texts = [(" ".join(pair.first), " ".join(pair.second)) for pair in gold]
    held: list[bool] = hold_out(texts, max(1, round(HELD_OUT * len(gold)))).tolist()
    if not any(held) or all(held) or not any(p.links for p, out in zip(gold, held, strict=True) if out):
        raise TenorError(
            "No pairs with links can be held out to choose by: nearly all share texts with others. "
            "Give more pairs of other texts."
        )
    return held


def _examples(
    model: Model, gold: Sequence[AlignedPair], centre: Floats, layers: tuple[int, ...]
) -> list[_Example]:
    middle = layers.index(middle_layer(model.engine.layers))
    examples = []
    for begin in range(0, len(gold), _WINDOW):
        window = gold[begin : begin + _WINDOW]
        states = layered_states(
            model, [words for pair in window for words in (pair.first, pair.second)], layers
        )
        for pair, first, second in zip(window, states[::2], states[1::2], strict=True):
            links = np.zeros((len(pair.first), len(pair.second)), dtype=bool)
            links[tuple(np.array(pair.links, dtype=np.int64).reshape(-1, 2).T)] = True
            vectors = first.vectors, second.vectors
            seen = view(first.words, second.words, vectors, centre=centre, middle=middle)
            examples.append(_Example(seen.halved(), links[np.ix_(first.places, second.places)]))
    return examples


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    """The best epoch so far."""

    f1: float = -1.0
    threshold: float = 0.5
    epoch: int = 0
    weights: Weights = field(default_factory=dict)


def _trained(
    train: Sequence[_Example],
    watched: Sequence[_Example],
    shape: Shape,
    settings: LearnSettings,
    progress: Progress | None,
) -> _Best:
    """Train until the pairs held out get no better, and return the best weights."""
    generator = np.random.default_rng(settings.seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = GridNetwork(shape, settings)
        steady = copy.deepcopy(network).eval()
        batches = -(-len(train) // settings.batch)
        passes = -(-settings.fewest_steps // batches) or 1
        steps = settings.epochs * passes * batches
        optimiser = torch.optim.AdamW(network.parameters(), lr=settings.rate, weight_decay=settings.decay)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, settings.rate, total_steps=steps + 1, pct_start=0.1
        )
        best, done = _Best(), 0
        for epoch in range(1, settings.epochs + 1):
            network.train()
            for batch in _batches(list(train) * passes, settings.batch, generator):
                _step(network, optimiser, batch)
                schedule.step()
                done += 1
                # At first the mean follows closely, or it would keep too much of where it began.
                _follow(steady, network, min(settings.steady, done / (done + 10)))
                if progress is not None:
                    progress(1, steps)
            best = _better(best, epoch, steady, watched)
            if epoch - best.epoch >= settings.patience:
                break
    return best


def _step(network: GridNetwork, optimiser: torch.optim.Optimizer, batch: Sequence[_Example]) -> None:
    grid, first, second, real, links = _padded(batch)
    losses = functional.binary_cross_entropy_with_logits(
        network(grid, first, second, real), links, weight=real, reduction="sum"
    )
    optimiser.zero_grad()
    # A link in about twenty word pairs: the factor brings the gradient to the size that clipping expects.
    (20 * losses / real.sum().clamp(min=1)).backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()


@torch.no_grad()
def _follow(steady: GridNetwork, network: GridNetwork, kept: float) -> None:
    for mean, value in zip(steady.parameters(), network.parameters(), strict=True):
        mean.lerp_(value, 1 - kept)


def _batches(
    examples: Sequence[_Example], size: int, generator: np.random.Generator
) -> Iterator[list[_Example]]:
    """Yield all examples in batches of grids of about one size, in random order, half of them swapped."""
    sizes = np.array([example.links.size for example in examples]) * np.exp(
        0.15 * generator.standard_normal(len(examples))
    )
    order = np.argsort(sizes, kind="stable")
    batches = [order[begin : begin + size] for begin in range(0, len(order), size)]
    for number in generator.permutation(len(batches)):
        chosen = [examples[place] for place in batches[number]]
        yield [example.swapped() for example in chosen] if generator.random() < 0.5 else chosen


def _padded(batch: Sequence[_Example]) -> tuple[Tensor, ...]:
    """Return grids [b, n, m, k], words [b, n, w] and [b, m, w], real cells [b, n, m] and links [b, n, m]."""
    n, m = (max(example.links.shape[side] for example in batch) for side in (0, 1))
    count, seen = len(batch), batch[0].seen
    grid = np.zeros((count, n, m, seen.grid.shape[2]), dtype=np.float32)
    first = np.zeros((count, n, seen.first.shape[1]), dtype=np.float32)
    second = np.zeros((count, m, seen.second.shape[1]), dtype=np.float32)
    real, links = np.zeros((2, count, n, m), dtype=np.float32)
    for place, example in enumerate(batch):
        rows, columns = example.links.shape
        grid[place, :rows, :columns] = example.seen.grid
        first[place, :rows], second[place, :columns] = example.seen.first, example.seen.second
        real[place, :rows, :columns] = 1
        links[place, :rows, :columns] = example.links
    return tuple(map(torch.from_numpy, (grid, first, second, real, links)))


def _better(best: _Best, epoch: int, network: GridNetwork, watched: Sequence[_Example]) -> _Best:
    """Score the weights as they stand on the pairs held out, at the threshold that suits them best."""
    weights = {name: value.numpy().copy() for name, value in network.state_dict().items()}
    f1, threshold = best_threshold(
        [link_chances(weights, example.seen) for example in watched], [example.links for example in watched]
    )
    return _Best(f1, threshold, epoch, weights) if f1 > best.f1 else best


def best_threshold(chances: Sequence[Floats], links: Sequence[Links]) -> tuple[float, float]:
    """Return the best micro F1 over all links, and the threshold that gives it.

    >>> best_threshold([np.array([[0.9, 0.4], [0.2, 0.6]])], [np.eye(2, dtype=bool)])
    (1.0, 0.45)
    """
    every = np.concatenate([chance.ravel() for chance in chances])
    gold = np.concatenate([link.ravel() for link in links])
    scores = []
    for threshold in _THRESHOLDS:
        found = every >= threshold
        scores.append(2 * float((found & gold).sum()) / max(1, int(found.sum() + gold.sum())))
    place = int(np.argmax(scores))
    return scores[place], float(_THRESHOLDS[place])
