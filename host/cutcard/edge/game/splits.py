"""The value of a split: every hand of it played separately, and the dealer's Blackjack jointly.

Each hand of a split plays the unsplit optimum of its cards and of the kind of its stake, so its
result does not depend on the other hands, and the means add up: the order of dealing does not
change the probabilities of a shuffled pack. Only the losses to the dealer's Blackjack do not add
up, if rules limit them: that part is enumerated over all hands of the split together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import product
from math import comb, prod
from typing import NamedTuple

import numpy as np

from cutcard.edge.game import kernels
from cutcard.edge.game.composition import (
    ACE,
    BLACKJACK,
    TEN,
    VALUES,
    DealersHands,
    Floats,
    HandTable,
    Ints,
)
from cutcard.edge.game.stakes import MONEY_KIND, TOKEN_KIND, Compiled, is_limited
from cutcard.edge.game.suits import SuitLaw, Suits
from cutcard.edge.money_rules import MoneyRules

# If a book sets no limit: the most hands that are considered.
MOST_HANDS = 18
# This many decide whether a split is worth a closer look.
ROUGHLY = 4
# The number of hands enumerated together; beyond, without a limit, the probability decreases by a
# constant factor.
JOINTLY = 4
# The dealer's endings are cached for hands that were split up to this often.
KEPT_AGAIN = 2


# The dealer's endings after the hands of a split for which they were computed: by the split value,
# the number of further splits, and the number of other hands without another card of it.
Endings = dict[tuple[int, int, int], tuple[Ints, Floats]]
# The stake of hands split off, whether money and tokens are split again, and the most hands.
Course = tuple[int, tuple[bool, bool], int]


@dataclass
class SplitCache:
    """A cache of split results against one upcard, for any strategy.

    `played` has each hand of a split under the relevant part of a strategy, `worth` complete
    splits.
    """

    endings: Endings = field(default_factory=dict)
    played: dict[tuple[int, int, Type, int, int, bytes], _Played] = field(default_factory=dict)
    worth: dict[tuple[int, int, int, Course, bytes], SplitWorth] = field(default_factory=dict)


class NotAnalysedError(ValueError):
    """Raised for a game whose splits the analysis cannot settle jointly; the text has the
    reason."""


class Type(NamedTuple):
    """A hand of a split: its stake, and whether its second card was unrestricted."""

    kind: int
    any_second: bool


class Leaf(NamedTuple):
    """An outcome of a split: cards drawn that were split again, and the resulting hands."""

    drawn: int
    hands: tuple[tuple[Type, int], ...]

    @property
    def bound(self) -> int:
        """Return the number of hands whose second card may not be of the value."""
        return sum(count for hand, count in self.hands if not hand.any_second)


@dataclass(frozen=True)
class SplitPlan:
    """A strategy and its required data, against one card of the dealer.

    `after_split` is the plan for split hands, if they have fewer options than other hands.
    """

    acts: Ints
    suit_acts: Ints
    rescues: Ints
    token_splits: tuple[bool, ...]
    after_split: SplitPlan | None = None


class SplitWorth(NamedTuple):
    """Mean, mean square, money added, and the maximum error of the mean."""

    mean: float
    square: float
    money: float
    bound: float


NOTHING = SplitWorth(-1e9, 0.0, 0.0, 0.0)


@cache
def outcomes(
    kinds: tuple[int, int], new: int, again: tuple[bool, bool], limit: int
) -> tuple[tuple[Leaf, int], ...]:
    """Return every outcome of a split, with its number of orders.

    `kinds` are the stakes of the first two hands, `new` the stake of a hand split off later,
    `again` whether money and token hands are split again.
    """
    states: Counter[tuple[tuple[int, ...], tuple[int, ...], int]] = Counter()
    states[kinds, (0, 0, 0, 0), 0] = 1
    leaves: Counter[Leaf] = Counter()
    while states:
        later: Counter[tuple[tuple[int, ...], tuple[int, ...], int]] = Counter()
        for (pending, done, drawn), orders in states.items():
            if not pending:
                leaves[Leaf(drawn, _types(done))] += orders
            elif again[pending[0]] and len(pending) + sum(done) < limit:
                kind, rest = pending[0], pending[1:]
                later[(kind, new, *rest), done, drawn + 1] += orders
                later[rest, _one_more(done, 2 * kind), drawn] += orders
            else:
                later[pending[1:], _one_more(done, 2 * pending[0] + 1), drawn] += orders
        states = later
    return tuple(sorted(leaves.items()))


def _types(done: tuple[int, ...]) -> tuple[tuple[Type, int], ...]:
    return tuple(
        (Type(place // 2, bool(place % 2)), count) for place, count in enumerate(done) if count
    )


def _one_more(done: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*done[:place], done[place] + 1, *done[place + 1 :])


class Splitter:
    """Value splits against one card of the dealer under one strategy; results are cached."""

    def __init__(
        self,
        rules: MoneyRules,
        table: Compiled,
        hands: HandTable,
        left: Ints,
        up: int,
        dealer: DealersHands,
        suits: Suits,
        chances: Floats,
        at_risk: float,
        known: SplitCache,
    ) -> None:
        """Prepare a splitter; `known` is shared by all strategies against this card."""
        self._at_risk, self._known = at_risk, known
        self._rules, self._table, self._hands = rules, table, hands
        self._left, self._up, self._dealer = left, up, dealer
        self._of_value = [int(cards) for cards in left]
        self._cards = sum(self._of_value)
        self._suits, self._chances = suits, chances
        self._concerned: dict[tuple[int, int, int], bytes] = {}
        # Working memory that every hand reuses: below zero if an ending is unknown.
        self._endings = np.full((len(hands.cards), 8), -1.0)
        self._not_at_risk = np.zeros(len(hands.cards))

    def worth(
        self, value: int, kind: int, plan: SplitPlan, pair: int = 4, *, better_than: float = -1e9
    ) -> SplitWorth:
        """Return the value of a pair with this kind of stake, split. `pair` is the suit of two
        sevens.

        If it cannot be better than `better_than`, the joint part and the mean square are left out:
        the result is then an upper bound that is still no better.
        """
        left = self._left
        if left[value] < 2:
            return NOTHING
        new = TOKEN_KIND if self._rules.split_free and value != TEN else kind
        one_card = value == ACE
        may = not one_card or self._rules.aces_resplit
        again = (may, may and plan.token_splits[value])
        limit = self._rules.split_hands
        plan = plan.after_split or plan
        if not limit and (again[0] or again[1]):
            rough = self._worth(value, kind, plan, pair, (new, again, ROUGHLY), better_than)
            if rough.mean <= better_than:
                return rough
        return self._worth(value, kind, plan, pair, (new, again, limit or MOST_HANDS), better_than)

    def _worth(
        self,
        value: int,
        kind: int,
        plan: SplitPlan,
        pair: int,
        course: Course,
        better_than: float,
    ) -> SplitWorth:
        new, again, limit = course
        concerned = b"".join(self._relevant_plan(value, each, plan, pair) for each in {kind, new})
        key = (value, kind, pair, course, concerned)
        if key in self._known.worth:
            return self._known.worth[key]
        mean = square = money = 0.0
        whole = 0.0
        parts: list[tuple[Leaf, float, dict[Type, _Played]]] = []
        for leaf, orders in outcomes((kind, new), new, again, limit):
            reached = orders * self._chance_of_drawing(value, leaf.drawn)
            if reached == 0.0:
                continue
            if limit == MOST_HANDS and leaf.drawn + 2 == limit:
                continue
            played = self._played(value, leaf, reached, plan, pair)
            arrives = next(iter(played.values())).chance
            whole += reached * arrives
            mean += reached * sum(count * played[hand].mean for hand, count in leaf.hands)
            money += reached * sum(count * played[hand].money for hand, count in leaf.hands)
            money += reached * arrives * self._money_of_split(kind, new, leaf)
            parts.append((leaf, reached, played))
        # The part cut off has as many hands as there are cards of the value, each with two stakes.
        bound = max(0.0, 1.0 - whole) * 2 * float(self._left[value])
        if limit != MOST_HANDS:
            bound = 0.0
        if mean <= better_than:
            return SplitWorth(mean, 0.0, money, bound)
        for leaf, reached, played in parts:
            square += reached * self._square(value, leaf, played)
            if self._limited:
                mean -= reached * self._at_risk * self._taken_by_blackjack(value, leaf, played)
        self._known.worth[key] = SplitWorth(mean, square, money, bound)
        return self._known.worth[key]

    @property
    def _limited(self) -> bool:
        return self._up in (ACE, TEN) and is_limited(self._rules)

    def _money_of_split(self, kind: int, new: int, leaf: Leaf) -> float:
        """Return one wager for each hand after the first, if it is money."""
        return 0.0 if new == TOKEN_KIND else float(leaf.drawn + 1)

    def _chance_of_drawing(self, value: int, times: int) -> float:
        """Return the probability of this many cards of the value at places where they would be
        split."""
        rest, pack = self._of_value[value] - 2, self._cards - 2
        if rest < times:
            return 0.0
        return prod((rest - k) / (pack - k) for k in range(times))

    def _without_split_cards(self, value: int, leaf: Leaf) -> Ints:
        left = self._left.copy()
        left[value] -= 2 + leaf.drawn
        return left

    def _played(
        self, value: int, leaf: Leaf, reached: float, plan: SplitPlan, pair: int
    ) -> dict[Type, _Played]:
        """Return every type of hand of this outcome; further splits do not change any of them."""
        left = self._without_split_cards(value, leaf)
        law = self._suits.split.get((value, pair))
        found: dict[Type, _Played] = {}
        for hand, _ in leaf.hands:
            others = leaf.bound - (not hand.any_second)
            concerned = self._relevant_plan(value, hand.kind, plan, pair)
            key = (value, leaf.drawn, hand, others, pair, concerned)
            if key not in self._known.played:
                after = (value, leaf.drawn, others)
                endings = self._endings_after(after)
                beside = (others, reached)
                self._known.played[key] = self._hand(value, hand, beside, left, plan, law, endings)
                self._keep_endings(after)
            found[hand] = self._known.played[key]
        return found

    def _relevant_plan(self, value: int, kind: int, plan: SplitPlan, pair: int) -> bytes:
        """Return a digest of the part of a strategy for hands with a card of this value.

        Most hands are played by total as they are by their cards: what they are worth is known.
        """
        key = (value, kind, pair)
        if key not in self._concerned:
            which = self._hands.counts[:, value] > 0
            digest = sha256(plan.acts[kind, which].tobytes())
            digest.update(plan.rescues[which].tobytes())
            law = self._suits.split.get((value, pair))
            if law is not None:
                digest.update(plan.suit_acts[kind].tobytes())
                digest.update(law.chance.tobytes() + law.odds.tobytes())
            self._concerned[key] = digest.digest()
        return self._concerned[key]

    def _endings_after(self, key: tuple[int, int, int]) -> Floats:
        """Return working memory for the dealer's endings after each hand, with the known ones."""
        if key in self._known.endings:
            hands, rows = self._known.endings[key]
            self._endings[hands] = rows
        return self._endings

    def _keep_endings(self, key: tuple[int, int, int]) -> None:
        """Cache the new endings, and clear the working memory."""
        hands = np.flatnonzero(self._endings[:, 0] >= 0.0)
        if key[1] <= KEPT_AGAIN:
            self._known.endings[key] = hands, self._endings[hands]
        self._endings[hands, 0] = -1.0

    def _hand(
        self,
        value: int,
        hand: Type,
        beside: tuple[int, float],
        left: Ints,
        plan: SplitPlan,
        law: SuitLaw | None,
        endings: Floats,
    ) -> _Played:
        hands, dealer, table = self._hands, self._dealer, self._table
        result, by_ending = np.zeros(5), np.zeros(8)
        alive = neutral = self._not_at_risk
        if self._limited:
            alive, neutral = np.zeros(len(hands.cards)), np.zeros(len(hands.cards))
        by_suit = self._suits.hands if law is not None else self._suits.hands[:0]
        kernels.split_hand(
            value,
            hand.kind,
            int(hand.any_second),
            *beside,
            left,
            self._chances,
            hands.counts,
            hands.cards,
            hands.hard,
            hands.total,
            hands.soft,
            hands.after,
            dealer.depth,
            dealer.value,
            dealer.times,
            dealer.orders,
            dealer.ending,
            dealer.cards,
            dealer.counts,
            table.pays,
            table.lost,
            table.flags,
            table.odds_21,
            by_suit,
            self._suits.third,
            law.chance if law is not None else self._suits.first.chance,
            law.odds if law is not None else self._suits.first.odds,
            plan.acts,
            plan.suit_acts,
            plan.rescues,
            endings,
            result,
            by_ending,
            alive,
            neutral,
        )
        return _Played(
            mean=float(result[0]),
            square=float(result[1]),
            money=float(result[2]),
            chance=float(result[3]),
            before=float(result[4]),
            by_ending=by_ending,
            alive=alive,
            neutral=neutral,
        )

    def _square(self, value: int, leaf: Leaf, played: dict[Type, _Played]) -> float:
        """Return the mean square, if the hands depend on each other only by the dealer's ending."""
        endings = self._chances[self._hands.number_of(value, value)]
        arrives = next(iter(played.values())).chance
        if arrives == 0.0:
            return 0.0
        own = sum(count * played[hand].square for hand, count in leaf.hands) / arrives
        whole = np.zeros(8)
        each = np.zeros(8)
        for hand, count in leaf.hands:
            mean = played[hand].before + played[hand].by_ending / np.maximum(endings, 1e-300)
            mean = mean / arrives
            whole += count * mean
            each += count * mean**2
        cross = endings * (whole**2 - each)
        if self._limited:
            cross[BLACKJACK] = endings[BLACKJACK]
        return float(arrives * (own + cross.sum()))

    def _taken_by_blackjack(self, value: int, leaf: Leaf, played: dict[Type, _Played]) -> float:
        """Return the loss to the dealer's Blackjack beyond earlier losses, with its probability."""
        left = self._without_split_cards(value, leaf)
        hole = TEN if self._up == ACE else ACE
        chance = left[hole] / left.sum()
        left[hole] -= 1
        if self._rules.dealer_peeks:
            alone = _Together(self._hands, value, left, leaf.bound)
            return float(chance) * alone.all_in([])
        at_risk = [(hand, count) for hand, count in leaf.hands if played[hand].alive.any()]
        if any(hand.kind == TOKEN_KIND for hand, _ in at_risk):
            raise NotAnalysedError("money is added to a free bet against a ten or an ace")
        rest = leaf.bound - sum(count for hand, count in at_risk if not hand.any_second)
        if not at_risk:
            return 0.0
        together = _Together(self._hands, value, left, rest)
        if self._rules.dealers_blackjack_takes == "busted-plus-one":
            return float(chance) * together.any_alive(at_risk, played)
        unharmed = [(played[h].alive + played[h].neutral, count) for h, count in at_risk]
        without_risk = [(played[h].neutral, count) for h, count in at_risk]
        return float(chance) * (together.all_in(unharmed) - together.all_in(without_risk))


