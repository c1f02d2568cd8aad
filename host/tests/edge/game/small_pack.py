"""Games with a pack so small that it can be dealt to its end."""

from __future__ import annotations

import numpy as np

from cutcard.edge.game.analysis import Game, UpcardAnalysis
from cutcard.edge.money_rules import MoneyRules, money_rules
from cutcard.rulebooks import open_rulebook
from tests.edge.game.dealt_out import Counts


class SmallPack(Game):
    """A game with a custom pack."""

    def __init__(self, rules: MoneyRules, pack: Counts) -> None:
        super().__init__(rules)
        self.pack = np.array(pack, dtype=np.int64)

    def best_against(self, up: int) -> UpcardAnalysis:
        """Return the best play against a card of these points."""
        return self.against(next(each for each in self.ups if each.value == up - 1))


def rules_of(rulebook: str, variant: str, decks: int = 6) -> MoneyRules:
    return money_rules(open_rulebook(rulebook, (variant,)), decks)
