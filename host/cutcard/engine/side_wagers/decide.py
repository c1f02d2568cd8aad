"""The outcome of any side wager, from the cards that have been dealt so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cutcard.cards import Card
from cutcard.engine.side_wagers.dealer_hand import busted, likeness, push_22
from cutcard.engine.side_wagers.jackpots import blackjack_jackpots, supernova
from cutcard.engine.side_wagers.pairs import any_pair, lucky_match, perfect_pair
from cutcard.engine.side_wagers.pot_of_gold import pot_of_gold
from cutcard.engine.side_wagers.prize_draws import press_won
from cutcard.engine.side_wagers.sequences import house_money, let_it_ride
from cutcard.engine.side_wagers.sevens import magnificent_sevens, super_sevens
from cutcard.engine.side_wagers.spread_bet import spread_bet
from cutcard.engine.side_wagers.three_cards import crown_suits, poker_hand
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome


@dataclass(frozen=True, slots=True)
class VisibleCards:
    """The part of the round that decides a side wager.

    `box` holds the cards dealt to the box in order: after a split its first two cards and the next
    card that any of the hands got. `complete`: the box gets no further card. `own_main`: the
    wager's owner has a main wager there.
    """

    box: tuple[Card, ...] = ()
    split: bool = False
    complete: bool = False
    dealer: tuple[Card, ...] = ()
    dealer_total: int = 0
    dealer_complete: bool = False
    tokens: int = 0
    own_main: bool = True
    variants: tuple[str, ...] = ()


Evaluator = Callable[[VisibleCards, PayTable], WagerOutcome | None]

_TWO_CARDS: Mapping[str, Evaluator] = {
    "perfect-pair": lambda sight, table: perfect_pair(sight.box, table),
    "perfect-pairs": lambda sight, table: perfect_pair(sight.box, table),
    "any-pair": lambda sight, table: any_pair(sight.box, table),
    "pair": lambda sight, table: any_pair(sight.box, table),
    "house-money": lambda sight, table: house_money(sight.box, table),
    "let-it-ride": lambda sight, table: let_it_ride(sight.box, table),
    "spread-bet": lambda sight, table: spread_bet(sight.box, table),
    "madness-21": lambda sight, table: press_won(sight.box, table),
    "pontoon-pandemonium": lambda sight, table: press_won(sight.box, table),
    "supernova": lambda sight, table: supernova(sight.box, table),
    "lucky-match": lambda sight, table: lucky_match(
        sight.box, table, split=sight.split, complete=sight.complete
    ),
}
_WITH_DEALERS_FIRST: Mapping[str, Evaluator] = {
    "21-plus-3": lambda sight, table: poker_hand(sight.box, sight.dealer[0], table),
    "top-3": lambda sight, table: poker_hand(sight.box, sight.dealer[0], table),
    "crown-suits": lambda sight, table: crown_suits(sight.box, sight.dealer[0], table),
    "blackjack-jackpots": lambda sight, table: blackjack_jackpots(
        sight.box, sight.dealer[0], table
    ),
}
_CARD_BY_CARD: Mapping[str, Evaluator] = {
    "super-sevens": lambda sight, table: super_sevens(
        sight.box, table, split=sight.split, complete=sight.complete
    ),
    "magnificent-sevens": lambda sight, table: magnificent_sevens(
        sight.box, table, split=sight.split, complete=sight.complete
    ),
}
_DEALERS_HAND: Mapping[str, Evaluator] = {
    "buster": lambda sight, table: busted(
        len(sight.dealer), sight.dealer_total, table, sight.variants
    ),
    "busted": lambda sight, table: busted(len(sight.dealer), sight.dealer_total, table),
    "push-22": lambda sight, table: push_22(likeness(sight.dealer), sight.dealer_total, table),
}


def reads_dealers_card(bet: str) -> bool:
    """Return whether the wager depends on the dealer's first card."""
    return bet in _WITH_DEALERS_FIRST


def decide(bet: str, table: PayTable, sight: VisibleCards) -> WagerOutcome | None:
    """Return the outcome of a side wager, or None while further cards can still decide it.

    Blackpot is paid in legs by its separate module. A won press or meter prize is an outcome with
    odds of 0; `prize_draws` or `jackpots` computes the prize.
    """
    if bet in _CARD_BY_CARD:
        return _CARD_BY_CARD[bet](sight, table)
    if bet in _TWO_CARDS:
        return _TWO_CARDS[bet](sight, table) if len(sight.box) >= 2 else None
    if bet in _WITH_DEALERS_FIRST:
        known = len(sight.box) >= 2 and sight.dealer
        return _WITH_DEALERS_FIRST[bet](sight, table) if known else None
    if bet in _DEALERS_HAND:
        return _DEALERS_HAND[bet](sight, table) if sight.dealer_complete else None
    if bet == "pot-of-gold":
        return pot_of_gold(sight.tokens, table, own_main=sight.own_main) if sight.complete else None
    raise KeyError(f"{bet} has no single outcome; use its separate module")
