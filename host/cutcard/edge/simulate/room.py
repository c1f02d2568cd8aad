"""The working memory of a round: one array of numbers, by place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cutcard.edge.simulate.game import MOST_BOXES, MOST_HANDS
from rng_certification.base.compiled import Counts

# Hands that wait for the dealer, five numbers each.
BOX, TOTAL, MONEY_ON, TOKENS_ON, KIND = range(5)
PLAIN, BLACKJACK, SURRENDERED = range(3)
WAITING = 5
# Hands of a split with one card: the card and the money on it.
PENDING = WAITING * MOST_BOXES * MOST_HANDS
# The boxes: net result, money collected by the house, insurance, first three cards (the third is -1
# if missing), hands and free bets.
NET, LOST, INSURED, FIRST, SECOND, THIRD, HANDS, TOKENS = range(8)
A_BOX = 8
BOXES = PENDING + 2 * MOST_HANDS
# The cards of the current hand, and the points of every card.
HELD = BOXES + A_BOX * MOST_BOXES
POINTS = HELD + 32
# The change of a counter's running count by a card, by its points.
TAGS = POINTS + 52
SIZE = TAGS + 11
HI_LO = (-1, 1, 1, 1, 1, 1, 0, 0, 0, -1)  # from the ace to the ten


def room(tags: Sequence[int] = HI_LO) -> Counts:
    """Return the kernel's working memory; `tags` are those of a count, from the ace to the ten."""
    made = np.zeros(SIZE, dtype=np.int64)
    made[POINTS:TAGS] = [min(card % 13 + 1, 10) for card in range(52)]
    made[TAGS + 1 :] = tags
    return made
