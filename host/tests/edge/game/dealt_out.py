"""A second way to value a game: deal a small pack to its end, card by card.

It shares only the given decisions with the analysis. Hands of a split are played one after another
from one pack, the dealer draws last, and a round is settled together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from cutcard.edge.money_rules import MoneyRules

Counts = tuple[int, ...]
# A hand's cards in order, its stake (money or token), and its play.
SPECIAL: dict[Counts, str] = {(6, 7, 8): "678-mixed", (7, 7, 7): "777-mixed"}
Decide = Callable[[Counts, int], str]


class Ended(NamedTuple):
    """A played hand: its points, its stake, and money already lost or won."""

    points: int
    money: int
    tokens: int
    settled: float | None
    busted: int


def points(cards: Counts, hard_aces_in: int = 0) -> int:
    low = sum(min(card, 10) for card in cards)
    ace = any(card == 1 for card in cards[hard_aces_in:])
    return low + 10 if ace and low <= 11 else low


class DealtOut:
    def __init__(self, rules: MoneyRules, decide: Decide, rescue: Callable[[Counts], bool]) -> None:
        self.rules, self.decide, self.rescue = rules, decide, rescue
        self._dealer = cache(self._dealer_uncached)

    def split(self, left: Counts, value: int, up: int) -> float:
        """Return the mean of a split pair, with `left` being all other cards."""
        token = self.rules.split_free and value != 10
        first, second = ((value,), 0), ((value,), 1 if token else 0)
        return self._play(left, (first, second), (), 2, value, up)

    def _play(
        self,
        left: Counts,
        waiting: tuple[tuple[Counts, int], ...],
        ended: tuple[Ended, ...],
        hands: int,
        value: int,
        up: int,
    ) -> float:
        if not waiting:
            return self._settle(left, tuple(sorted(ended, key=repr)), up)
        (cards, kind), rest = waiting[0], waiting[1:]
        if len(cards) == 1:
            return self._over_cards(
                left,
                lambda card, after: self._play(
                    after, (((*cards, card), kind), *rest), ended, hands, value, up
                ),
            )
        total = points(cards)
        if cards == (value, value) and self._splits_again(hands, value):
            new = 1 if self.rules.split_free and value != 10 else kind
            pair = (((value,), kind), ((value,), new))
            return self._play(left, (*pair, *rest), ended, hands + 1, value, up)
        finished = total >= 21 or cards[0] == 1
        finished = finished or (self.rules.most_cards > 0 and len(cards) >= self.rules.most_cards)
        act = "stand" if finished else self.decide(cards, kind)
        if act == "stand":
            return self._play(
                left, rest, (*ended, self._end(cards, kind, 0, False)), hands, value, up
            )
        if act == "draw":
            return self._over_cards(
                left,
                lambda card, after: (
                    self._play(after, (((*cards, card), kind), *rest), ended, hands, value, up)
                    if points((*cards, card)) <= 21
                    else self._play(
                        after,
                        rest,
                        (*ended, self._end((*cards, card), kind, 0, False)),
                        hands,
                        value,
                        up,
                    )
                ),
            )
        free = self.rules.double_free and len(cards) == 2 and total in (9, 10, 11)
        free = free and not (1 in cards and total != sum(cards))
        return self._over_cards(
            left,
            lambda card, after: self._play(
                after, rest, (*ended, self._end((*cards, card), kind, 1, free)), hands, value, up
            ),
        )

    def _splits_again(self, hands: int, value: int) -> bool:
        if value == 1 and not self.rules.aces_resplit:
            return False
        return not self.rules.split_hands or hands < self.rules.split_hands

    def _end(self, cards: Counts, kind: int, doubled: int, free: bool) -> Ended:
        money, tokens = (1, 0) if kind == 0 else (0, 1)
        if doubled:
            money, tokens = (money, tokens + 1) if free else (money + 1, tokens)
        total = points(cards, 2 if doubled and self.rules.hard_aces else 0)
        if total > 21:
            return Ended(total, money, tokens, -money, money)
        stakes = money + tokens
        if total == 21 and self.rules.twenty_one_at_once:
            odds = {row: float(paid) for row, paid in self.rules.bonus}
            row = {5: "five-cards", 6: "six-cards"}.get(len(cards), "other")
            row = "seven-cards" if len(cards) > 6 else row
            row = SPECIAL.get(tuple(sorted(cards)), row)
            return Ended(total, money, tokens, stakes * (1 if doubled else odds.get(row, 1.0)), 0)
        if len(cards) == 5 and self.rules.five_and_under:
            return Ended(total, money, tokens, stakes, 0)
        if doubled and self.rules.rescue and self.rescue(cards):
            return Ended(total, money, tokens, -1.0, 1)
        return Ended(total, money, tokens, None, 0)

    def _over_cards(self, left: Counts, then: Callable[[int, Counts], float]) -> float:
        pack, mean = sum(left), 0.0
        for place, count in enumerate(left):
            if count:
                after = (*left[:place], count - 1, *left[place + 1 :])
                mean += count / pack * then(place + 1, after)
        return mean

    def _settle(self, left: Counts, ended: tuple[Ended, ...], up: int) -> float:
        return self._dealer(left, (up,), ended)

    def _dealer_uncached(self, left: Counts, cards: Counts, ended: tuple[Ended, ...]) -> float:
        total = points(cards)
        soft = total != sum(cards)
        draws_17 = total == 17 and soft and self.rules.dealer_draws_soft_17
        if len(cards) > 1 and total >= 17 and not draws_17:
            return self._result(total, len(cards) == 2 and total == 21, ended)
        return self._over_cards(
            left, lambda card, after: self._dealer(after, tuple(sorted((*cards, card))), ended)
        )

    def _result(self, dealer: int, natural: bool, ended: tuple[Ended, ...]) -> float:
        rules = self.rules
        mean = sum(hand.settled for hand in ended if hand.settled is not None)
        lost = sum(hand.busted for hand in ended)
        for hand in ended:
            if hand.settled is not None:
                continue
            if natural:
                result = (
                    rules.on_21_against_blackjack
                    if hand.points == 21
                    else rules.on_dealers_blackjack
                )
                taken = hand.money
                if rules.dealers_blackjack_takes == "original":
                    taken = min(taken, max(0, 1 - lost))
                if result < 0:
                    lost += taken
                    mean -= taken
                continue
            if dealer == 22 and rules.dealer_22_stands_off:
                continue
            if dealer > 21 or hand.points > dealer:
                mean += hand.money + hand.tokens
            elif hand.points < dealer:
                mean -= hand.money
        return mean
