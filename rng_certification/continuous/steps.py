"""A history of a continuous shuffler as a stream of steps, one little-endian uint32 each.

    bits 28-31  the step: 1 fed, 2 pushed, 3 dealt, 4 round
    bits 16-27  the bin of a fed card, or of a push; 0xFFF if unobserved
    bits  0-15  the card by its number in the pack; for a push, the number of cards moved

A person at the table sees the fed and dealt cards. Only the model of the mechanics, on the bench
and in the twin, has the bins and pushes. A `round` step is before the first card of each round.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Steps = npt.NDArray[np.uint32]

FED, PUSHED, DEALT, ROUND = 1, 2, 3, 4
STEP_SHIFT, BIN_SHIFT = 28, 16
UNSEEN_BIN = 0xFFF
CARD_MASK = 0xFFFF


def dealt_cards(steps: Steps) -> npt.NDArray[np.uint16]:
    """Return the cards in the order in which they left."""
    dealt = steps[steps >> np.uint32(STEP_SHIFT) == DEALT]
    cards: npt.NDArray[np.uint16] = (dealt & np.uint32(CARD_MASK)).astype(np.uint16)
    return cards


def without_bins(steps: Steps) -> Steps:
    """Return the history as a person at the table sees it, without bins."""
    seen: Steps = steps[steps >> np.uint32(STEP_SHIFT) != PUSHED].copy()
    seen[seen >> np.uint32(STEP_SHIFT) == FED] |= np.uint32(UNSEEN_BIN << BIN_SHIFT)
    return seen
