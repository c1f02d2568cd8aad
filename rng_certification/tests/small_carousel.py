"""The exact law of a carousel so small that every state can be enumerated.

One card is tagged, the others are alike. A state is the content of the bins (in any order of bins),
of the chute and of the table; chances are propagated until they converge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

Cards = tuple[int, ...]  # 1 is the tagged card
# bins, chute, table, and the cards dealt since the tagged one was fed (-1: not watched)
State = tuple[tuple[Cards, ...], Cards, Cards, int]
Chances = dict[State, float]


class SmallCarousel:
    """Weights are by load, from 0 to the capacity; with `single` a push moves one card."""

    def __init__(
        self,
        bins: int,
        capacity: int,
        low: int,
        pack: int,
        single: bool = False,
        into: Sequence[int] = (),
        out: Sequence[int] = (),
    ) -> None:
        self.low, self.single = low, single
        self.into = (*(into or (1,) * capacity), 0)
        self.out = (0, *(out or (1,) * capacity))
        self.gaps: dict[int, float] = defaultdict(float)
        loaded: Chances = {(((),) * bins, (), (*(0,) * (pack - 1), 1), -1): 1.0}
        for _ in range(pack):
            loaded = self._feed(loaded, watch=False)
        self.start = loaded

    def gap_law(self, lengths: Sequence[int], settle: int = 200) -> dict[int, float]:
        """Return the law of the cards dealt between the tagged card's return and its next deal."""
        chances = self.start
        for _ in range(settle):
            chances = self._period(chances, lengths, watch=False)
        chances = self._period(chances, lengths, watch=True)
        while True:
            chances = {state: p for state, p in chances.items() if state[3] >= 0}
            if sum(chances.values()) < 1e-9:
                break
            chances = self._period(chances, lengths, watch=False)
        total = sum(self.gaps.values())
        return {gap: chance / total for gap, chance in sorted(self.gaps.items())}

    def _period(self, chances: Chances, lengths: Sequence[int], watch: bool) -> Chances:
        for length in lengths:
            for _ in range(length):
                chances = self._deal(self._fill(chances))
            for _ in range(length):
                chances = self._feed(self._fill(chances), watch)
        return chances

    def _fill(self, chances: Chances) -> Chances:
        full: Chances = defaultdict(float)
        while chances:
            low: Chances = defaultdict(float)
            for (bins, chute, table, age), p in chances.items():
                weights = [self.out[len(cell)] for cell in bins]
                if len(chute) > self.low or not any(weights):
                    full[bins, chute, table, age] += p
                    continue
                for i, weight in enumerate(weights):
                    if weight:
                        moved = 1 if self.single else len(bins[i])
                        rest = tuple(sorted((*bins[:i], bins[i][moved:], *bins[i + 1 :])))
                        share = p * weight / sum(weights)
                        low[rest, chute + bins[i][:moved], table, age] += share
            chances = low
        return full

    def _deal(self, chances: Chances) -> Chances:
        after: Chances = defaultdict(float)
        for (bins, chute, table, age), p in chances.items():
            card, *left = chute
            if card and age >= 0:
                self.gaps[age] += p
            now = -1 if card or age < 0 else age + 1
            after[bins, tuple(left), (*table, card), now] += p
        return after

    def _feed(self, chances: Chances, watch: bool) -> Chances:
        after: Chances = defaultdict(float)
        for (bins, chute, table, age), p in chances.items():
            card, *left = table
            weights = [self.into[len(cell)] for cell in bins]
            for i, weight in enumerate(weights):
                if weight:
                    filled = tuple(sorted((*bins[:i], (*bins[i], card), *bins[i + 1 :])))
                    now = 0 if card and watch else age
                    after[filled, chute, tuple(left), now] += p * weight / sum(weights)
        return after
