"""A game's money rules for the kernels: payments by total and ending, odds of 21."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cutcard.edge.game import kernels
from cutcard.edge.game.composition import (
    ACE,
    AT_22,
    BLACKJACK,
    OVER_22,
    TEN,
    VALUES,
    Booleans,
    Floats,
    HandTable,
    Ints,
    all_hands,
)
from cutcard.edge.money_rules import ANY_NUMBER, MoneyRules

# The result of a stake and its money part: plain, doubled, doubled free; the same for a token.
WINS = (1, 2, 2, 1, 2, 2)
MONEY = (1, 2, 1, 0, 1, 0)
MONEY_KIND, TOKEN_KIND = 0, 1


@dataclass(frozen=True)
class Compiled:
    """The money rules as numbers."""

    pays: Floats
    lost: Floats
    flags: Ints
    odds_21: Floats
    wanted: Ints
    order: Ints
    may_double: Booleans


def compile_rules(rules: MoneyRules, at_risk: float = 1.0) -> Compiled:
    """Compile the rules. `at_risk` is the share of a wager that the dealer's Blackjack takes."""
    hands = all_hands()
    return Compiled(
        _payments(rules, at_risk),
        np.array(MONEY, dtype=np.float64),
        _flags(rules),
        _odds_of_21(rules, hands),
        _wanted(rules, hands),
        np.argsort(-hands.hard, kind="stable").astype(np.int64),
        _may_double(rules, hands),
    )


def _may_double(rules: MoneyRules, hands: HandTable) -> Booleans:
    """Return the hands that the rules let double, with any stake."""
    may = (hands.cards >= 2) & (hands.cards <= rules.double_cards) & (hands.total < 21)
    if rules.double_totals == "no-aces":
        may &= hands.counts[:, ACE] == 0
    elif rules.double_totals == "hard-9-10-11":
        may &= (hands.soft == 0) & (hands.total >= 9) & (hands.total <= 11)
    elif rules.double_totals == "hard-10-11":
        may &= (hands.soft == 0) & (hands.total >= 10) & (hands.total <= 11)
    return may


def pack_of(rules: MoneyRules) -> Ints:
    """Return the number of cards of each value."""
    in_a_deck = np.full(VALUES, 4, dtype=np.int64)
    in_a_deck[-1] = 4 * len(rules.ranks_of_ten)
    pack: Ints = in_a_deck * rules.decks
    return pack


def _payments(rules: MoneyRules, at_risk: float) -> Floats:
    pays = np.zeros((6, 22, 8))
    for stake in range(6):
        for total in range(22):
            for ending in range(8):
                result = _result(rules, total, ending)
                lost = float(MONEY[stake])
                if ending == BLACKJACK and is_limited(rules):
                    lost = min(lost, 1.0) * at_risk
                pays[stake, total, ending] = {1: WINS[stake], 0: 0, -1: -lost}[result]
    return pays


def is_limited(rules: MoneyRules) -> bool:
    """Return whether the dealer's Blackjack takes less than all money on a box."""
    return rules.dealer_peeks or rules.dealers_blackjack_takes != "whole"


def _result(rules: MoneyRules, total: int, ending: int) -> int:
    if ending == BLACKJACK and rules.dealer_peeks:
        return rules.on_dealers_blackjack
    if ending == BLACKJACK:
        return rules.on_21_against_blackjack if total == 21 else rules.on_dealers_blackjack
    if ending == AT_22 and rules.dealer_22_stands_off:
        return 0
    if ending in (AT_22, OVER_22):
        return rules.on_dealer_bust
    dealer = 17 + ending
    if total == dealer:
        return rules.on_equal
    return rules.on_higher if total > dealer else rules.on_lower


def _flags(rules: MoneyRules) -> Ints:
    flags = np.zeros(kernels.FLAGS, dtype=np.int64)
    flags[kernels.MOST_CARDS] = rules.most_cards
    flags[kernels.AT_ONCE] = rules.twenty_one_at_once
    flags[kernels.FIVE_AND_UNDER] = rules.five_and_under
    flags[kernels.OFF_22] = rules.stands_off_22_at_once and rules.dealer_22_stands_off
    flags[kernels.HARD_ACES] = rules.hard_aces
    flags[kernels.RESCUE] = rules.rescue
    flags[kernels.FREE_DOUBLE] = rules.double_free
    flags[kernels.MUST_HARD] = rules.must_draw_hard
    flags[kernels.MUST_SOFT] = rules.must_draw_soft
    flags[kernels.WHOLE] = not is_limited(rules)
    flags[kernels.HOLE] = kernels.NO_HOLE
    return flags


def with_hole(table: Compiled, rules: MoneyRules, up: int) -> Compiled:
    """Return the table with the second card that a peeking dealer's Blackjack needs."""
    if not rules.dealer_peeks or up not in (ACE, TEN):
        return table
    flags = table.flags.copy()
    flags[kernels.HOLE] = TEN if up == ACE else ACE
    return replace(table, flags=flags)


def _odds_of_21(rules: MoneyRules, hands: HandTable) -> Floats:
    """Return the odds of a 21 that wins immediately and was not doubled; suits are handled
    elsewhere."""
    odds = {row: float(paid) for row, paid in rules.bonus}
    by_cards = np.ones(len(hands.cards))
    if odds:
        by_cards[:] = odds.get("other", 1.0)
        by_cards[hands.cards == 5] = odds.get("five-cards", 1.0)
        by_cards[hands.cards == 6] = odds.get("six-cards", 1.0)
        by_cards[hands.cards > 6] = odds.get("seven-cards", 1.0)
        by_cards[hands.number_of(5, 6, 7)] = odds.get("678-mixed", 1.0)
        by_cards[hands.number_of(6, 6, 6)] = odds.get("777-mixed", 1.0)
    return by_cards


def _wanted(rules: MoneyRules, hands: HandTable) -> Ints:
    """Return the hands against which the dealer's chances matter: those that may stand or be
    reached by a double."""
    doubled_to = np.zeros(len(hands.cards), dtype=bool)
    if rules.double_cards:
        most = min(rules.double_cards, ANY_NUMBER) + 1
        doubled_to = (hands.cards >= 3) & (hands.cards <= most)
    stands = (hands.cards >= 2) & (hands.total >= 12)
    wanted: Ints = (stands | doubled_to | (hands.cards == 2)).astype(np.int64)
    return wanted
