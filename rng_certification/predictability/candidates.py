"""The cards that could have come, and their chances, as known to the machine itself.

A counter is scored by its predicted chance of the dealt card. For a machine that pushes single
cards, more is known than the dealt card: the first card of each bin could have come, with a chance
proportional to the bin's weight. The mean score over these candidates has the same expectation and
a several times smaller spread, and learning from one deal is worth dozens. The counter does not
see this before its prediction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rng_certification.base.compiled import Counts, Decks, Floats, compiled, whole
from rng_certification.continuous.steps import (
    BIN_SHIFT,
    CARD_MASK,
    DEALT,
    FED,
    PUSHED,
    STEP_SHIFT,
    Steps,
    dealt_cards,
)
from rng_certification.predictability.carousel import CarouselLaw

Shares = npt.NDArray[np.float32]
NOT_INSIDE = -99.0  # replaces a chance of zero in the logarithm
_BIN_MASK = 0xFFF
_FIRST, _WAITING = range(2)  # pushes with a card that is not dealt yet, by index in `now`


class Candidates(NamedTuple):
    """One row for each dealt card: candidate cards, and their chances; a share of 0 is no card."""

    cards: Decks
    shares: Shares

    def mean(self, leaked: Floats) -> Floats:
        """Return the mean of `leaked` for each card dealt, weighted by its candidates' shares."""
        shares = self.shares[len(self.shares) - len(leaked) :]
        means: Floats = (np.where(shares > 0, leaked, 0.0) * shares).sum(axis=1)
        return means

    def of_the_first(self, deals: int) -> Candidates:
        return Candidates(self.cards[:deals], self.shares[:deals])


def came(steps: Steps) -> Candidates:
    """Return the dealt card as the only candidate, if no more is known."""
    cards = dealt_cards(steps)[:, None]
    return Candidates(cards, np.ones(cards.shape, dtype=np.float32))


@compiled
def _look(
    steps: Steps, ejecting: Floats, held: Counts, cells: Decks, waiting_cards: Decks,
    waiting_shares: Shares, now: Counts, cards: Decks, shares: Shares,
) -> None:  # fmt: skip
    bins, room = len(held), len(waiting_cards)
    dealt = 0
    for step in steps:
        kind, b = step >> STEP_SHIFT, whole(step >> BIN_SHIFT) & _BIN_MASK
        if kind == FED:
            cells[b, held[b]] = step & CARD_MASK
            held[b] += 1
        elif kind == PUSHED:
            place = (now[_FIRST] + now[_WAITING]) % room
            now[_WAITING] += 1
            total = 0.0
            for i in range(bins):
                total += ejecting[held[i]]
            for i in range(bins):
                waiting_cards[place, i] = cells[i, 0]
                waiting_shares[place, i] = ejecting[held[i]] / total
            held[b] -= 1
            for i in range(held[b]):
                cells[b, i] = cells[b, i + 1]
        elif kind == DEALT:
            cards[dealt] = waiting_cards[now[_FIRST]]
            shares[dealt] = waiting_shares[now[_FIRST]]
            now[_FIRST] = (now[_FIRST] + 1) % room
            now[_WAITING] -= 1
            dealt += 1


class MachineInterior:
    """Looks into a simulated machine; its history may come in pieces, from the first step on."""

    def __init__(self, law: CarouselLaw) -> None:
        self._law = law
        self._held = np.zeros(law.bins, dtype=np.int64)
        self._cells = np.zeros((law.bins, law.capacity), dtype=np.uint16)
        self._cards = np.zeros((law.pack + 1, law.bins), dtype=np.uint16)
        self._shares = np.zeros((law.pack + 1, law.bins), dtype=np.float32)
        self._now = np.zeros(2, dtype=np.int64)

    def candidates(self, steps: Steps) -> Candidates:
        """Return the candidates for each card dealt in these steps."""
        if not self._law.one_by_one:
            return came(steps)
        deals = int(np.count_nonzero(steps >> np.uint32(STEP_SHIFT) == DEALT))
        cards = np.zeros((deals, self._law.bins), dtype=np.uint16)
        shares = np.zeros((deals, self._law.bins), dtype=np.float32)
        _look(
            steps, self._law.ejecting, self._held, self._cells, self._cards, self._shares,
            self._now, cards, shares,
        )  # fmt: skip
        return Candidates(cards, shares)
