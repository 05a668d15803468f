"""Inference in linear-chain models, free of torch: Viterbi decoding and the forward-backward algorithm.

The score of the labels y_1 … y_m of a sequence with emissions e (Lafferty et al., 2001) is

    s(y) = start[y_1] + Σ_t e_t[y_t] + Σ_t transitions[y_{t-1}, y_t] + end[y_m]

and their probability exp(s(y)) / Z with Z the sum over all label sequences. ``viterbi`` finds the labels with
the highest score, the lowest label first among equals; ``Trellis`` holds log Z and its gradient, which are
the expected counts of labels and transitions; ``marginals`` are the probabilities of each token's labels.
All sequences advance together in time-major order, in float64 and in log space. Sequences may be empty.

Forbidden transitions, starts and ends get the score ``FORBIDDEN``: low enough that their probability is
exactly 0, and finite, so that a sequence that no allowed labels fit still has an answer.

Shapes: n sequences, T tokens, k labels, c sequences at work in a step.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.layers.time_major import Index, TimeMajor

Scores = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Allowed = NDArray[np.bool_]

FORBIDDEN = -1e5
_MOST_NUMBERS = 1 << 23  # of one array of a step: 64 MB


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedCounts:
    """How often labels are expected at tokens, in transitions, at starts and ends: the gradient of log Z."""

    emissions: Floats  # [T, k]
    transitions: Floats  # [k, k]
    start: Floats  # [k]
    end: Floats  # [k]


class Trellis:
    """The forward scores of packed sequences, from which log Z and the expected counts are taken.

    >>> zeros = np.zeros((5, 2)), np.array([0, 2, 5]), np.zeros((2, 2)), np.zeros(2), np.zeros(2)
    >>> np.exp(Trellis(*zeros).log_partition).round(6).tolist()  # all label sequences weigh 1
    [4.0, 8.0]
    """

    def __init__(
        self, emissions: Scores, starts: Index, transitions: Scores, start: Scores, end: Scores
    ) -> None:
        self._time = TimeMajor.plan(starts)
        self._present = np.flatnonzero(np.diff(starts))  # the sequences that have a token
        self._last = self._time.slots[starts[1:][self._present] - 1]  # their last slots
        self._transitions = transitions.astype(np.float64)
        self._incoming, self._forward = self._run_forward(_time_major(emissions, self._time), start)
        final = self._forward[:, self._last] + end[:, None]
        totals = _log_sum_exp(final)
        self._final = np.exp(final - totals)  # the probabilities of the last labels
        self.log_partition = np.zeros(len(starts) - 1)  # [n]
        self.log_partition[self._present] = totals

    def expected_counts(self, weights: Floats) -> ExpectedCounts:
        """Return the expected counts of all sequences, each multiplied by its weight [n]."""
        counts = np.zeros_like(self._forward)  # [k, T] in time-major order
        last = self._final * weights[self._present]  # [k, sequences that have a token]
        counts[:, self._last] = last
        pairs = np.zeros_like(self._transitions)
        steps = self._time.steps()
        for before, now in zip(steps[-2::-1], steps[:0:-1], strict=True):
            before = slice(before.start, before.start + now.stop - now.start)
            # The probability of the label before, given the label now; times that of the label now.
            for some in _pieces(now.stop - now.start, len(pairs)):
                old, new = _part(before, some), _part(now, some)
                joint = self._forward[:, None, old] + self._transitions[:, :, None]  # [k, k, c]
                joint -= self._incoming[:, new]
                np.exp(joint, out=joint)
                joint *= counts[:, new]
                counts[:, old] += joint.sum(axis=1)
                pairs += joint.sum(axis=2)
        first = counts[:, steps[0]].sum(axis=1) if steps else np.zeros(len(pairs))
        return ExpectedCounts(counts[:, self._time.slots].T, pairs, first, last.sum(axis=1))

    def _run_forward(self, emissions: Floats, start: Scores) -> tuple[Floats, Floats]:
        """Return the log sums over all labels before each token, without and with its emission [k, T]."""
        incoming = np.empty_like(emissions)
        forward = np.empty_like(emissions)
        before = None
        for now in self._time.steps():
            if before is None:
                incoming[:, now] = start[:, None]
            else:
                for some in _pieces(now.stop - now.start, len(before)):
                    sums = before[:, None, some] + self._transitions[:, :, None]  # [k, k, c]
                    incoming[:, _part(now, some)] = _log_sum_exp(sums)
            before = incoming[:, now] + emissions[:, now]
            forward[:, now] = before
        return incoming, forward


def viterbi(
    emissions: Scores,
    starts: Index,
    transitions: Scores,
    start: Scores,
    end: Scores,
    *,
    allowed: Allowed | None = None,
    allowed_start: Allowed | None = None,
    allowed_end: Allowed | None = None,
) -> Index:
    """Return the labels [T] with the highest score of each sequence.

    ``transitions`` [k, k] go from the row's label to the column's; ``allowed`` [k, k], ``allowed_start`` [k]
    and ``allowed_end`` [k] are False where a label may not follow, begin or end.

    >>> emissions = np.array([[1.0, 0.0], [0.0, 0.5], [1.0, 0.0]])
    >>> viterbi(emissions, np.array([0, 3]), np.eye(2), np.zeros(2), np.zeros(2)).tolist()
    [0, 0, 0]
    """
    transitions = constrain(transitions, allowed)
    time = TimeMajor.plan(starts)
    best = _best_scores(_time_major(emissions, time), time, transitions, constrain(start, allowed_start))
    labels = _backtrace(best, time, transitions, constrain(end, allowed_end))
    return labels[time.slots]


def marginals(
    emissions: Scores,
    starts: Index,
    transitions: Scores,
    start: Scores,
    end: Scores,
    *,
    allowed: Allowed | None = None,
    allowed_start: Allowed | None = None,
    allowed_end: Allowed | None = None,
) -> Floats:
    """Return the posterior probability of each label at each token [T, k]; arguments as of ``viterbi``."""
    trellis = Trellis(
        emissions,
        starts,
        constrain(transitions, allowed),
        constrain(start, allowed_start),
        constrain(end, allowed_end),
    )
    return trellis.expected_counts(np.ones(len(starts) - 1)).emissions


def constrain(scores: Scores, allowed: Allowed | None) -> Floats:
    """Give ``FORBIDDEN`` to the scores that are not allowed."""
    precise = scores.astype(np.float64)
    return precise if allowed is None else np.where(allowed, precise, FORBIDDEN)


def _best_scores(emissions: Floats, time: TimeMajor, transitions: Floats, start: Floats) -> Floats:
    """Return the best score of all labels that end with each label at each token [k, T]."""
    best = np.empty_like(emissions)
    before = None
    for now in time.steps():
        if before is None:
            before = emissions[:, now] + start[:, None]
        else:
            for some in _pieces(now.stop - now.start, len(before)):
                best[:, _part(now, some)] = (before[:, None, some] + transitions[:, :, None]).max(axis=0)
            before = best[:, now] + emissions[:, now]
        best[:, now] = before
    return best


def _backtrace(best: Floats, time: TimeMajor, transitions: Floats, end: Floats) -> Index:
    """Follow the best labels from the last token to the first [T], in time-major order."""
    labels = np.empty(best.shape[1], dtype=np.int64)
    after = labels[:0]
    for now in reversed(time.steps()):
        scores = best[:, now].copy()  # [k, c], of which the first sequences go on
        scores[:, : len(after)] += transitions[:, after]
        scores[:, len(after) :] += end[:, None]
        after = labels[now] = scores.argmax(axis=0)
    return labels


def _pieces(sequences: int, labels: int) -> Iterator[slice]:
    """Cut the sequences of a step so that labels x labels numbers of each take bounded memory."""
    most = max(1, _MOST_NUMBERS // labels**2)
    for begin in range(0, sequences, most):
        yield slice(begin, min(begin + most, sequences))


def _part(whole: slice, part: slice) -> slice:
    return slice(whole.start + part.start, whole.start + part.stop)


def _time_major(emissions: Scores, time: TimeMajor) -> Floats:
    """Lay emissions [T, k] out as [k, T] in time-major order: numpy reduces the first axis fastest."""
    return np.ascontiguousarray(emissions.astype(np.float64)[time.order].T)


def _log_sum_exp(scores: Floats) -> Floats:
    """Return log Σ exp over the first axis, without overflow."""
    top = scores.max(axis=0)
    total: Floats = np.log(np.exp(scores - top).sum(axis=0)) + top
    return total
