"""Blackpot (Crown 23): a wager that stays on the layout through up to four payments.

Two of 6, 7, 8 pay at the initial deal; the third of them pays again, and the wager then stays for
one more round at higher odds. The stake is lost only when a card, or standing, ends the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from cutcard.cards import Card
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

_RUN = frozenset("678")


def initial_deal(cards: Sequence[Card], table: PayTable, *, ensuing: bool = False) -> WagerOutcome:
    """Evaluate the first two cards; `ensuing` if the wager was carried from an earlier 6-7-8."""
    ranks = {card.rank for card in cards[:2]}
    if len(ranks) == 2 and ranks < _RUN:
        return table.pays("ensuing-initial-deal" if ensuing else "initial-deal")
    return table.lost("23.3.5(a)(ii)")


def subsequent_deal(
    cards: Sequence[Card], table: PayTable, *, ensuing: bool = False, complete: bool = False
) -> WagerOutcome | None:
    """Evaluate the third card of a hand that won its initial deal; None while it may still follow.

    A hand that ends with two cards has lost the stake (23.3.5(b)(iii)).
    """
    if len(cards) < 3:
        return table.lost("23.3.5(b)(iii)") if complete else None
    if {card.rank for card in cards[:3]} == _RUN:
        return table.pays("ensuing-subsequent-deal" if ensuing else "subsequent-deal")
    return table.lost("23.3.5(b)(ii)")


def payment(outcome: WagerOutcome, stake: int, maximum: int | None) -> Fraction:
    """Return one payment in cents, up to the maximum payout on the table's notice (23.4.1)."""
    paid = outcome.net(stake)
    return paid if maximum is None else min(paid, Fraction(maximum))
