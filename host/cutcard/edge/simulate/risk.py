"""What an edge and a variance mean in time: ruin, and how long a fault hides in the drop.

The sum of many rounds is taken for a Brownian motion with the same drift and variance; the unit is
one initial wager. For single rounds it is an approximation, for the thousands that these questions
are about a good one.
"""

from __future__ import annotations

from math import erf, exp, inf, sqrt

CERTAIN, POWER = 1.959963984540054, 0.8416212335729143  # 5 % false alarms, 80 % found


def risk_of_ruin(edge: float, variance: float, bankroll: float, rounds: float = inf) -> float:
    """The chance that who plays against this edge loses the bankroll within so many rounds."""
    drift = -edge
    if rounds == inf:
        return 1.0 if drift <= 0 else exp(-2 * drift * bankroll / variance)
    spread = sqrt(variance * rounds)
    first = _below((-bankroll - drift * rounds) / spread)
    second = exp(min(700.0, -2 * drift * bankroll / variance))
    return min(1.0, first + second * _below((-bankroll + drift * rounds) / spread))


def rounds_until_it_shows(shift: float, variance: float) -> float:
    """How many rounds tell an edge that is off by `shift` from chance, four times out of five."""
    return inf if shift == 0 else variance * ((CERTAIN + POWER) / shift) ** 2


def _below(x: float) -> float:
    return 0.5 * (1 + erf(x / sqrt(2)))
