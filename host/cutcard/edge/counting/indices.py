"""Indices: the true count from which a hand is better played in another way.

The difference between two ways of playing a hand is treated as linear in the cards left, as in P.
Griffin's The Theory of Blackjack: its effects of removal are those of one card out of the full
pack, each computed exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, isfinite

import numpy as np

from cutcard.edge.counting.counts import CardCount, pack_shares, share_moved
from cutcard.edge.game import kernels
from cutcard.edge.game.analysis import Game, UpcardAnalysis
from cutcard.edge.game.by_total import how_often
from cutcard.edge.game.composition import ACE, NAMES, TEN, VALUES, Floats, Ints
from cutcard.edge.game.suits import MIXED
from cutcard.edge.money_rules import MoneyRules
from cutcard.edge.simulate.deviations import INSURANCE, Deviation

FARTHEST = 10  # true counts beyond it are too rare for an index
_STANDS = range(12, 18)
_DOUBLES = range(8, 12)
_SPLIT_TENS = range(3, 6)  # the dealer's 4, 5 and 6


@dataclass(frozen=True)
class PlayIndex:
    """A hand against a dealer's card, its exact index, and the two ways of playing it."""

    hand: str
    up: str
    index: float
    deviation: Deviation

    def as_json(self) -> dict[str, object]:
        index = round(self.index, 2)
        ways = {"above": self.deviation.above, "below": self.deviation.below}
        return {"hand": self.hand, "up": self.up, "index": index, "from": self.from_count, **ways}

    @property
    def from_count(self) -> int:
        """Return the first integer true count from which the hand is played in the other way."""
        return ceil(self.index - 1e-9)


@dataclass(frozen=True)
class _Choice:
    """Two ways of playing a hand, and the gain of the first over the second in one pack."""

    kind: str
    row: str
    up: int
    above: str
    below: str


def indices(rules: MoneyRules, count: CardCount) -> list[PlayIndex]:
    """Return the indices of a count within ten true counts, insurance first."""
    game = Game(rules)
    usual = _gains(game)
    packs = []
    for value in range(VALUES):
        pack = game.pack.copy()
        pack[value] -= 1
        packs.append(pack)
    without = [_gains(Game(rules, pack=pack)) for pack in packs]
    shares = pack_shares(rules)
    moved = share_moved(count, shares)
    cards = float(game.pack.sum())
    found = []
    for choice, gain in usual.items():
        removal = np.array([each[choice] - gain for each in without])
        # the effect of removing any card does not depend on the count
        removal -= float(shares @ removal)
        slope = -cards * float(removal @ moved)
        index = -gain / slope if slope else float("inf")
        if isfinite(index) and abs(index) <= FARTHEST and slope > 0:
            found.append(_index(choice, index, count.unit))
    return found


def _index(choice: _Choice, index: float, unit: int) -> PlayIndex:
    row = choice.row if choice.kind != "pair" else f"{choice.row}-{choice.row}"
    hand = choice.kind if choice.kind == INSURANCE else f"{choice.kind} {row}"
    up = NAMES[choice.up]
    points = ceil(unit * index - 1e-9)
    deviation = Deviation(choice.kind, choice.row, up, points, choice.above, choice.below)
    return PlayIndex(hand, up, index, deviation)


def _gains(game: Game) -> dict[_Choice, float]:
    """Return the gain of the way for high counts over the other, for each hand with an index."""
    gains = {_Choice(INSURANCE, "", ACE, "", ""): _insurance(game)}
    for against in game.best():
        gains |= dict(_of_card(game, against))
    return gains


def _insurance(game: Game) -> float:
    left = game.left_with(ACE)
    most, odds = float(game.rules.insurance_most), float(game.rules.insurance_odds)
    return most * (float(left[TEN]) / float(left.sum()) * (1 + odds) - 1)


def _of_card(game: Game, against: UpcardAnalysis) -> Iterator[tuple[_Choice, float]]:
    often = how_often(game, against)[0, :, 0]
    ways, hands, up = against.ways[0, :, 0], game.hands, against.up.value
    hard = hands.soft == 0

    def mean(which: Ints, gain: Callable[[Floats], Floats]) -> float:
        weights = often[which]
        return float(weights @ gain(ways[which]) / weights.sum())

    for total in _STANDS:
        which = np.flatnonzero(hard & (hands.total == total) & (hands.cards >= 2) & (often > 0))
        gain = mean(which, lambda way: way[:, kernels.STAND] - way[:, kernels.DRAW])
        yield _Choice("hard", str(total), up, "S", "H"), gain
    for total in _DOUBLES:
        which = np.flatnonzero(hard & (hands.total == total) & (hands.cards == 2) & (often > 0))
        if not game.table.may_double[which].all():
            continue
        gain = mean(which, lambda way: way[:, kernels.DOUBLE] - way[:, kernels.DRAW])
        yield _Choice("hard", str(total), up, "DH", "H"), gain
    if up in _SPLIT_TENS and game.rules.split_allowed:
        pair = hands.number_of(TEN, TEN)
        split = game.split(against, TEN, MIXED).mean
        yield _Choice("pair", "T", up, "PS", "S"), split - float(ways[pair, kernels.STAND])
