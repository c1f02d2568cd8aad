"""The risk of ruin, and the time until a defect of the shuffle shows in the drop.

The sum of many rounds is treated as a Brownian motion with the same drift and variance; the unit is
one initial wager. For single rounds this is an approximation; for thousands of rounds, as in these
questions, it is a good one.
"""

from __future__ import annotations

from math import erfc, exp, inf, pi, sqrt

CERTAIN, POWER = 1.959963984540054, 0.8416212335729143  # 5 % false alarms, 80 % found
_FAR_OUT = -20.0  # standard deviations: beyond this, the tail's series is accurate to seven places


def risk_of_ruin(edge: float, variance: float, bankroll: float, rounds: float = inf) -> float:
    """Return the probability that a player against this edge loses the bankroll within these
    rounds."""
    drift = -edge
    if rounds == inf:
        return 1.0 if drift <= 0 else exp(-2 * drift * bankroll / variance)
    spread = sqrt(variance * rounds)
    first = _times_below(0.0, (-bankroll - drift * rounds) / spread)
    second = _times_below(-2 * drift * bankroll / variance, (-bankroll + drift * rounds) / spread)
    return min(1.0, first + second)


def rounds_until_detectable(shift: float, variance: float) -> float:
    """Return the rounds that distinguish a shift of the edge from chance, four times out of
    five."""
    return inf if shift == 0 else variance * ((CERTAIN + POWER) / shift) ** 2


def _times_below(power: float, x: float) -> float:
    """Return the exponential of a power, times the probability that a normal number is below x.

    One factor may overflow while the other underflows: far out they are computed together.
    """
    if x > _FAR_OUT:
        return exp(power) * 0.5 * erfc(-x / sqrt(2))
    square = x * x
    tail = 1 - 1 / square + 3 / square / square
    return exp(power - square / 2) * tail / (-x * sqrt(2 * pi))
