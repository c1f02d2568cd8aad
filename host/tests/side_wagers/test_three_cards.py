"""21+3, Top 3 and Crown Suits: two cards with the dealer's first."""

import pytest

from cutcard.cards import Card, parse_cards
from cutcard.engine.side_wagers.three_cards import crown_suits, poker_hand
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from tests.side_wagers.settled import odds_and_rules

UK = side_wagers("uk-blackjack")
SUITS = side_wagers("crown-melbourne-26")["crown-suits"]


@pytest.mark.parametrize(
    ("cards", "dealer", "hand"),
    [
        ("2h Kh", "9h", "flush"),
        ("5d 6c", "7h", "straight"),
        ("Ad 3c", "2h", "straight"),
        ("Ad Qc", "Kh", "straight"),
        ("2d 2c", "2h", "three-of-a-kind"),
        ("2d 2d", "2d", "three-of-a-kind"),
        ("4c 5c", "6c", "straight-flush"),
    ],
)
def test_21_plus_3_pays_nine_to_one_for_every_listed_hand(
    cards: str, dealer: str, hand: str
) -> None:
    outcome = poker_hand(parse_cards(cards), Card.parse(dealer), UK["21-plus-3"].pay_table("", 6))
    assert outcome.hand == hand
    assert outcome.odds == 9


@pytest.mark.parametrize(("cards", "dealer"), [("Kd Ac", "2h"), ("2d 2c", "3c"), ("2h 4h", "6d")])
def test_21_plus_3_loses_on_other_hands(cards: str, dealer: str) -> None:
    table = UK["21-plus-3"].pay_table("", 6)
    assert not poker_hand(parse_cards(cards), Card.parse(dealer), table).wins


@pytest.mark.parametrize(
    ("cards", "dealer", "odds"),
    [
        ("2c 2c", "2c", 270),
        ("4c 5c", "6c", 180),
        ("2c 2d", "2c", 90),
        ("2c 5c", "9c", None),
        ("4c 5d", "6c", None),
    ],
)
def test_top_3_pays_three_hands(cards: str, dealer: str, odds: int | None) -> None:
    table = UK["top-3"].pay_table("", 6)
    assert poker_hand(parse_cards(cards), Card.parse(dealer), table).odds == odds


@pytest.mark.parametrize(
    ("cards", "dealer", "odds", "rules"),
    [
        ("2c 9c", "9d", 2, ("16.3.4(a)", "16.4.1")),
        ("2c 9c", "Kc", 5, ("16.3.4(b)", "16.4.1")),
        ("2c 9d", "Kc", None, ("16.3.4(c)",)),
    ],
)
def test_crown_suits_pay_more_with_the_dealers_card(
    cards: str, dealer: str, odds: int | None, rules: tuple[str, ...]
) -> None:
    outcome = crown_suits(parse_cards(cards), Card.parse(dealer), SUITS.pay_table("", 8))
    assert odds_and_rules(outcome) == (odds, rules)
