"""Bets by the true count: win rate, risk of ruin and N0 of a spread, and the optimal spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt

from cutcard.edge.simulate import kernel
from cutcard.edge.simulate.figures import Shard

LEAST_ROUNDS = 200  # of a true count, for a bet that depends on its edge


@dataclass(frozen=True)
class CountBucket:
    """The rounds that began at one true count; results are in initial wagers of one box."""

    count: int
    rounds: int
    share: float
    mean: float
    square: float

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return sqrt(max(0.0, self.square - self.mean**2) / self.rounds)


def buckets(shards: Sequence[Shard], stake: int, unit: int) -> list[CountBucket]:
    """Return the true counts that came up, from the lowest; `unit` tag points make one count."""
    sums: dict[int, list[int]] = {}
    for place in range(2 * kernel.MOST_COUNT + 1):
        count = (place - kernel.MOST_COUNT) // unit
        part = sums.setdefault(count, [0, 0, 0])
        for which in range(3):
            part[which] += sum(shard[2][3 * place + which] for shard in shards)
    total = sum(rounds for rounds, _, _ in sums.values())
    return [
        CountBucket(
            count,
            rounds,
            share=rounds / total,
            mean=won / rounds / stake,
            square=squares / rounds / stake**2,
        )
        for count, (rounds, won, squares) in sorted(sums.items())
        if rounds
    ]


@dataclass(frozen=True)
class SpreadFigures:
    """A spread over long play, in small bets: the mean and the variance of a round.

    `bets` has the bet at each true count.
    """

    bets: dict[int, int]
    win: float
    error: float
    variance: float

    @property
    def n0(self) -> float:
        """The rounds after which the mean win equals one standard deviation."""
        return self.variance / self.win**2 if self.win > 0 else inf

    def risk_of_ruin(self, bankroll: float) -> float:
        """Return the chance to lose a bankroll of this many small bets in endless play."""
        return exp(-2 * self.win * bankroll / self.variance) if self.win > 0 else 1.0

    def bankroll(self, risk: float) -> float:
        """Return the bankroll in small bets for a risk of ruin in endless play."""
        return -log(risk) * self.variance / (2 * self.win) if self.win > 0 else inf


def spread_figures(found: Sequence[CountBucket], bets: dict[int, int]) -> SpreadFigures:
    """Return the figures of a bet for each true count."""
    win = sum(each.share * bets[each.count] * each.mean for each in found)
    square = sum(each.share * bets[each.count] ** 2 * each.square for each in found)
    error = sqrt(sum((each.share * bets[each.count] * each.error) ** 2 for each in found))
    return SpreadFigures(bets, win, error, square - win**2)


def simple_bets(found: Sequence[CountBucket], spread: int, least: int) -> dict[int, int]:
    """Return the small bet below a true count, and `spread` times as much from it on."""
    return {each.count: spread if each.count >= least else 1 for each in found}


def optimal_bets(
    found: Sequence[CountBucket], spread: int, bankroll: float, risk: float
) -> SpreadFigures | None:
    """Return the spread of whole bets with the highest win within the risk of ruin, or None.

    The best bets are proportional to the edge over the mean square of each true count (the Kelly
    criterion), between one and `spread`; the factor is the largest that the risk allows.
    """
    best = None
    for bets in _proportional(found, spread):
        figures = spread_figures(found, bets)
        if figures.win > 0 and figures.risk_of_ruin(bankroll) <= risk:
            best = figures if best is None or figures.win > best.win else best
    return best


def _rising(found: Sequence[CountBucket]) -> dict[int, float]:
    """Return the edge over the mean square of each count, as it rises with the count.

    Chance makes a rare count look better than a higher one; such neighbours are pooled by their
    rounds (isotonic regression). Counts that are too rare bet like the next lower one.
    """
    pools: list[tuple[float, int, int]] = []  # value, rounds, counts
    for each in found:
        enough = each.rounds >= LEAST_ROUNDS or not pools
        pool = (each.mean / each.square if each.square else 0.0, each.rounds, 1)
        if not enough:
            value, rounds, counts = pools.pop()
            pool = (value, rounds, counts + 1)
        while pools and pools[-1][0] > pool[0]:
            value, rounds, counts = pools.pop()
            both = rounds + pool[1]
            mean = (value * rounds + pool[0] * pool[1]) / both
            pool = (mean, both, counts + pool[2])
        pools.append(pool)
    values = [max(0.0, value) for value, _, counts in pools for _ in range(counts)]
    return {each.count: value for each, value in zip(found, values, strict=True)}


def _proportional(found: Sequence[CountBucket], spread: int) -> Iterator[dict[int, int]]:
    """Yield bets that rise with the edge, from the flattest to the steepest."""
    worth = _rising(found)
    before: dict[int, int] = {}
    for step in range(1, 400):
        factor = 1.03**step
        bets = {
            count: min(spread, max(1, round(factor * value * 10))) for count, value in worth.items()
        }
        if bets != before:
            yield bets
        before = bets
