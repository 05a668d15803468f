"""Natural alpha embeddings (Volpi and Malagò 2020): word vectors as tangent vectors of a model.

A skip-gram model with word rows u_w and context rows v_χ gives every word a distribution over contexts,

    p_w(χ) ∝ exp(x_w·v_χ),   x_w = u_w ("U") or u_w + v_w ("U+V").

With a reference p0, centred contexts ΔV = V − E_p0[V] and the Fisher matrix I = Σ p0 ΔV ΔVᵀ, the embedding is

    W(w) = I⁻¹ Σ_χ l(χ) ΔV_χ,   l = p0 · 2/(1−α) · [(p_w/p0)^((1−α)/2) − 1],   at α = 1: l = p0 ln(p_w/p0).

α = 1 with the uniform reference gives x_w itself. For α → −∞ only χ* = argmax p_w/p0 is left: the limit
embedding LE(w) = I⁻¹ ΔV_χ*, or the (weighted) mean of the k best rows. In: U, V [n, d], p0 [n]; out: [n, d].

Powers are taken in log space with the largest weight of a row set to 1, so that no α overflows; this changes
lengths but no direction. True lengths (``scaled``) are refused where they cannot be written.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

Matrix = NDArray[np.floating]
Label = Literal["U", "U+V"]
_CELLS = 8_000_000  # log-ratios held at once
_LOG = 1e-6  # |1 − α| below which the formula of α = 1 stands in: the error is of that order
_NEAR = 1e-3  # |1 − α| below which exp − 1 would lose digits
_FLAT = 1e-10  # condition of the Fisher matrix from which on it is given a ridge
_RIDGE = 1e-8


class AlphaFamily:
    """All alpha embeddings of a model with two matrices, for one reference.

    >>> u, v = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 1.0], [2.0, -1.0]])
    >>> family = AlphaFamily(u, v, np.full(3, 1 / 3), label="U")
    >>> bool(np.allclose(family.embed(1.0), u))
    True
    """

    def __init__(
        self,
        words: Matrix,
        contexts: Matrix,
        reference: NDArray[np.float64],
        *,
        label: Label = "U+V",
        bias: Matrix | None = None,
    ) -> None:
        _check(words, contexts, reference, label)
        self.dtype = np.result_type(words.dtype, contexts.dtype)
        self.parameters = words + contexts if label == "U+V" else words  # x_w
        self.contexts = contexts
        self.bias = bias
        self.log_reference = np.log(reference)
        wide = np.asarray(contexts, dtype=np.float64)
        self.centred = wide - reference @ wide  # ΔV [n, d]
        self.fisher = (self.centred.T * reference) @ self.centred  # I [d, d]

    @cached_property
    def factor(self) -> NDArray[np.float64]:
        """L [d, d] with L Lᵀ = I: vectors times L have the Fisher product as their ordinary product."""
        values = np.linalg.eigvalsh(self.fisher)
        width = len(self.fisher)
        flat = values[0] <= _FLAT * values[-1]
        ridge = _RIDGE * np.trace(self.fisher) / width if flat else 0.0
        lower: NDArray[np.float64] = np.linalg.cholesky(self.fisher + ridge * np.eye(width))
        return lower

    def embed(self, alpha: float, *, scaled: bool = True) -> Matrix:
        """Return the alpha embedding [n, d] of all words.

        Without ``scaled`` each row has an arbitrary positive length, which any later normalisation removes;
        α of any size can be had so.
        """
        if not np.isfinite(alpha):
            raise TenorError("alpha must be finite; the limit of minus infinity is the method `limit`.")
        sums = np.empty((len(self.parameters), self.contexts.shape[1]))
        centred = self.centred.astype(self.dtype)
        for block, ratios in self._log_ratios():
            sums[block] = weighted_sums(ratios, self.log_reference, centred, alpha, scaled=scaled)
        return self._solved(sums)

    def limit(self, top: int = 1, *, weighted: bool = False) -> Matrix:
        """Return the limit embedding, from the ``top`` contexts whose ratio p_w/p0 is largest."""
        best, ratios = self.best_contexts(top)
        weights = np.exp(ratios - ratios.max(axis=1, keepdims=True)) if weighted else np.ones_like(ratios)
        weights /= weights.sum(axis=1, keepdims=True)
        return self._solved(np.einsum("nk,nkd->nd", weights, self.centred[best]))

    def best_contexts(self, top: int = 1) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the contexts χ with the largest p_w/p0 [n, top], best first, and ln(p_w/p0) of each."""
        if not 1 <= top <= len(self.contexts):
            raise TenorError(f"top is {top}; expected 1 to {len(self.contexts):,}, the number of contexts.")
        best = np.empty((len(self.parameters), top), dtype=np.int64)
        values = np.empty((len(self.parameters), top))
        for block, ratios in self._log_ratios():
            largest = np.argpartition(ratios, -top, axis=1)[:, -top:]
            unsorted = np.take_along_axis(ratios, largest, axis=1)
            order = np.argsort(-unsorted, axis=1, kind="stable")
            best[block] = np.take_along_axis(largest, order, axis=1)
            values[block] = np.take_along_axis(unsorted, order, axis=1)
        return best, values

    def _log_ratios(self) -> Iterator[tuple[slice, Matrix]]:
        """Yield ln(p_w/p0) [rows, n] in blocks of rows."""
        height = max(1, _CELLS // len(self.contexts))
        for start in range(0, len(self.parameters), height):
            block = slice(start, start + height)
            logits = self.parameters[block] @ self.contexts.T
            if self.bias is not None:
                logits = logits + self.bias.astype(logits.dtype)
            yield block, log_ratios(logits, self.log_reference)

    def _solved(self, sums: NDArray[np.float64]) -> Matrix:
        """Return I⁻¹ times every row."""
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve((self.factor, True), sums.T).T, dtype=self.dtype)


