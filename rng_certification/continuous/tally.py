"""Count the observable events of a continuous shuffler, card by card.

- gaps: the number of cards dealt between a card's return and its next deal;
- followers: among the cards inside that were returned after the last dealt card, the index of the
  next one (the first of them, the second ...; 0 if the next card was returned earlier);
- runs: the number of successive cards that were each returned after the one before; pushes of
  complete bins cause long runs;
- the place in a suit of the first card of each round. (The places of all cards cannot be used,
  because the length of a round depends on its cards.)
"""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.continuous.steps import CARD_MASK, DEALT, FED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes

MOST_GAP = 4096
FOLLOWER_CELLS = (0, 1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193)
MOST_RUN = 32
RANKS = 13
MOST_LENGTHS = 1 << 14  # rounds that the reference repeats
WARM_UP_PACKS = 8  # a newly loaded pack is still in its old order in the bins
# Indices of the counters in `now`.
_DEALT, _FED, _INSIDE, _LAST_FED, _RUN, _FIRST, _ROUND_LENGTH, _ROUNDS = range(8)
_FOLLOWER_STARTS = np.array(FOLLOWER_CELLS, dtype=np.int64)


@compiled
def first_fed_after(order: Decks, inside: int, fed_number: Counts, number: int) -> int:
    """Return the index of the first later card, among the cards inside by time of return."""
    low, high = 0, inside
    while low < high:
        middle = (low + high) // 2
        if fed_number[order[middle]] > number:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _tally(
    steps: StepCodes,
    warm_up: int,
    starts: Counts,
    now: Counts,
    fed_when: Counts,
    fed_number: Counts,
    order: Decks,
    gaps: Counts,
    followers: Counts,
    runs: Counts,
    ranks: Counts,
    lengths: Counts,
) -> None:
    for step in steps:
        kind, card = step >> STEP_SHIFT, step & CARD_MASK
        if kind == FED:
            fed_when[card] = now[_DEALT]
            fed_number[card] = now[_FED]
            order[now[_INSIDE]] = card
            now[_FED] += 1
            now[_INSIDE] += 1
        elif kind == ROUND:
            if 0 < now[_ROUNDS] <= len(lengths):
                lengths[now[_ROUNDS] - 1] = now[_ROUND_LENGTH]
            now[_ROUNDS] += 1
            now[_ROUND_LENGTH] = 0
            now[_FIRST] = 1
        elif kind == DEALT:
            later = first_fed_after(order, now[_INSIDE], fed_number, now[_LAST_FED])
            place = first_fed_after(order, now[_INSIDE], fed_number, fed_number[card] - 1)
            follows = place - later + 1 if place >= later else 0
            if now[_DEALT] >= warm_up:
                gaps[min(now[_DEALT] - fed_when[card], len(gaps) - 1)] += 1
                cell = 0
                while cell + 1 < len(starts) and follows >= starts[cell + 1]:
                    cell += 1
                followers[cell] += 1
                if follows == 0:
                    runs[min(now[_RUN], len(runs) - 1)] += 1
                if now[_FIRST]:
                    ranks[card % len(ranks)] += 1
            now[_RUN] = now[_RUN] + 1 if follows else 1
            now[_FIRST] = 0
            now[_LAST_FED] = fed_number[card]
            now[_INSIDE] -= 1
            for i in range(place, now[_INSIDE]):
                order[i] = order[i + 1]
            now[_DEALT] += 1
            now[_ROUND_LENGTH] += 1


class Tally:
    """Counts of a history that is fed in pieces, from the end of its warm-up on."""

    def __init__(self, pack: int) -> None:
        self.warm_up = WARM_UP_PACKS * pack
        self._now = np.zeros(8, dtype=np.int64)
        self._fed_when = np.zeros(pack, dtype=np.int64)
        self._fed_number = np.zeros(pack, dtype=np.int64)
        self._order = np.zeros(pack + 1, dtype=np.uint16)
        self._lengths = np.zeros(MOST_LENGTHS, dtype=np.int64)
        self.clear()

    def clear(self) -> None:
        """Begin a new count at the end of the last one."""
        self.gaps = np.zeros(MOST_GAP, dtype=np.int64)
        self.followers = np.zeros(len(FOLLOWER_CELLS), dtype=np.int64)
        self.runs = np.zeros(MOST_RUN, dtype=np.int64)
        self.ranks = np.zeros(RANKS, dtype=np.int64)

    def feed(self, steps: StepCodes) -> None:
        _tally(
            steps,
            self.warm_up,
            _FOLLOWER_STARTS,
            self._now,
            self._fed_when,
            self._fed_number,
            self._order,
            self.gaps,
            self.followers,
            self.runs,
            self.ranks,
            self._lengths,
        )

    @property
    def dealt(self) -> int:
        return int(self._now[_DEALT])

    @property
    def counted(self) -> int:
        return int(self.gaps.sum())

    @property
    def round_lengths(self) -> Counts:
        """The lengths of the first rounds, at most MOST_LENGTHS."""
        rounds = min(max(int(self._now[_ROUNDS]) - 1, 0), len(self._lengths))
        return self._lengths[:rounds].copy()
