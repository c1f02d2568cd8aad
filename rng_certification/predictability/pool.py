"""A log-linear pool of predictions, with exponents learned from data.

The chance of a card is proportional to the product of the chances that several predictions give
it, each raised to an exponent. Newton's method maximises the likelihood of the exponents, which is
concave. A step that lowers the likelihood is halved until it raises it, so that the method cannot
overshoot. Learn the exponents from other cards than those that the pool is measured on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rng_certification.base.compiled import Floats
from rng_certification.predictability.candidates import Shares

Mask = npt.NDArray[np.bool_]
_ROWS = 256  # of one piece of the data: memory does not grow with the data
_PRIOR = 10.0  # rows that the starting exponents count for
_STEPS, _LEAST_STEP, _DONE = 50, 1e-6, 1e-10


def pooled(chances: Sequence[Shares], exponents: Floats) -> Shares:
    """Return the pool of several predictions, a row for each card dealt.

    A card that one of the predictions excludes has no chance.
    """
    pool = np.empty(chances[0].shape, dtype=np.float32)
    for begin in range(0, len(pool), _ROWS):
        logs, possible = _logs(chances, begin)
        pool[begin : begin + _ROWS] = _normalised(logs @ exponents, possible)
    return pool


def learned_exponents(chances: Sequence[Shares], truth: Shares, start: Sequence[float]) -> Floats:
    """Return the exponents that maximise the likelihood of `truth`.

    `truth` has the true chance of each card. `start` are the exponents without any data, and a
    weak prior: few rows cannot move them far.
    """
    exponents = begun = np.array(start, dtype=np.float64)
    value, slope, curve = _likelihood(chances, truth, exponents, begun)
    for _ in range(_STEPS):
        direction = np.linalg.solve(curve + 1e-9 * np.eye(len(begun)), slope)
        step = 1.0
        while step > _LEAST_STEP:
            after = exponents + step * direction
            found = _likelihood(chances, truth, after, begun)
            if found[0] >= value:
                break
            step /= 2
        else:
            return exponents
        gained = found[0] - value
        exponents, (value, slope, curve) = after, found
        if gained < _DONE * max(len(truth), 1):
            return exponents
    return exponents


def _likelihood(
    chances: Sequence[Shares], truth: Shares, exponents: Floats, begun: Floats
) -> tuple[float, Floats, Floats]:
    """The logarithm of the likelihood with its prior, its slope, and its curvature (negated)."""
    apart = exponents - begun
    value = -_PRIOR / 2 * float(apart @ apart)
    slope: Floats = -_PRIOR * apart
    curve: Floats = _PRIOR * np.eye(len(begun))
    for begin in range(0, len(truth), _ROWS):
        logs, possible = _logs(chances, begin)
        share = np.where(possible, truth[begin : begin + _ROWS], 0.0)
        whole = share.sum(axis=1, keepdims=True)
        share = np.divide(share, whole, out=np.zeros_like(share), where=whole > 0)
        weight = (whole[:, 0] > 0).astype(np.float64)
        pool = _normalised(logs @ exponents, possible)
        value += float((share * np.log(np.where(share > 0, np.maximum(pool, 1e-300), 1.0))).sum())
        mean = np.einsum("np,npk->nk", pool, logs)
        slope = slope + (np.einsum("np,npk->nk", share, logs) - weight[:, None] * mean).sum(axis=0)
        square = np.einsum("n,np,npk,npl->kl", weight, pool, logs, logs, optimize=True)
        curve = curve + square - np.einsum("n,nk,nl->kl", weight, mean, mean)
    return value, slope, curve


def _logs(chances: Sequence[Shares], begin: int) -> tuple[Floats, Mask]:
    """Logarithms [row, card, prediction], 0 for impossible cards; and the possible cards."""
    rows = np.stack([each[begin : begin + _ROWS] for each in chances], axis=-1).astype(np.float64)
    possible: Mask = np.all(rows > 0, axis=-1)
    return np.where(possible[..., None], np.log(np.where(rows > 0, rows, 1.0)), 0.0), possible


def _normalised(scores: Floats, possible: Mask) -> Floats:
    scores = np.where(possible, scores, -np.inf)
    highest = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(highest), highest, 0.0))
    total = weights.sum(axis=1, keepdims=True)
    found: Floats = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return found