def log_ratios(logits: Matrix, log_reference: NDArray[np.float64]) -> Matrix:
    """Return ln p_w − ln p0 from logits [rows, n]; a constant added to a row of logits changes nothing."""
    ratios: Matrix = logits - logits.max(axis=1, keepdims=True)
    ratios -= np.log(np.exp(ratios).sum(axis=1, keepdims=True, dtype=np.float64)).astype(ratios.dtype)
    ratios -= log_reference.astype(ratios.dtype)
    return ratios


def weighted_sums(
    ratios: Matrix,
    log_reference: NDArray[np.float64],
    centred: Matrix,
    alpha: float,
    *,
    scaled: bool,
) -> NDArray[np.float64]:
    """Return Σ_χ l(χ) ΔV_χ [rows, d] from ln(p_w/p0) [rows, n]; only up to length unless ``scaled``."""
    half = (1.0 - alpha) / 2.0
    if abs(1.0 - alpha) < _NEAR:
        # Here powers are nearly 1, and what matters is their difference from it: exp(h r) − 1 = expm1(h r).
        spread = ratios if abs(1.0 - alpha) < _LOG else np.expm1(half * ratios) / half
        return np.asarray((np.exp(log_reference) * spread).astype(centred.dtype) @ centred, dtype=np.float64)
    weights = ratios * ratios.dtype.type(half)
    weights += log_reference.astype(ratios.dtype)
    most = weights.max(axis=1, keepdims=True)
    weights -= most
    np.exp(weights, out=weights)
    # The −1 of the formula drops out, as Σ p0 ΔV = 0.
    sums = np.asarray(weights @ centred, dtype=np.float64) * np.sign(half)
    return np.asarray(sums * _lengths(most, half, alpha)) if scaled else sums


def _lengths(most: Matrix, half: float, alpha: float) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        lengths: NDArray[np.float64] = np.exp(np.asarray(most, dtype=np.float64)) / abs(half)
    limit = np.finfo(most.dtype).max
    if not (lengths < limit).all():
        raise TenorError(
            f"alpha = {alpha:g} blows up: lengths pass the largest {most.dtype}. Ask for directions only "
            "(scaled=False), or for the limit embedding."
        )
    return lengths


def _check(words: Matrix, contexts: Matrix, reference: NDArray[np.float64], label: str) -> None:
    if label not in ("U", "U+V"):
        raise TenorError(f"The label of the model is {label!r}; it is 'U' or 'U+V'.")
    if words.ndim != 2 or contexts.ndim != 2 or words.shape[1] != contexts.shape[1] or not words.size:
        raise TenorError(
            f"Word rows {words.shape} and context rows {contexts.shape} need as many dimensions."
        )
    if label == "U+V" and len(words) != len(contexts):
        raise TenorError(f"U+V needs a context row for every word: {len(words):,} and {len(contexts):,}.")
    if not (np.isfinite(words).all() and np.isfinite(contexts).all()):
        raise TenorError("The matrices of the model hold NaN or infinity; train again, or drop those words.")
    sound = reference.shape == (len(contexts),) and bool((reference > 0).all())
    if not sound or not np.isclose(reference.sum(), 1.0):
        raise TenorError("The reference must give every context a probability above 0, and sum to 1.")
