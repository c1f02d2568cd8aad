"""The room that a round is played in: one array of numbers, by place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cutcard.edge.simulate.game import MOST_BOXES, MOST_HANDS
from rng_certification.base.compiled import Counts

# Hands that wait for the dealer, five numbers each.
BOX, TOTAL, MONEY_ON, TOKENS_ON, KIND = range(5)
PLAIN, BLACKJACK, SURRENDERED = range(3)
WAITING = 5
# Hands of a split that have one card: the card and the money on it.
PENDING = WAITING * MOST_BOXES * MOST_HANDS
# The boxes: what it is up, what the house has collected, its insurance, its first three cards (the
# third -1 where there is none), its hands and its free bets.
NET, LOST, INSURED, FIRST, SECOND, THIRD, HANDS, TOKENS = range(8)
A_BOX = 8
BOXES = PENDING + 2 * MOST_HANDS
# The cards of the hand that is played, and the points of every card.
HELD = BOXES + A_BOX * MOST_BOXES
POINTS = HELD + 32
# What a card adds to a counter's running count, by its points.
TAGS = POINTS + 52
SIZE = TAGS + 11
HI_LO = (-1, 1, 1, 1, 1, 1, 0, 0, 0, -1)  # from the ace to the ten


def room(tags: Sequence[int] = HI_LO) -> Counts:
    """Return the kernel's working memory; `tags` are those of a count, from the ace to the ten."""
    made = np.zeros(SIZE, dtype=np.int64)
    made[POINTS:TAGS] = [min(card % 13 + 1, 10) for card in range(52)]
    made[TAGS + 1 :] = tags
    return made
