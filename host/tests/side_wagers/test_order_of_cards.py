"""Common properties of the wagers on the first cards, for any cards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutcard.cards import Card
from cutcard.engine.side_wagers.decide import VisibleCards, decide, reads_dealers_card
from cutcard.rulebooks import RULEBOOKS
from cutcard.rulebooks.side_wagers.catalogue import side_wagers

CARDS = st.integers(0, 51).map(Card.from_code)
INITIAL = [
    (rulebook, bet)
    for rulebook in RULEBOOKS
    for bet, wager in side_wagers(rulebook).items()
    if wager.settles == "initial-deal"
]


@pytest.mark.parametrize(("rulebook", "bet"), INITIAL)
@given(first=CARDS, second=CARDS, dealer=CARDS)
def test_the_order_of_the_first_two_cards_does_not_matter(
    rulebook: str, bet: str, first: Card, second: Card, dealer: Card
) -> None:
    column = side_wagers(rulebook)[bet].columns[0]
    table = side_wagers(rulebook)[bet].pay_table(
        column.choice, (column.decks or (6,))[0], column.pack or 52
    )
    one = VisibleCards(box=(first, second), dealer=(dealer,))
    other = VisibleCards(box=(second, first), dealer=(dealer,))
    assert decide(bet, table, one) == decide(bet, table, other)


@pytest.mark.parametrize(("rulebook", "bet"), INITIAL)
@given(first=CARDS, second=CARDS, dealer=CARDS, another=CARDS)
def test_dealers_card_affects_only_wagers_that_depend_on_it(
    rulebook: str, bet: str, first: Card, second: Card, dealer: Card, another: Card
) -> None:
    column = side_wagers(rulebook)[bet].columns[0]
    table = side_wagers(rulebook)[bet].pay_table(
        column.choice, (column.decks or (6,))[0], column.pack or 52
    )
    if not reads_dealers_card(bet):
        one = decide(bet, table, VisibleCards(box=(first, second), dealer=(dealer,)))
        assert one == decide(bet, table, VisibleCards(box=(first, second), dealer=(another,)))
