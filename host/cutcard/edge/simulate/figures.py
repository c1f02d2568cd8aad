"""The figures of a simulation from its counts: edge, variance, and confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from cutcard.edge.simulate import kernel
from cutcard.edge.simulate.game import MOST_BOXES
from cutcard.edge.simulate.job import EVERY_ROUND, Job
from cutcard.edge.simulate.side_bets import DEALERS_HAND, MOST_ROWS, SideBet, Sides
from cutcard.edge.simulate.watching import LARGE, SUMS, WATCHED, WATCHERS, WON, WON_SQUARED

# standard errors on either side: 95 of 100 intervals contain the true value
SURE = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """A figure and its standard error."""

    value: float
    error: float

    @property
    def low(self) -> float:
        return self.value - SURE * self.error

    @property
    def high(self) -> float:
        return self.value + SURE * self.error

    def as_json(self) -> dict[str, float]:
        return {"value": self.value, "error": self.error, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class SideFigures:
    """A side wager: its pay scale if it has several, its stake in cents, the frequency of its
    rows."""

    bet: str
    choice: str
    stake: int
    edge: Estimate
    rows: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        return {
            "bet": self.bet,
            "choice": self.choice,
            "stake_cents": self.stake,
            "edge": self.edge.as_json(),
            "rows": self.rows,
        }


@dataclass(frozen=True)
class SimulationFigures:
    """Figures of the main wager unless stated otherwise; the unit is one box's initial wager."""

    rounds: int
    out_of_cards: int
    shoes: int
    edge: Estimate
    edge_of_action: float
    with_insurance: Estimate
    variance: float
    cards: float
    sides: tuple[SideFigures, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "rounds": self.rounds,
            "out_of_cards": self.out_of_cards,
            "shoes": self.shoes,
            "edge": self.edge.as_json(),
            "return": 1 - self.edge.value,
            "edge_of_action": self.edge_of_action,
            "edge_with_insurance": self.with_insurance.as_json(),
            "variance_of_a_round": self.variance,
            "cards_a_round": self.cards,
            "sides": [side.as_json() for side in self.sides],
        }


Shard = Sequence[Sequence[int]]


def figures(
    job: Job, bets: Sequence[SideBet], sides: Sides, shards: Sequence[Shard]
) -> SimulationFigures:
    """Return the figures of all played shards, in any order."""
    tally = [sum(shard[0][place] for shard in shards) for place in range(kernel.TALLY)]
    rounds = tally[kernel.ROUNDS]
    unit = job.boxes * job.stake
    variance = _variance(tally[kernel.MAIN], tally[kernel.MAIN_SQUARED], rounds) / job.stake**2
    edge = Estimate(-tally[kernel.MAIN] / rounds / unit, sqrt(variance / rounds) / job.boxes)
    whole = tally[kernel.MAIN] + tally[kernel.INSURANCE]
    insured_variance = _variance(whole, tally[kernel.INSURED_SQUARED], rounds)
    insured = Estimate(-whole / rounds / unit, sqrt(insured_variance / rounds) / unit)
    if _by_shards(job, shards):
        nets = [shard[0][kernel.MAIN] / shard[0][kernel.ROUNDS] / unit for shard in shards]
        edge = Estimate(edge.value, _error_of_mean(nets))
        wholes = [
            (shard[0][kernel.MAIN] + shard[0][kernel.INSURANCE]) / shard[0][kernel.ROUNDS] / unit
            for shard in shards
        ]
        insured = Estimate(insured.value, _error_of_mean(wholes))
    return SimulationFigures(
        rounds=rounds,
        out_of_cards=tally[kernel.OUT_OF_CARDS],
        shoes=tally[kernel.SHOES],
        edge=edge,
        edge_of_action=-whole / tally[kernel.ACTION],
        with_insurance=insured,
        variance=variance,
        cards=tally[kernel.CARDS] / rounds,
        sides=tuple(_side(job, place, bet, sides, shards) for place, bet in enumerate(bets)),
    )


def counters_win(job: Job, shards: Sequence[Shard], spread: int, least: int) -> Estimate:
    """Return a counter's gain per round, in units of the small wager.

    The large one, `spread` times as much, is made if the hi-lo true count is `least` or more; hands
    are played by the same table.
    """
    number, total, squares = 0, 0.0, 0.0
    for place in range(2 * kernel.MOST_COUNT + 1):
        counted, net, squared = (
            sum(shard[2][3 * place + part] for shard in shards) for part in range(3)
        )
        wager = spread if place - kernel.MOST_COUNT >= least else 1
        number += counted
        total += wager * net
        squares += wager * wager * squared
    mean = total / number
    error = sqrt((squares / number - mean * mean) / number)
    return Estimate(mean / job.stake / job.boxes, error / job.stake / job.boxes)


@dataclass(frozen=True)
class WatcherGain:
    """A watcher's gain per round in small wagers, and the share of large wagers."""

    win: Estimate
    large: float

    def as_json(self) -> dict[str, Any]:
        return {**self.win.as_json(), "share_of_large_wagers": self.large}


def watchers_win(job: Job, shards: Sequence[Shard]) -> dict[str, WatcherGain]:
    """Return the gain of each watcher, from watched shards."""
    found = {}
    unit = job.stake * job.boxes
    for who, name in enumerate(WATCHERS):
        sums = [sum(shard[3][who * SUMS + part] for shard in shards) for part in range(SUMS)]
        number = sums[WATCHED]
        mean = sums[WON] / number
        error = sqrt(_variance(sums[WON], sums[WON_SQUARED], number) / number)
        found[name] = WatcherGain(Estimate(mean / unit, error / unit), sums[LARGE] / number)
    return found


def _side(job: Job, place: int, bet: SideBet, sides: Sides, shards: Sequence[Shard]) -> SideFigures:
    """Return a side wager's figures by the frequency of its rows; shared prizes as if one box had
    won."""
    first = place * MOST_ROWS
    names = ("lost", *bet.rows)
    pays = [int(sides.pays[(first + row) * (MOST_BOXES + 1) + 1]) for row in range(len(names))]
    by_shard = [shard[1][first : first + len(names)] for shard in shards]
    counts = [sum(row) for row in zip(*by_shard, strict=True)]
    number = sum(counts)
    mean = _mean_paid(counts, pays)
    squares = sum(count * pay * pay for count, pay in zip(counts, pays, strict=True)) / number
    # All boxes share the dealer's hand: nine bets on it have no more information than one.
    alike = job.boxes if sides.kinds[place] == DEALERS_HAND else 1
    error = sqrt(max(0.0, squares - mean * mean) / (number / alike))
    if _by_shards(job, shards):
        error = _error_of_mean([_mean_paid(each, pays) for each in by_shard])
    edge = Estimate(-mean / bet.stake, error / bet.stake)
    rows = dict(zip(names, counts, strict=True))
    return SideFigures(bet.bet, bet.choice, bet.stake, edge, rows)


def _mean_paid(counts: Sequence[int], pays: Sequence[int]) -> float:
    return sum(count * pay for count, pay in zip(counts, pays, strict=True)) / sum(counts)


def _by_shards(job: Job, shards: Sequence[Shard]) -> bool:
    """Return whether the interval uses entire shards: rounds of one shoe are not independent."""
    return job.dealing != EVERY_ROUND and len(shards) > 1


def _variance(total: int, squares: int, number: int) -> float:
    return (squares - total * total / number) / number


def _error_of_mean(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
