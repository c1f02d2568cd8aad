"""The gain of a bettor with a counter's predictions, valued with the true probabilities.

Before each round the bettor predicts the round's cards and stakes SPREAD units if the prediction
is worth more than the house edge, otherwise one. Each bet is valued with the true chances of the
cards, which the simulator knows: the first card of every bin could have come, as likely as the
weight of its bin. The counter's own chances decide only the size of the bet.

The estimator has little variance, for three reasons:
- true chances replace the cards that came, and exact worths replace the results of rounds;
- a machine does not know the values of cards, so each stretch of rounds is valued under LABELLINGS
  random assignments of the values to the cards;
- an average card has a worth of zero, so only the additional units of large bets are summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from rng_certification.base.compiled import Counts, Floats
from rng_certification.continuous.counter import SPREAD
from rng_certification.continuous.steps import DEALT, ROUND, STEP_SHIFT, Steps
from rng_certification.continuous.tally import WARM_UP_PACKS
from rng_certification.predictability.candidates import Candidates, Shares
from rng_certification.predictability.games import PLACES, Game, values_of
from rng_certification.predictability.pool import learned_exponents, pooled

SAFETY = 1.25  # allowance for counters better than ours
SHARE = 0.5  # of the house edge: the largest gain that is allowed
LABELLINGS = 64
ONE_SIDED = 1.645  # standard errors to the upper 95 % limit
_LEARNED = 500  # rounds from which the exponents of each place are learned, at most
_LEAST_STRETCHES = 4
UNKNOWN = 1.0  # a complete wager: above every limit

Chances = Sequence[Shares]  # for each place of a round: a row for each round, a column for a card


@dataclass(frozen=True)
class Gain:
    """The gain of a bettor in one game, in units wagered; below 0 the bettor loses.

    `worth` is the part of it that the prediction is worth, `error` its standard error, `ideal` the
    gain at an ideal machine with the same pack and chute.
    """

    game: Game
    worth: float
    error: float
    ideal: float

    @property
    def gain(self) -> float:
        return self.worth - self.game.edge

    @property
    def upper(self) -> float:
        """The upper one-sided 95 % limit of the gain."""
        return self.gain + ONE_SIDED * self.error

    @property
    def judged(self) -> float:
        """The upper limit with the allowance for better counters; a loss gets no allowance."""
        return SAFETY * self.upper if self.upper > 0 else self.upper

    @property
    def allowed(self) -> float:
        return SHARE * self.game.edge

    @property
    def has_limit(self) -> bool:
        """Whether the house has an edge in this game, so that a part of it can be a limit."""
        return self.game.edge > 0

    @property
    def passes(self) -> bool:
        return bool(self.has_limit and self.judged <= self.allowed)


class Bets(NamedTuple):
    """Means over the bets of each stretch: units staked, and the true worth of the units."""

    staked: Floats
    won: Floats

    @property
    def worth(self) -> float:
        """The worth of the prediction for each unit wagered."""
        return float(self.won.sum() / self.staked.sum())

    def deviations(self) -> Floats:
        """The deviation of each stretch from `worth`; their mean is 0."""
        deviations: Floats = (self.won - self.worth * self.staked) / self.staked.mean()
        return deviations


def standard_error(deviations: Floats) -> float:
    """The standard error of a mean over stretches; UNKNOWN for too few of them.

    It is larger for few stretches, so that ONE_SIDED errors are Student's 95 % limit.
    """
    stretches = len(deviations)
    if stretches < _LEAST_STRETCHES:
        return UNKNOWN
    student = float(stdtrit(stretches - 1, 0.95)) / ONE_SIDED
    return student * float(deviations.std(ddof=1) / np.sqrt(stretches))


def first_deals(steps: Steps, pack: int) -> Counts:
    """The numbers of the deals that begin a complete round after the warm-up."""
    kind = steps >> np.uint32(STEP_SHIFT)
    before = np.cumsum(kind == DEALT)
    found = before[kind == ROUND]
    last = int(before[-1]) - PLACES
    chosen: Counts = found[(found >= WARM_UP_PACKS * pack) & (found <= last)].astype(np.int64)
    return chosen


def true_chances(could: Candidates, deals: Counts, pack: int) -> Shares:
    """The true chance of each card of the pack, a row for each of these deals."""
    found = np.zeros((len(deals), pack), dtype=np.float32)
    cards, shares = could.cards[deals], could.shares[deals]
    row, column = np.nonzero(shares)
    found[row, cards[row, column]] = shares[row, column]
    return found


def chances_by_place(
    next_card: Shares, could: Candidates, deals: Counts, pack: int
) -> tuple[Chances, int]:
    """Predict each place of a round from the chances of the next card.

    One exponent for each place measures how well the next card's chances apply to it. It is learned
    from the first rounds; they are not valued. Also return their number.
    """
    learned = min(_LEARNED, len(deals) // 4)
    found = []
    for place in range(PLACES):
        truth = true_chances(could, deals[:learned] + place, pack)
        exponents = learned_exponents([next_card[:learned]], truth, [1.0])
        found.append(pooled([next_card[learned:]], exponents))
    return found, learned


def bets(
    games: Sequence[Game],
    chances: Chances,
    could: Candidates,
    deals: Counts,
    stretch: int,
    seed: int,
) -> list[Bets]:
    """Bet in each game on the rounds that begin with `deals`, in stretches of `stretch` rounds.

    Rounds of one stretch may depend on each other. The rounds after the last complete stretch are
    left out.
    """
    pack = chances[0].shape[1]
    random, values = np.random.default_rng(seed), values_of(pack)
    staked: list[list[float]] = [[] for _ in games]
    won: list[list[float]] = [[] for _ in games]
    for begin in range(0, len(deals) - stretch + 1, stretch):
        rounds = slice(begin, begin + stretch)
        labels = random.permuted(np.tile(values, (LABELLINGS, 1)), axis=1)
        expected = [each[rounds] for each in chances]
        true = [true_chances(could, deals[rounds] + place, pack) for place in range(PLACES)]
        for game, stakes, wins in zip(games, staked, won, strict=True):
            worth = game.worth - game.worth[:, values].mean(axis=1, keepdims=True)
            by_card = worth[:, labels]
            predicted = sum(each @ by_card[place].T for place, each in enumerate(expected))
            real = sum(each @ by_card[place].T for place, each in enumerate(true))
            units = np.where(predicted > game.edge, SPREAD, 1)
            stakes.append(float(units.mean()))
            wins.append(float(((units - 1) * real).mean()))
    return [
        Bets(np.array(stakes), np.array(wins)) for stakes, wins in zip(staked, won, strict=True)
    ]


def gains(
    games: Sequence[Game],
    mine: Sequence[Bets],
    ideal: Sequence[Bets],
    better: tuple[Sequence[Bets], Sequence[Bets]] | None = None,
) -> tuple[Gain, ...]:
    """The gain in each game, by a counter's bets and those at an ideal machine.

    `better` has the bets of a better counter and of the same one, on fewer rounds. The difference
    is added with its error if the better counter wins more.
    """
    found = []
    for place, game in enumerate(games):
        worth, error = mine[place].worth, standard_error(mine[place].deviations())
        if better is not None:
            theirs, same = better[0][place], better[1][place]
            apart = standard_error(theirs.deviations() - same.deviations())
            worth += max(theirs.worth - same.worth, 0.0)
            error = float(np.hypot(error, apart))
        found.append(Gain(game, worth, error, ideal[place].worth - game.edge))
    return tuple(found)