@dataclass(frozen=True)
class _Played:
    """One hand of a split; means are over all cases, so they include the probability `chance`.

    `alive` and `neutral` are counted only against a Blackjack that takes less than all.
    """

    mean: float
    square: float
    money: float
    chance: float
    before: float
    by_ending: Floats
    alive: Floats
    neutral: Floats


class _Together:
    """Probabilities that all hands of a split end in given ways, from the cards left."""

    def __init__(self, hands: HandTable, value: int, left: Ints, others: int) -> None:
        self._hands, self._value, self._left, self._others = hands, value, left, others

    def all_in(self, lists: list[tuple[Floats, int]], others: int | None = None) -> float:
        """Return the probability that each hand ends with cards of its list; a list counts for
        several hands."""
        each = [weights for weights, count in lists for _ in range(count)]
        if len(each) > JOINTLY:
            return self._many(each)
        vectors = [self._drawn(weights) for weights in each]
        if any(len(weights) == 0 for _, weights in vectors):
            return 0.0
        none = (np.zeros((1, VALUES), dtype=np.int64), np.ones(1))
        half = len(vectors) // 2
        first = _summed(vectors[half:]) if vectors[half:] else none
        second = _summed(vectors[:half]) if vectors[:half] else none
        return float(
            kernels.joint_chance(
                *first,
                *second,
                self._left,
                self._value,
                self._others if others is None else others,
            )
        )

    def any_alive(self, at_risk: list[tuple[Type, int]], played: dict[Type, _Played]) -> float:
        """Return the probability that at least one of the hands is alive, by inclusion and
        exclusion."""
        whole = 0.0
        for counts in product(*(range(count + 1) for _, count in at_risk)):
            chosen = sum(counts)
            if not chosen:
                continue
            ways = 1
            others = self._others
            for (hand, count), taken in zip(at_risk, counts, strict=True):
                ways *= comb(count, taken)
                others += 0 if hand.any_second else count - taken
            lists = [
                (played[hand].alive, taken)
                for (hand, _), taken in zip(at_risk, counts, strict=True)
            ]
            whole -= (-1) ** chosen * ways * self.all_in(lists, others)
        return whole

    def _many(self, each: list[Floats]) -> float:
        """Return the probability for more hands than are enumerated: it decreases by the last
        hand's factor."""
        some = self.all_in([(weights, 1) for weights in each[:JOINTLY]])
        fewer = self.all_in([(weights, 1) for weights in each[: JOINTLY - 1]])
        return some * (some / fewer) ** (len(each) - JOINTLY) if fewer else 0.0

    def _drawn(self, weights: Floats) -> tuple[Ints, Floats]:
        hands = np.flatnonzero(weights)
        drawn = self._hands.counts[hands].copy()
        drawn[:, self._value] -= 1
        return drawn, weights[hands]


def _summed(lists: list[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    """Add the cards of several hands; equal sums are merged, with their weights added."""
    drawn, weights = lists[0]
    for more, more_weights in lists[1:]:
        sums = (drawn[:, None, :] + more[None, :, :]).reshape(-1, VALUES)
        keys = sums @ (32 ** np.arange(VALUES, dtype=np.int64))
        _, one, place = np.unique(keys, return_index=True, return_inverse=True)
        products = (weights[:, None] * more_weights[None, :]).ravel()
        drawn, weights = sums[one], np.bincount(place, products).astype(np.float64)
    return drawn, weights


def pairs_of(rules: MoneyRules) -> Iterator[int]:
    """Yield the values of pairs that may be split."""
    if rules.split_allowed:
        yield from range(VALUES)


__all__ = [
    "MONEY_KIND",
    "NOTHING",
    "TOKEN_KIND",
    "NotAnalysedError",
    "SplitPlan",
    "SplitWorth",
    "Splitter",
    "pairs_of",
]
