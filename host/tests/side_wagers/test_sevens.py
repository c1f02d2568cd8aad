"""Super Sevens and Magnificent Sevens, card by card."""

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.side_wagers.sevens import magnificent_sevens, super_sevens
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from tests.side_wagers.settled import odds_and_rules, settled

SUPER = side_wagers("nz-division-2")["super-sevens"].pay_table("", 6)
MAGNIFICENT = side_wagers("crown-melbourne-26")["magnificent-sevens"]


@pytest.mark.parametrize(
    ("cards", "odds", "rule"),
    [
        ("7h 9d", 3, "15.4(a)"),
        ("7h 7d 2c", 50, "15.4(b)"),
        ("7h 7h 2c", 100, "15.4(c)"),
        ("7h 7h 7d", 500, "15.4(d)"),
        ("7h 7h 7h", 5000, "15.4(e)"),
    ],
)
def test_super_sevens_pays_the_run_the_hand_begins_with(cards: str, odds: int, rule: str) -> None:
    outcome = super_sevens(parse_cards(cards), SUPER)
    assert odds_and_rules(outcome) == (odds, (rule,))


@pytest.mark.parametrize("cards", ["8h", "9h 7d", "9h 7d 7c"])
def test_super_sevens_loses_if_the_first_card_is_not_a_seven(cards: str) -> None:
    outcome = super_sevens(parse_cards(cards), SUPER)
    assert odds_and_rules(outcome) == (None, ("15.4(f)",))


@pytest.mark.parametrize("cards", ["", "7h", "7h 7d"])
def test_super_sevens_stays_open_while_another_seven_may_come(cards: str) -> None:
    assert super_sevens(parse_cards(cards), SUPER) is None


def test_super_sevens_are_paid_immediately_after_a_split() -> None:
    outcome = super_sevens(parse_cards("7h 7h"), SUPER, split=True)
    assert odds_and_rules(outcome) == (100, ("15.4(c)", "15.5"))


def test_super_sevens_pays_two_sevens_of_a_hand_that_stands() -> None:
    assert settled(super_sevens(parse_cards("7h 7d"), SUPER, complete=True)).odds == 50


@pytest.mark.parametrize(("decks", "mixed"), [(4, 950), (5, 750), (6, 650), (7, 550), (8, 500)])
@pytest.mark.parametrize(("version", "suited"), [("1", 7770), ("2", 16000)])
def test_magnificent_sevens_pay_by_decks_and_version(
    decks: int, mixed: int, version: str, suited: int
) -> None:
    table = MAGNIFICENT.pay_table(version, decks)
    assert settled(magnificent_sevens(parse_cards("7c 7d 7c"), table)).odds == mixed
    assert settled(magnificent_sevens(parse_cards("7c 7c 7c"), table)).odds == suited
    assert settled(magnificent_sevens(parse_cards("7c 7c 8c"), table)).odds == 150
    assert settled(magnificent_sevens(parse_cards("7c 7d"), table, complete=True)).odds == 50


@pytest.mark.parametrize(
    ("cards", "rule"), [("8c", "13.3.2(a)"), ("7c 8c", "13.3.2(b)"), ("7c 8c 7c", "13.3.2(b)")]
)
def test_magnificent_sevens_need_two_of_them_first(cards: str, rule: str) -> None:
    outcome = magnificent_sevens(parse_cards(cards), MAGNIFICENT.pay_table("1", 8))
    assert odds_and_rules(outcome) == (None, (rule,))
