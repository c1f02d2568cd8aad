"""The payments of the meters, by the numbers of the rules."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from cutcard.meters.errors import NoWagerError, RoundOverError, UnknownHandError
from tests.meters.floor import SUPERNOVA, Hands


def test_a_wager_adds_its_rate_exactly(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 1, 2, 3)
    assert hands.meter("city").value == 1_000_000 + Fraction(45, 2)


def test_prize_is_rounded_up_to_the_next_dollar(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 3)  # $10,000 and seven and a half cents
    receipt = hands.meters.settle("T1", 1, {3: "suited-aces-spades"})
    assert receipt.credited(3) == 1_000_100 + 500
    assert {"21.10.1", "21.10.2(a)", "21.5.2(b)", "21.5.3"} <= set(receipt.rules)


def test_exact_dollar_amount_is_not_rounded(hands: Hands) -> None:
    hands.open("city", "T1")
    for round in range(1, 41):  # forty times seven and a half cents are three dollars
        hands.bet("T1", round, 1)
        if round < 40:
            hands.meters.settle("T1", round, {})
    assert hands.meters.settle("T1", 40, {1: "suited-aces-spades"}).credited(1) == 1_000_300 + 500


def test_meter_restarts_at_its_seed_after_a_full_payment(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 3)
    hands.meters.settle("T1", 1, {3: "suited-aces-spades"})
    now = hands.meter("city")
    assert now.value == now.required == now.seed == 1_000_000


def test_a_tenth_of_the_meter_would_leave_less_than_the_seed(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 3)
    receipt = hands.meters.settle("T1", 1, {3: "suited-aces"})
    assert receipt.credited(3) == 100_010 + 500
    assert hands.meter("city").value == 1_000_000


def test_two_winners_in_one_round_share_the_sum_of_prizes_in_turn(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 2, 3)
    receipt = hands.meters.settle("T1", 1, {2: "suited-aces-spades", 3: "suited-aces-spades"})
    total = 1_000_100 + 1_000_000  # the first would have had the meter, the second the seed
    assert receipt.credited(2) == receipt.credited(3) == total // 2 + 500
    assert {"21.10.2(c)", "21.10.3(b)", "21.10.3(c)"} <= set(receipt.rules)


def test_three_winners_get_integer_cents_and_the_house_adds_the_rest(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 1, 2, 3)
    won = dict.fromkeys((1, 2, 3), "suited-aces-spades")
    receipt = hands.meters.settle("T1", 1, won)
    each = -(-(1_000_100 + 2 * 1_000_000) // 3)
    assert [receipt.credited(box) for box in (1, 2, 3)] == [each + 500] * 3


def test_winners_at_two_tables_are_paid_in_the_order_recorded(hands: Hands) -> None:
    hands.open("city", "T1", "T2")
    hands.bet("T1", 1, 1)
    hands.bet("T2", 1, 1)
    first = hands.meters.settle("T2", 1, {1: "suited-aces-spades"})
    second = hands.meters.settle("T1", 1, {1: "suited-aces-spades"})
    assert (first.credited(1), second.credited(1)) == (1_000_600, 1_000_500)
    assert "21.10.2(d)" in first.rules


def test_odds_come_from_the_house_and_leave_the_meter(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 1, 2, 3)
    before = hands.meter("city").value
    won = {1: "three-aces", 2: "suited-blackjack", 3: "unsuited-blackjack"}
    receipt = hands.meters.settle("T1", 1, won)
    assert [receipt.credited(box) for box in (1, 2, 3)] == [151 * 500, 13 * 500, 6 * 500]
    assert hands.meter("city").value == before


def test_lucky_player_is_paid_six_to_one_in_addition_to_the_hand(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 4)
    hands.meters.pick("T1", 1, 4)
    hands.meters.settle("T1", 1, {4: "suited-blackjack"})
    assert hands.balance("T1.4") == 6 * 500 + 12 * 500 + 500


def test_lucky_player_with_a_losing_hand_keeps_the_stake(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 4)
    hands.meters.pick("T1", 1, 4)
    hands.meters.settle("T1", 1, {})
    assert hands.balance("T1.4") == 6 * 500 + 500


def test_one_supernova_wager_feeds_three_meters(hands: Hands) -> None:
    hands.open("nova", "T1", terms=SUPERNOVA)
    hands.meters.wager("T1", 1, 1)
    grown = {name: hands.meter("nova", name) for name in SUPERNOVA.meters}
    assert {name: now.value - now.seed for name, now in grown.items()} == {
        "supernova-major": Fraction(10),
        "supernova-minor": Fraction(5, 3),
        "supernova-mystery": Fraction(5),
    }


def test_supernova_is_rounded_up_to_a_chip_and_shared(hands: Hands) -> None:
    hands.open("nova", "T1", terms=SUPERNOVA)
    for box in (1, 2, 3):
        hands.meters.wager("T1", 1, box)
    receipt = hands.meters.settle("T1", 1, dict.fromkeys((1, 2, 3), "minor"))
    each = Fraction(50_500 + 50_000 + 50_000, 3)  # 50,005 on the meter are 50,500 in chips
    assert receipt.credited(1) == -(-each // 500) * 500 + 500
    assert "24.9.3(c)" in receipt.rules


def test_the_mystery_jackpot_pays_its_own_meter(hands: Hands) -> None:
    hands.open("nova", "T1", terms=SUPERNOVA)
    hands.meters.wager("T1", 1, 7)
    receipt = hands.meters.pick("T1", 1, 7)
    assert receipt.credited(7) == 100_500 + 500
    assert "24.7.1(b)" in receipt.rules


def test_void_round_returns_its_wagers(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 1, 2)
    hands.meters.void("T1", 1)
    assert hands.balance("T1.1") == hands.balance("T1.2") == 500


def test_retracted_wager_does_not_change_the_meter(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 1, 2)
    receipt = hands.meters.retract("T1", 1, 1)
    assert hands.balance("T1.1") == 500
    assert receipt.rules == ("21.11.3",)
    assert hands.meter("city").value == 1_000_015


def test_repeated_outcome_is_answered_and_paid_once(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 3)
    first = hands.meters.settle("T1", 1, {3: "suited-aces-spades"})
    hands.watch.wait(timedelta(hours=1))
    again = hands.meters.settle("T1", 1, {3: "suited-aces-spades"})
    assert (again.repeated, again.entries) == (True, first.entries)
    assert hands.balance("T1.3") == 1_000_600


def test_a_box_without_a_wager_cannot_win(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 3)
    with pytest.raises(NoWagerError, match="box 4"):
        hands.meters.settle("T1", 1, {4: "three-aces"})


def test_settle_of_a_losing_hand_lists_the_winning_hands(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 3)
    with pytest.raises(UnknownHandError, match="It pays for suited-aces-spades"):
        hands.meters.settle("T1", 1, {3: "royal-flush"})


def test_settled_wager_cannot_win_later(hands: Hands) -> None:
    hands.open("city", "T1")
    hands.bet("T1", 1, 3)
    hands.meters.settle("T1", 1, {})
    with pytest.raises(RoundOverError, match="is settled"):
        hands.meters.pick("T1", 1, 3)
