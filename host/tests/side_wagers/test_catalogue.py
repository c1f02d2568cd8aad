"""The rulebooks' data on side wagers, and the outcome of each."""

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.side_wagers.decide import VisibleCards, decide
from cutcard.rulebooks.side_wagers.catalogue import NotInTheRulebookError, side_wagers
from cutcard.rulebooks.side_wagers.pay_table import parse_odds
from tests.side_wagers.settled import settled

RULEBOOKS = ("nz-division-2", "crown-melbourne-26", "mbs-free-bet-3", "uk-blackjack")
EVERY = [(book, bet) for book in RULEBOOKS for bet in side_wagers(book) if bet != "blackpot"]


@pytest.mark.parametrize(("rulebook", "bet"), EVERY)
def test_every_side_wager_has_a_result_after_the_last_card(rulebook: str, bet: str) -> None:
    wager = side_wagers(rulebook)[bet]
    first = wager.columns[0]
    table = wager.pay_table(first.choice, (first.decks or (6,))[0], first.pack or 52)
    over = VisibleCards(
        box=tuple(parse_cards("9h 4c Tc")),
        complete=True,
        dealer=tuple(parse_cards("Td 8d")),
        dealer_total=18,
        dealer_complete=True,
    )
    assert not settled(decide(bet, table, over)).wins


@pytest.mark.parametrize(("rulebook", "bet"), EVERY)
def test_no_wager_has_a_result_before_the_first_card(rulebook: str, bet: str) -> None:
    wager = side_wagers(rulebook)[bet]
    first = wager.columns[0]
    table = wager.pay_table(first.choice, (first.decks or (6,))[0], first.pack or 52)
    assert decide(bet, table, VisibleCards()) is None


def test_unknown_pay_table_is_rejected_with_the_valid_choices() -> None:
    with pytest.raises(NotInTheRulebookError, match=r"'1', '2', '3' \(rule 15B.7\)"):
        side_wagers("nz-division-2")["perfect-pair"].pay_table("9", 6)


@pytest.mark.parametrize("text", ["3", "3:0", "a:1", ":1", "3/2"])
def test_odds_are_two_integers(text: str) -> None:
    with pytest.raises(ValueError, match="as in 3:2"):
        parse_odds(text)
