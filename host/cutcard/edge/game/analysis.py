"""The best strategy of a game and its value, hand by hand, from the full pack."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple, TypeVar

import numpy as np

from cutcard.edge.game import kernels
from cutcard.edge.game.composition import (
    ACE,
    BLACKJACK,
    TEN,
    VALUES,
    Floats,
    HandTable,
    Ints,
    all_hands,
    dealers_hands,
)
from cutcard.edge.game.splits import (
    NOTHING,
    NotAnalysedError,
    SplitCache,
    SplitPlan,
    Splitter,
    SplitWorth,
    pairs_of,
)
from cutcard.edge.game.stakes import (
    MONEY_KIND,
    TOKEN_KIND,
    Compiled,
    compile_rules,
    pack_of,
    with_hole,
)
from cutcard.edge.game.suits import HEARTS, MIXED, SEVEN, SPADES, Suits, suits_against
from cutcard.edge.money_rules import MoneyRules

PLAY, SPLIT, SURRENDER = 0, 1, 2
Part = TypeVar("Part")
Found = TypeVar("Found")


class Upcard(NamedTuple):
    """An upcard: value, chance, suit if it matters, and whether surrender is allowed."""

    value: int
    chance: float
    suit: int | None
    surrender: bool


class HandWorth(NamedTuple):
    """Mean, mean square and money added, in original wagers."""

    mean: float
    square: float
    money: float

    def times(self, chance: float) -> HandWorth:
        return HandWorth(self.mean * chance, self.square * chance, self.money * chance)

    def plus(self, other: HandWorth) -> HandWorth:
        return HandWorth(
            self.mean + other.mean, self.square + other.square, self.money + other.money
        )


NOTHING_YET = HandWorth(0.0, 0.0, 0.0)


@dataclass
class UpcardAnalysis:
    """The analysis of a game against one upcard.

    `openings` is the play of every hand of two cards: played, split or surrendered; for two sevens
    by suit if suits count. `opened` is the value of each.
    """

    up: Upcard
    left: Ints
    chances: Floats
    suits: Suits
    splitter: Splitter
    plan: SplitPlan
    ways: Floats
    worth: Floats
    suit_worth: Floats
    openings: dict[tuple[int, int], int] = field(default_factory=dict)
    splits: dict[tuple[int, int], SplitWorth] = field(default_factory=dict)
    opened: dict[tuple[int, int], float] = field(default_factory=dict)
    insured: set[int] = field(default_factory=set)
    even_money: bool = False
    total: HandWorth = NOTHING_YET


class Game:
    """A game's money rules, ready to be analysed under any strategy.

    `at_risk` is the share of a wager that the dealer's Blackjack can take: less than all if
    something rides with it that only stands off. `pack` is the number of cards of each value, if it
    is not the full pack.
    """

    def __init__(self, rules: MoneyRules, at_risk: float = 1.0, pack: Ints | None = None) -> None:
        require_analysed_rules(rules)
        self.rules = rules
        self.at_risk = at_risk
        self.hands: HandTable = all_hands()
        self.table: Compiled = compile_rules(rules, at_risk)
        self.pack = pack_of(rules) if pack is None else pack
        self.ups = list(_ups(rules, self.pack))
        self._chances: dict[int, Floats] = {}
        self._known: dict[int, SplitCache] = {}

    @property
    def kinds(self) -> int:
        return 2 if self.rules.has_tokens else 1

    def best(self) -> list[UpcardAnalysis]:
        """Return the best play of every hand by its exact cards, against each card of the
        dealer."""
        values = [list(ups) for _, ups in groupby(self.ups, key=lambda up: up.value)]
        found = on_all_cores(lambda ups: [self.against(up) for up in ups], values)
        return [against for each in found for against in each]

    def following(
        self, against: UpcardAnalysis, openings: dict[tuple[int, int], int]
    ) -> UpcardAnalysis:
        """Return the value of given openings, with hands played as in `against`."""
        against.openings = openings
        self._open(against, follow=True)
        return against

    def valued(self, up: Upcard, plan: SplitPlan) -> UpcardAnalysis:
        """Return the value of single hands under a given strategy, without a decision for the first
        two cards."""
        return self._valued(up, plan, follow=True)

    def value(self, all_ups: list[UpcardAnalysis]) -> HandWorth:
        """Return the value of the entire game: an ante is always lost."""
        whole = HandWorth(0.0, 0.0, 0.0)
        for against in all_ups:
            whole = whole.plus(against.total.times(against.up.chance))
        ante = float(self.rules.ante)
        return HandWorth(
            whole.mean - ante,
            whole.square - 2 * ante * whole.mean + ante**2,
            whole.money + ante,
        )

    def chances_against(self, up: int) -> Floats:
        if up not in self._chances:
            hands, table = self.hands, self.table
            dealer = dealers_hands(up, self.rules.dealer_draws_soft_17)
            chances = np.zeros((len(hands.cards), 8))
            kernels.dealers_chances(
                self.left_with(up),
                hands.counts,
                hands.cards,
                table.wanted,
                dealer.depth,
                dealer.value,
                dealer.times,
                dealer.orders,
                dealer.ending,
                dealer.cards,
                dealer.counts,
                chances,
            )
            self._chances[up] = chances
        return self._chances[up]

    def left_with(self, up: int) -> Ints:
        left = self.pack.copy()
        left[up] -= 1
        return left

    def first_hands(self, up: int) -> list[tuple[int, int, float]]:
        """Yield every two cards of a box, with their probability."""
        left = self.left_with(up)
        pack = int(left.sum())
        found = []
        for a in range(VALUES):
            for b in range(a, VALUES):
                both = left[a] * (left[b] - (a == b)) / (pack * (pack - 1))
                if both > 0:
                    found.append((a, b, float(both * (1 if a == b else 2))))
        return found

    def against(self, up: Upcard) -> UpcardAnalysis:
        """Return the best play against one card of the dealer."""
        count = len(self.hands.cards)
        suits = suits_against(self.rules, up.value, up.suit)
        plan = SplitPlan(
            np.zeros((self.kinds, count, 2), dtype=np.int64),
            np.zeros((self.kinds, len(suits.hands), 5), dtype=np.int64),
            np.zeros((count, 2), dtype=np.int64),
            (True,) * VALUES,
        )
        against = self._valued(up, plan, follow=False)
        if not self.rules.double_after_split:
            after_split = SplitPlan(
                np.zeros_like(plan.acts),
                np.zeros_like(plan.suit_acts),
                np.zeros_like(plan.rescues),
                plan.token_splits,
            )
            self._valued(up, after_split, follow=False, doubles=False)
            against.plan = plan = replace(plan, after_split=after_split)
        if self.kinds == 2:
            against.plan = plan = self._with_token_splits(against)
        self._open(against, follow=False)
        return against

    def _with_token_splits(self, against: UpcardAnalysis) -> SplitPlan:
        """Decide whether a token's pair is split again: if that is better than playing it."""
        plan = against.plan
        again = []
        for value in range(VALUES):
            pair = self.hands.number_of(value, value)
            split = against.splitter.worth(value, TOKEN_KIND, plan)
            again.append(split.mean > against.worth[TOKEN_KIND, pair, 0, 0])
        return replace(plan, token_splits=tuple(again))

    def _valued(
        self, up: Upcard, plan: SplitPlan, *, follow: bool, doubles: bool = True
    ) -> UpcardAnalysis:
        hands, kinds = self.hands, self.kinds
        table = with_hole(self.table, self.rules, up.value)
        suits = suits_against(self.rules, up.value, up.suit)
        left, chances = self.left_with(up.value), self.chances_against(up.value)
        count = len(hands.cards)
        ways = np.full((kinds, count, 2, 3), -1e9)
        worth = np.zeros((kinds, count, 2, 3))
        suit_worth = np.zeros((kinds, len(suits.hands), 5, 4))
        kernels.worth_of_hands(
            left,
            hands.counts,
            hands.cards,
            hands.hard,
            hands.total,
            hands.soft,
            hands.after,
            table.order,
            chances,
            table.pays,
            table.lost,
            table.flags,
            table.odds_21,
            table.may_double & doubles,
            kinds,
            suits.hands,
            suits.third,
            suits.first.odds,
            int(follow),
            plan.acts,
            plan.suit_acts,
            plan.rescues,
            ways,
            worth,
            suit_worth,
        )
        dealer = dealers_hands(up.value, self.rules.dealer_draws_soft_17)
        splitter = Splitter(
            self.rules,
            table,
            hands,
            left,
            up.value,
            dealer,
            suits,
            chances,
            self.at_risk,
            self._known.setdefault(up.value, SplitCache()),
        )
        return UpcardAnalysis(up, left, chances, suits, splitter, plan, ways, worth, suit_worth)

    def _open(self, against: UpcardAnalysis, *, follow: bool) -> None:
        """Choose for each two cards among playing, splitting and surrendering, and add up."""
        whole = HandWorth(0.0, 0.0, 0.0)
        for a, b, chance in self.first_hands(against.up.value):
            hand = self.hands.number_of(a, b)
            if {a, b} == {ACE, TEN}:
                natural = self._blackjack(against, hand)
                against.opened[hand, MIXED] = natural.mean
                whole = whole.plus(natural.times(chance))
                continue
            for suit, part in self._suits_of(against, hand):
                opened = self._opened(against, a, b, hand, suit, follow)
                against.opened[hand, suit] = opened.mean
                whole = whole.plus(opened.times(chance * part))
            whole = whole.plus(self._insurance(against, hand).times(chance))
        against.total = whole

    def openings_of(self, against: UpcardAnalysis) -> Iterator[tuple[int, int, float, float]]:
        """Yield every two cards with their value, including insurance, and their probability."""
        for a, b, chance in self.first_hands(against.up.value):
            hand = self.hands.number_of(a, b)
            mean = 0.0
            if {a, b} == {ACE, TEN}:
                mean = against.opened[hand, MIXED]
            else:
                for suit, part in self._suits_of(against, hand):
                    mean += part * against.opened[hand, suit]
                mean += self._insurance(against, hand).mean
            yield a, b, mean, chance

    def _suits_of(self, against: UpcardAnalysis, hand: int) -> list[tuple[int, float]]:
        """Return the suits that distinguish a hand, with their probabilities."""
        for which, special in enumerate(against.suits.hands):
            if special == hand:
                law = against.suits.first.chance[which]
                return [(suit, float(law[suit])) for suit in range(5) if law[suit] > 0]
        return [(MIXED, 1.0)]

    def played(
        self, against: UpcardAnalysis, hand: int, suit: int, kind: int = MONEY_KIND
    ) -> HandWorth:
        """Return the value of two cards that are not split and not surrendered."""
        for which, special in enumerate(against.suits.hands):
            if special == hand:
                return HandWorth(*map(float, against.suit_worth[kind, which, suit, :3]))
        return HandWorth(*map(float, against.worth[kind, hand, 0]))

    def _opened(
        self, against: UpcardAnalysis, a: int, b: int, hand: int, suit: int, follow: bool
    ) -> HandWorth:
        key = (hand, suit)
        options = {PLAY: self.played(against, hand, suit)}
        if self.may_surrender(against.up):
            options[SURRENDER] = self.surrendered(against, hand)
        wanted = against.openings.get(key, PLAY) if follow else None
        if a == b and a in pairs_of(self.rules) and wanted in (None, SPLIT):
            best = max(option.mean for option in options.values())
            split = self.split(against, a, suit, -1e9 if follow else best)
            options[SPLIT] = HandWorth(split.mean, split.square, split.money)
        chosen = wanted if wanted in options else max(options, key=lambda o: options[o].mean)
        against.openings[key] = chosen
        return options[chosen]

    def split(
        self, against: UpcardAnalysis, value: int, suit: int, better_than: float = -1e9
    ) -> SplitWorth:
        pair = suit if value == SEVEN and self.rules.suits_matter else MIXED
        key = (value, pair)
        if key not in against.splits:
            against.splits[key] = against.splitter.worth(
                value, MONEY_KIND, against.plan, pair, better_than=better_than
            )
        return against.splits.get(key, NOTHING)

    def may_surrender(self, up: Upcard) -> bool:
        return self.rules.surrender != "none" and up.surrender

    def surrendered(self, against: UpcardAnalysis, hand: int) -> HandWorth:
        """Return the value of a surrender: half is lost; to the dealer's Blackjack all, unless it
        is final."""
        if self.rules.surrender == "final":
            return HandWorth(-0.5, 0.25, 0.0)
        natural = float(against.chances[hand, BLACKJACK])
        return HandWorth(-0.5 * (1 - natural) - natural, 0.25 * (1 - natural) + natural, 0.0)

    def _blackjack(self, against: UpcardAnalysis, hand: int) -> HandWorth:
        rules = self.rules
        odds = float(rules.blackjack_odds)
        if rules.blackjack_always_paid or against.up.value not in (ACE, TEN):
            return HandWorth(odds, odds**2, 0.0)
        natural = float(against.chances[hand, BLACKJACK])
        both = float(rules.on_both_blackjack)
        waits = HandWorth(
            odds * (1 - natural) + both * natural, odds**2 * (1 - natural) + both**2 * natural, 0.0
        )
        if rules.insurance_with_blackjack:
            waits = waits.plus(self._insurance(against, hand))
        if rules.even_money and against.up.value == ACE and waits.mean < 1.0:
            against.even_money = True
            return HandWorth(1.0, 1.0, 0.0)
        return waits

    def _insurance(self, against: UpcardAnalysis, hand: int) -> HandWorth:
        """Return the value of insurance, taken only if it gains.

        Its very small part of the mean square is left out.
        """
        if against.up.value != ACE:
            return HandWorth(0.0, 0.0, 0.0)
        left = against.left - self.hands.counts[hand]
        ten = float(left[TEN] / left.sum())
        most, odds = float(self.rules.insurance_most), float(self.rules.insurance_odds)
        gain = most * (ten * (1 + odds) - 1)
        if gain <= 1e-12:
            return HandWorth(0.0, 0.0, 0.0)
        against.insured.add(hand)
        return HandWorth(gain, 0.0, most)


