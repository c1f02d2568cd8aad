"""The value of hands by the analysis, compared with a plain recursion over a small pack."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from cutcard.edge.money_rules import MoneyRules
from tests.edge.game.dealt_out import Counts, points
from tests.edge.game.small_pack import SmallPack, rules_of

PACK = (3, 1, 0, 1, 2, 2, 1, 2, 0, 6)


@pytest.mark.parametrize(
    ("rulebook", "variant", "up"),
    [
        ("uk-blackjack", "blackjack", 10),
        ("nz-division-2", "style-a", 6),
        ("crown-melbourne-26", "premium-doubling", 1),
        ("crown-melbourne-26", "select", 6),
        ("crown-melbourne-26", "blackjack-plus", 10),
    ],
)
def test_two_cards_have_the_value_of_a_full_recursion(rulebook: str, variant: str, up: int) -> None:
    rules = rules_of(rulebook, variant)
    game = SmallPack(rules, PACK)
    against = game.best_against(up)

    for a, b, _ in game.first_hands(up - 1):
        if {a, b} == {0, 9}:
            continue
        hand = game.hands.number_of(a, b)
        left = _without(_without(_without(PACK, up), a + 1), b + 1)
        looked = _best(rules, left, (a + 1, b + 1), up)
        assert against.worth[0, hand, 0, 0] == pytest.approx(looked, abs=1e-12), (a + 1, b + 1)


@cache
def _best(rules: MoneyRules, left: Counts, cards: Counts, up: int) -> float:
    """Return the best of standing, drawing and doubling, hand by hand, card by card."""
    total = points(cards)
    if (total == 21 and rules.twenty_one_at_once) or (len(cards) == 5 and rules.five_and_under):
        return 1.0
    soft = total != sum(cards)
    ways = []
    if total >= (rules.must_draw_soft if soft else rules.must_draw_hard) or total == 21:
        ways.append(_against(rules, left, total, 1, (up,)))
    if total < 21:
        ways.append(_mean(left, lambda card, after: _drawn(rules, after, (*cards, card), up)))
        if len(cards) <= rules.double_cards and _may_double(rules, cards):
            ways.append(_mean(left, lambda card, after: _doubled(rules, after, (*cards, card), up)))
    return max(ways)


def _may_double(rules: MoneyRules, cards: Counts) -> bool:
    if rules.double_totals == "no-aces":
        return 1 not in cards
    return rules.double_totals == "any" or (1 not in cards and sum(cards) in (9, 10, 11))


def _drawn(rules: MoneyRules, left: Counts, cards: Counts, up: int) -> float:
    return -1.0 if points(cards) > 21 else _best(rules, left, tuple(sorted(cards)), up)


def _doubled(rules: MoneyRules, left: Counts, cards: Counts, up: int) -> float:
    total = points(cards)
    if total > 21:
        return -2.0
    if total == 21 and rules.twenty_one_at_once:
        return 2.0
    return _against(rules, left, total, 2, (up,))


@cache
def _against(rules: MoneyRules, left: Counts, total: int, stake: int, dealer: Counts) -> float:
    his = points(dealer)
    draws_17 = his == 17 and his != sum(dealer) and rules.dealer_draws_soft_17
    if len(dealer) == 1 or his < 17 or draws_17:
        return _mean(
            left,
            lambda card, after: _against(
                rules, after, total, stake, tuple(sorted((*dealer, card)))
            ),
        )
    if his == 21 and len(dealer) == 2:
        lost = stake if rules.dealers_blackjack_takes == "whole" else 1
        result = rules.on_21_against_blackjack if total == 21 else rules.on_dealers_blackjack
        return float(result * lost)
    if his == 22 and rules.dealer_22_stands_off:
        return 0.0
    if his > 21 or total > his:
        return float(stake)
    return 0.0 if total == his else float(-stake)


def _mean(left: Counts, then: Callable[[int, Counts], float]) -> float:
    pack = sum(left)
    return sum(
        count / pack * then(place + 1, _without(left, place + 1))
        for place, count in enumerate(left)
        if count
    )


def _without(left: Counts, card: int) -> Counts:
    return (*left[: card - 1], left[card - 1] - 1, *left[card:])
