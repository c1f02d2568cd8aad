"""House Money and Let It Ride: the first two cards."""

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.side_wagers.sequences import house_money, let_it_ride
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from tests.side_wagers.settled import odds_and_rules

NZ = side_wagers("nz-division-2")
HOUSE = NZ["house-money"]
RIDE = NZ["let-it-ride"]


@pytest.mark.parametrize(
    ("cards", "odds", "rule"),
    [
        ("As Ks", 9, "15D.5(a)"),
        ("Ks As", 9, "15D.5(a)"),
        ("9d 8d", 4, "15D.5(b)"),
        ("Ad 2d", 4, "15D.5(b)"),
        ("9d 9d", 3, "15D.5(c)"),
        ("9d 9c", 3, "15D.5(c)"),
        ("9d Tc", 1, "15D.5(d)"),
        ("Kd Ac", 1, "15D.5(d)"),
        ("9d Jd", None, "15D.5(e)"),
    ],
)
def test_house_money_pays_the_best_row(cards: str, odds: int | None, rule: str) -> None:
    outcome = house_money(parse_cards(cards), HOUSE.pay_table("", 6))
    assert odds_and_rules(outcome) == (odds, (rule,))


@pytest.mark.parametrize(
    ("cards", "odds", "rule"),
    [
        ("Ks As", 2, "15E.4(a)"),
        ("9d 8d", 2, "15E.4(a)"),
        ("9d 9d", 1, "15E.4(b)"),
        ("9d Kd", 1, "15E.4(b)"),
        ("9d Tc", 1, "15E.4(b)"),
        ("9d 9c", None, "15E.4(c)"),
    ],
)
def test_let_it_ride_pays_suits_and_sequences(cards: str, odds: int | None, rule: str) -> None:
    outcome = let_it_ride(parse_cards(cards), RIDE.pay_table("", 6))
    assert odds_and_rules(outcome) == (odds, (rule,))
