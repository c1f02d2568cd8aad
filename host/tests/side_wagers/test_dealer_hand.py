"""Buster, Busted and Push 22."""

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.side_wagers.dealer_hand import busted, likeness, push_22
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from tests.side_wagers.settled import odds_and_rules

CROWN = side_wagers("crown-melbourne-26")["buster"]
MBS = side_wagers("mbs-free-bet-3")["busted"]
PUSH = side_wagers("nz-division-2")["push-22"]

BUST = {
    3: ("Tc 6d 9h", 25),
    4: ("Tc 2d 4h 9h", 25),
    5: ("Tc 2d 2h 2s 9h", 25),
    6: ("Tc 2d 2h As Ac 9h", 25),
    7: ("6c 2d 2h 2s 2s 2c Th", 26),
    8: ("4c 2d 2h 2s 2s 2c 2c Th", 26),
    9: ("2d 2h 2s 2s 2c 2c 2d 2h Th", 26),
}


@pytest.mark.parametrize(
    ("table", "pays"),
    [
        ("a", (2, 2, 4, 15, 50, 250, 250)),
        ("b", (2, 2, 4, 15, 50, 200, 200)),
        ("c", (2, 2, 4, 12, 50, 250, 250)),
        ("d", (2, 2, 4, 12, 50, 200, 200)),
        ("e", (2, 2, 3, 12, 50, 250, 250)),
    ],
)
def test_buster_pays_by_the_number_of_cards(table: str, pays: tuple[int, ...]) -> None:
    got = [busted(len(h.split()), t, CROWN.pay_table(table, 6)).odds for h, t in BUST.values()]
    assert got == list(pays)


def test_busted_in_singapore_pays_by_the_number_of_cards() -> None:
    got = [busted(len(h.split()), t, MBS.pay_table("", 8)).odds for h, t in BUST.values()]
    assert got == [1, 2, 6, 50, 100, 100, 100]


def test_buster_loses_if_the_dealer_stands() -> None:
    outcome = busted(2, 17, CROWN.pay_table("a", 6))
    assert odds_and_rules(outcome) == (None, ("26.3.4(b)",))


@pytest.mark.parametrize(
    ("cards", "first", "second"),
    [("Th 2h Kh", 50, 50), ("Th 2d Kh", 20, 20), ("Tc 2s Kc", 20, 20), ("Th 2c Kh", 8, 7)],
)
def test_push_22_pays_by_suit_and_colour(cards: str, first: int, second: int) -> None:
    for scale, odds in (("1", first), ("2", second)):
        assert push_22(likeness(parse_cards(cards)), 22, PUSH.pay_table(scale, 6)).odds == odds


@pytest.mark.parametrize("total", [21, 23])
def test_push_22_loses_on_any_other_total(total: int) -> None:
    outcome = push_22("other", total, PUSH.pay_table("1", 6))
    assert odds_and_rules(outcome) == (None, ("20A.4", "20A.6"))
