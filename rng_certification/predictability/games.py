"""The games in which a prediction is valued: their house edge and the worth of each card.

`cutcard.edge` computes both exactly for each rulebook and number of decks. A round's cards have
four places: the bettor's first card, the dealer's first card, the bettor's second card, and all
later cards as one. A lone bettor receives exactly these cards, so that no seat is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutcard.edge.game.card_worth import card_worth
from cutcard.edge.money_rules import money_rules
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from rng_certification.base.compiled import Counts, Floats
from rng_certification.continuous.blackjack import TEN, tens_of
from rng_certification.continuous.kept_laws import Arrays, kept

PLACES = 4
# The game of each rulebook that is played with packs of 52 or 48 cards.
_VARIANTS: dict[int, dict[str, tuple[str, ...]]] = {
    52: dict.fromkeys(RULEBOOKS, ()),
    48: {"crown-melbourne-26": ("crown-pontoon",), "nz-division-2": ("blackjack-plus",)},
}


@dataclass(frozen=True)
class Game:
    """One rulebook's game with one pack.

    `worth[place, value]` is the change of the bettor's expectation, in initial wagers, if that
    place has a card of that value instead of an average card.
    """

    rulebook: str
    edge: float
    worth: Floats


def deck_of(pack: int) -> int:
    """The cards of one deck of this pack: 52, or 48 without the ten rank."""
    return 52 if tens_of(pack) == 4 else 48


def games_for(pack: int) -> tuple[Game, ...]:
    """Return the games played with a pack of this size, computed once on each computer."""
    deck = deck_of(pack)
    if pack % deck:
        return ()
    return tuple(
        _game(rulebook, variants, pack // deck) for rulebook, variants in _VARIANTS[deck].items()
    )


def _game(rulebook: str, variants: tuple[str, ...], decks: int) -> Game:
    rules = money_rules(open_rulebook(rulebook, variants), decks)

    def computed() -> Arrays:
        found = card_worth(rules)
        later = found.share - 2 * found.on_box - found.on_dealer
        worth = np.array([found.on_box, found.on_dealer, found.on_box, later])
        return {"edge": np.array(found.edge), "worth": worth}

    arrays = kept("worth", rules, computed)
    return Game(rulebook, float(arrays["edge"]), arrays["worth"])


def values_of(pack: int) -> Counts:
    """The value of each card of a pack: 0 for an ace, 9 for every card that counts ten."""
    ranks = 9 + tens_of(pack)
    return np.minimum(np.arange(pack) % ranks, TEN)
