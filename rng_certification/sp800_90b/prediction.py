"""Compute entropy from a predictor's hits: their rate, and the longest run."""

from __future__ import annotations

from math import inf, log, log1p
from typing import NamedTuple

from scipy.optimize import brentq

from rng_certification.sp800_90b.estimate import EntropyEstimate, entropy_of, upper_bound

CONFIDENCE = 0.99


class PredictionHits(NamedTuple):
    predictions: int
    correct: int
    longest_run: int


def predicted(name: str, hits: PredictionHits, alphabet: int) -> EntropyEstimate:
    share = hits.correct / hits.predictions
    everywhere = (
        upper_bound(share, hits.predictions)
        if hits.correct
        else 1 - (1 - CONFIDENCE) ** (1 / hits.predictions)
    )
    figures = {
        "C": hits.correct,
        "r": hits.longest_run + 1,
        "N": hits.predictions,
        "P_global": share,
        "P_global'": everywhere,
    }
    chance = max(everywhere, 1 / alphabet)
    run = hits.longest_run + 1
    if chance < 1 and _no_such_run(chance, run, hits.predictions) > log(CONFIDENCE):
        chance = _local(chance, run, hits.predictions)
        figures["P_local"] = chance
    return EntropyEstimate(name, entropy_of(chance), figures)


def _local(least: float, run: int, trials: int) -> float:
    """Return the chance of a hit for which this run occurs once in a hundred sequences."""
    most = 1 - 1e-12
    target = log(CONFIDENCE)
    if _no_such_run(most, run, trials) > target:
        return 1.0
    root = brentq(lambda p: _no_such_run(p, run, trials) - target, least, most, xtol=1e-16)
    return float(root)


def _no_such_run(chance: float, run: int, trials: int) -> float:
    """Return the logarithm of the chance that no run of this many hits occurs (Feller, XIII.7)."""
    miss = 1 - chance
    x = 1.0
    for _ in range(10_000):
        following = 1 + miss * chance**run * x ** (run + 1)
        if following - x <= 1e-16 * x:
            break
        x = following
    if chance * x >= 1 or run * x >= run + 1:  # with very frequent hits, a run is certain
        return -inf
    return log1p(-chance * x) - log((run + 1 - run * x) * miss) - (trials + 1) * log(x)
