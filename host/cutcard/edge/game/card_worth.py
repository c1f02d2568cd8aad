"""The value of knowing a card: that it is dealt to a place of the initial deal, or was removed.

A counter who knows that an ace is more likely to come first, or that the sixes have been dealt,
expects more from the next round. Both values are exact for one card and are added up for several,
as counters do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutcard.edge.game.analysis import Game, UpcardAnalysis
from cutcard.edge.game.composition import VALUES, Floats
from cutcard.edge.money_rules import MoneyRules


@dataclass(frozen=True)
class CardWorth:
    """Values in initial wagers of a player with the best strategy, relative to an average round.

    `on_box` and `on_dealer`: by the value of one card that the box or the dealer gets. `share`: by
    the share of a value among the cards left, for a change of the share by one.
    """

    edge: float
    on_box: Floats
    on_dealer: Floats
    share: Floats


def card_worth(rules: MoneyRules) -> CardWorth:
    """Make eleven analyses: of the full pack, and without one card of each value."""
    game = Game(rules)
    best = game.best()
    whole = game.value(best).mean
    pack = game.pack
    usual = pack / pack.sum()
    gone = np.array([_without(rules, value) - whole for value in range(VALUES)])
    # Removing one card of a value changes its share by one part in all the cards left, and the
    # other shares accordingly; the effect of removing any card is not a matter of shares.
    share = -(float(pack.sum()) - 1) * (gone - float(usual @ gone))
    return CardWorth(-whole, *_by_place(game, best, whole), share)


def _without(rules: MoneyRules, value: int) -> float:
    game = Game(rules)
    pack = game.pack.copy()
    pack[value] -= 1
    less = Game(rules, pack=pack)
    return less.value(less.best()).mean


def _by_place(game: Game, best: list[UpcardAnalysis], whole: float) -> tuple[Floats, Floats]:
    box, box_chance = np.zeros(VALUES), np.zeros(VALUES)
    dealer, dealer_chance = np.zeros(VALUES), np.zeros(VALUES)
    ante = float(game.rules.ante)
    for against in best:
        up, chance = against.up.value, against.up.chance
        dealer[up] += chance * (against.total.mean - ante)
        dealer_chance[up] += chance
        for a, b, mean, both in game.openings_of(against):
            for value in (a, b):
                box[value] += chance * both / 2 * (mean - ante)
                box_chance[value] += chance * both / 2
    return box / box_chance - whole, dealer / dealer_chance - whole
