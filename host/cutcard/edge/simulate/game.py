"""A table's game in integers, for the kernel: made from the money rules of its book.

`NotSimulatedError` names a rule that the kernel does not support, and `RefusedTableError` the rule
that forbids the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from cutcard.cards import RANKS
from cutcard.edge.money_rules import MoneyRules, money_rules
from cutcard.engine.state import Placed, Table
from cutcard.engine.tables import TableRefusal, refusals
from cutcard.rulebooks.book import Rulebook
from rng_certification.base.compiled import Counts

# The hands that may double.
ANY, NO_ACES, HARD_9_10_11, HARD_10_11 = range(4)
# The draws that are forced.
NEVER, TO_12, SELECT, ON_SIGN = range(4)
# The times at which a hand may be surrendered.
NONE, IN_TURN, BEFORE_TURNS, FINAL = range(4)
UNLIMITED = 1000
MOST_HANDS = 400  # on a box: more than any shoe has cards for
MOST_BOXES = 9
# The rows of a 21 that is paid immediately, in the kernel's order.
BONUS_ROWS = (
    "other",
    "five-cards",
    "six-cards",
    "seven-cards",
    "678-mixed",
    "678-suited",
    "678-spades",
    "777-mixed",
    "777-suited",
    "777-spades",
)


class NotSimulatedError(ValueError):
    """Raised for a table with an unsupported feature, which the text names."""


class RefusedTableError(ValueError):
    """Raised for a table that its rulebook does not allow, with the rules."""

    def __init__(self, refused: Sequence[TableRefusal]) -> None:
        self.refused = tuple(refused)
        super().__init__("; ".join(each.cited for each in self.refused))


class KernelGame(NamedTuple):
    """One table's game: amounts in cents, and 1 or 0 for yes or no."""

    boxes: int
    stake: int
    unit: int
    pack: int
    tens: int
    ante: int
    blackjack_pays: int
    blackjack_paid_always: int
    insurance: int
    insurance_pays: int
    insurance_with_blackjack: int
    even_money: int
    even_money_returns: int
    double_cards: int
    double_totals: int
    double_after_split: int
    free_double: int
    hard_aces: int
    withdrawn: int
    split_hands: int
    aces_again: int
    declined_ends: int
    free_split: int
    original_only: int
    forced: int
    forced_hard: int
    forced_soft: int
    finished_at: int
    surrender: int
    surrender_against: int
    surrendered: int
    draws_soft_17: int
    peeks: int
    at_once_21: int
    five_and_under: int
    stands_off_with_21: int
    stands_off_at_22: int
    super_bonus: int
    super_bonus_others: int


def game_of(table: Table, placed: Sequence[Placed]) -> KernelGame:
    """Return the game of a table with the same main wager on each of its boxes.

    Raises RefusedTableError and NotSimulatedError.
    """
    if refused := refusals(table, placed):
        raise RefusedTableError(refused)
    mains = [wager for wager in placed if wager.bet == "main"]
    boxes, stake, unit = len(mains), mains[0].amount, table.chip or 1
    if not 1 <= boxes <= MOST_BOXES:
        raise NotSimulatedError(f"{boxes} boxes; the simulator has 1 to {MOST_BOXES}")
    book = table.book
    rules = money_rules(
        book,
        table.decks,
        blackjack=table.blackjack,
        wager=Fraction(stake, 100),
        forced_draw=table.forced_draw,
    )
    _require_simulated_rules(book, rules)
    _require_simulated_peek(book, rules, placed)
    insurance = rules.insurance_most * stake
    if insurance.denominator != 1 or (book.flag("insurance.payable") and 2 * insurance % unit):
        raise NotSimulatedError(f"half of {stake} cents cannot be insured: choose another stake")
    return KernelGame(
        boxes=boxes,
        stake=stake,
        unit=unit,
        pack=table.decks * table.pack,
        tens=table.decks * 4 * len(rules.ranks_of_ten),
        ante=_ante(table, stake),
        blackjack_pays=payable(rules.blackjack_odds * stake, unit),
        blackjack_paid_always=int(rules.blackjack_always_paid),
        insurance=int(insurance),
        insurance_pays=payable(rules.insurance_odds * insurance, unit),
        insurance_with_blackjack=int(rules.insurance_with_blackjack),
        even_money=int(rules.even_money),
        even_money_returns=int(book.says("even_money.insurance", "returned")),
        double_cards=rules.double_cards,
        double_totals=_TOTALS[rules.double_totals],
        double_after_split=int(rules.double_after_split),
        free_double=int(rules.double_free),
        hard_aces=int(rules.hard_aces),
        withdrawn=int(rules.rescue),
        split_hands=(rules.split_hands or MOST_HANDS) if rules.split_allowed else 0,
        aces_again=int(rules.aces_resplit),
        declined_ends=int(rules.declined_ends),
        free_split=int(rules.split_free),
        original_only=int(rules.dealers_blackjack_takes == "original"),
        forced=_forced(table),
        forced_hard=_number(book, "draw.forced_hard"),
        forced_soft=_number(book, "draw.forced_soft"),
        finished_at=min(rules.most_cards or UNLIMITED, 5 if rules.five_and_under else UNLIMITED),
        surrender={"none": NONE, "in-turn": IN_TURN, "before-turns": BEFORE_TURNS, "final": FINAL}[
            rules.surrender
        ],
        surrender_against=sum(1 << RANKS.index(rank) for rank in rules.surrender_against),
        surrendered=stake - payable(Fraction(stake, 2), unit),
        draws_soft_17=int(rules.dealer_draws_soft_17),
        peeks=int(rules.dealer_peeks),
        at_once_21=int(rules.twenty_one_at_once),
        five_and_under=int(rules.five_and_under),
        stands_off_with_21=int(rules.on_21_against_blackjack == 0),
        stands_off_at_22=int(rules.dealer_22_stands_off),
        super_bonus=int(rules.super_bonus * stake),
        super_bonus_others=_number(book, "super_bonus.others") * 100,
    )