def require_analysed_rules(rules: MoneyRules) -> None:
    """Raise NotAnalysedError for a peeking dealer with a rule that pays or ends a hand earlier."""
    if not rules.dealer_peeks:
        return
    others = {
        "settle.at_once_21": rules.twenty_one_at_once,
        "settle.five_and_under": rules.five_and_under,
        "double.withdrawn": rules.rescue,
        "split.free": rules.split_free,
        "double.free": rules.double_free,
    }
    for key, is_set in others.items():
        if is_set:
            raise NotAnalysedError(f"the analysis of dealer.peeks does not support {key}")


def on_all_cores(work: Callable[[Part], Found], parts: Sequence[Part]) -> list[Found]:
    """Run the same work for each part, in order. Kernels release the interpreter while they run."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(work, parts))


def _ups(rules: MoneyRules, pack: Ints) -> list[Upcard]:
    """Return the dealer's cards, distinguished by suit or rank if these matter."""
    found: list[Upcard] = []
    whole = float(pack.sum())
    for value in range(VALUES):
        chance = float(pack[value]) / whole
        ranks = rules.ranks_of_ten if value == TEN else "A23456789"[value]
        may = sum(rank in rules.surrender_against for rank in ranks) / len(ranks)
        if rules.suits_matter and value in (SEVEN - 1, SEVEN, SEVEN + 1):
            found.append(Upcard(value, chance / 4, SPADES, may > 0))
            found.append(Upcard(value, chance * 3 / 4, HEARTS, may > 0))
            continue
        if may > 0:
            found.append(Upcard(value, chance * may, None, True))
        if may < 1:
            found.append(Upcard(value, chance * (1 - may), None, False))
    return found