def bonus_of(table: Table, stake: int) -> Counts:
    """Return the payment of a 21 that wins immediately and was not doubled, in cents, by row of
    BONUS_ROWS."""
    odds = dict(money_rules(table.book, table.decks).bonus)
    pays = (payable(odds.get(row, Fraction(1)) * stake, table.chip or 1) for row in BONUS_ROWS)
    return np.array(list(pays), dtype=np.int64)


def payable(cents: Fraction, unit: int) -> int:
    """Round up to the next amount that can be paid, as the engine does."""
    return int(-(-cents // unit) * unit)


_TOTALS = {
    "any": ANY,
    "no-aces": NO_ACES,
    "hard-9-10-11": HARD_9_10_11,
    "hard-10-11": HARD_10_11,
}

# Assumptions of the kernel, which hold for all our rulebooks.
_TAKEN_FOR_GRANTED = {
    "on_dealer_bust": (1,),
    "on_higher": (1,),
    "on_lower": (-1,),
    "on_equal": (0,),
    "on_both_blackjack": (0,),
    "on_dealers_blackjack": (-1,),
    "on_21_against_blackjack": (-1, 0),
    "stands_off_22_at_once": (False,),
    "dealers_blackjack_takes": ("whole", "original"),
}


def _require_simulated_rules(book: Rulebook, rules: MoneyRules) -> None:
    for name, among in _TAKEN_FOR_GRANTED.items():
        if getattr(rules, name) not in among:
            raise NotSimulatedError(
                f"{book.name}: the simulator does not play {name} = {getattr(rules, name)!r}"
            )


def _require_simulated_peek(book: Rulebook, rules: MoneyRules, placed: Sequence[Placed]) -> None:
    """Raise NotSimulatedError for a peek with an option or wager that needs the dealer's order."""
    if not rules.dealer_peeks:
        return
    others = {
        "even money": rules.even_money,
        "Blackjacks that are always paid": rules.blackjack_always_paid,
        "a surrender before the turns": rules.surrender in ("before-turns", "final"),
        "a side wager on the dealer's hand": any(
            book.side_wagers[wager.bet].settles == "dealer-hand"
            for wager in placed
            if wager.bet in book.side_wagers
        ),
    }
    for what, is_set in others.items():
        if is_set:
            raise NotSimulatedError(
                f"{book.name}: the simulator does not play dealer.peeks with {what}"
            )


def _ante(table: Table, stake: int) -> int:
    if not table.book.flag("ante.placed") or table.ante is None:
        return 0
    waived = table.ante_waived_from is not None and stake >= table.ante_waived_from
    return 0 if waived else table.ante


def _forced(table: Table) -> int:
    forced = str(table.book["draw.forced"].value)
    if forced == "on-sign":
        return ON_SIGN if table.forced_draw else NEVER
    return {"never": NEVER, "to-12": TO_12, "select": SELECT}[forced]


def _number(book: Rulebook, key: str) -> int:
    entry = book.get(key)
    return int(entry.value) if entry is not None else 0
