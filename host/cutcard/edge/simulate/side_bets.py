"""Side wagers as lookup tables for the kernel, filled by the engine's own evaluators.

A wager's row is 0 if it lost, else the place of its winning hand among the rulebook's, from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutcard.cards import Card
from cutcard.edge.simulate.drawing import Cards, below, inlined
from cutcard.edge.simulate.game import MOST_BOXES, NotSimulatedError, payable
from cutcard.edge.simulate.log import SIDE_PAID, note
from cutcard.edge.simulate.room import A_BOX, BOXES, FIRST, HANDS, SECOND, THIRD
from cutcard.edge.simulate.room import TOKENS as FREE_BETS
from cutcard.engine.side_wagers import jackpots
from cutcard.engine.side_wagers.decide import VisibleCards, decide, reads_dealers_card
from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.book import contents
from cutcard.rulebooks.side_wagers.catalogue import SideWager
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome
from rng_certification.base.compiled import Counts, compiled, whole

# How a wager is decided.
TWO_CARDS, DEALERS_CARD, THIRD_CARD, TOKENS, DEALERS_HAND, BUTTON, BLACKPOT = range(7)
PENDING = 255  # the row of two cards that wait for a third
MOST_ROWS = 32
MOST_TOKENS = 15
MOST_DEALERS_CARDS = 15
# The tables of a wager, by offset: rows of two cards, of two and one more (the dealer's, or the
# box's third), of a split pair, of two that remain two, of the third card after a split.
_TWO, _MORE, _SPLIT, _COMPLETE, _AFTER_SPLIT = range(5)
_PAIRS = 52 * 52
_TRIPLES = 52 * _PAIRS
# The ending of the dealer's hand, and the equality of its cards.
UNDER_22, EXACTLY_22, OVER_22 = range(3)
OTHER, SAME_COLOUR, SAME_SUIT = range(3)
# Blackpot's rows, in the order of its pay table.
_FIRST_LEG, _SECOND_LEG, _ENSUING_FIRST, _ENSUING_SECOND = range(1, 5)
_NOT_YET = {
    "house-money": "winnings left riding change the amount of a double",
    "let-it-ride": "winnings left riding change the amount of a double",
}


class Sides(NamedTuple):
    """The side wagers of a table, each on every box.

    `places` are the offsets of a wager's tables in `tables`; `pays` the payment of a row by the
    number of boxes that share it; `shared` whether they share; `prizes` the prizes of a button.
    """

    kinds: Counts
    places: npt.NDArray[np.int64]
    tables: Cards
    pays: npt.NDArray[np.int64]
    shared: npt.NDArray[np.int64]
    prizes: npt.NDArray[np.int64]
    carried: npt.NDArray[np.int64]
    watches_dealer: int


class SideBet(NamedTuple):
    """One wager: its name, its stake in cents, and its rows in order, the first of them 1."""

    bet: str
    choice: str
    stake: int
    rows: tuple[str, ...]


def side_bets_of(table: Table, placed: Sequence[Placed]) -> list[SideBet]:
    """Return the side wagers on every box of a table."""
    found: dict[str, int] = {w.bet: w.amount for w in placed if w.bet != "main"}
    made = []
    for bet, stake in found.items():
        side = table.book.side_wagers[bet]
        if bet in _NOT_YET:
            raise NotSimulatedError(f"{bet} is not in the simulator yet: {_NOT_YET[bet]}")
        column = side.column(table.offers[bet], table.decks, table.pack)
        drawn = tuple(f"${prize:,}" for prize, _ in column.prizes.chances)
        made.append(SideBet(bet, table.offers[bet], stake, drawn or tuple(side.wins)))
    return made


def sides_of(table: Table, placed: Sequence[Placed]) -> Sides:
    """Return the tables of all side wagers. Raises NotSimulatedError for an unsupported one."""
    bets = side_bets_of(table, placed)
    kinds, places, tables, pays, shared, prizes = [], [], [], [], [], []
    length = 0
    for bet in bets:
        side = table.book.side_wagers[bet.bet]
        kinds.append(_kind(side))
        begins = []
        for part in _tables(table.book.name, side.bet):
            begins.append(length)
            tables.append(part)
            length += len(part)
        places.append(begins + [0] * (5 - len(begins)))
        pays.append(_pays(table, side, bet))
        shared.append([int(row in side.meter_share) for row in ("", *bet.rows)])
        shared[-1] += [0] * (MOST_ROWS - len(shared[-1]))
        prizes.append(_prizes(table, side, bet))
    number = len(bets)
    return Sides(
        np.array(kinds, dtype=np.int64).reshape(number),
        np.array(places, dtype=np.int64).reshape(number * 5),
        np.concatenate([*tables, np.zeros(1, dtype=np.uint8)]),
        np.array(pays, dtype=np.int64).reshape(number * MOST_ROWS * (MOST_BOXES + 1)),
        np.array(shared, dtype=np.int64).reshape(number * MOST_ROWS),
        np.array(prizes, dtype=np.int64).reshape(number * MOST_ROWS),
        np.zeros(number * MOST_BOXES, dtype=np.int64),
        int(DEALERS_HAND in kinds),
    )


def _kind(side: SideWager) -> int:
    if side.columns[0].prizes.chances:
        return BUTTON
    if side.settles == "initial-deal":
        return DEALERS_CARD if reads_dealers_card(side.bet) else TWO_CARDS
    return {
        "third-card": THIRD_CARD,
        "tokens": TOKENS,
        "dealer-hand": DEALERS_HAND,
        "blackpot": BLACKPOT,
    }[side.settles]


@cache
def _tables(rulebook: str, bet: str) -> tuple[Cards, ...]:
    """Return a wager's rows: they are the same in all its columns, which differ in their
    payments."""
    side = contents(rulebook).bets[bet]
    table = PayTable(side.columns[0].odds, side.wins, side.loses, side.without_main)
    rows = {hand: place for place, hand in enumerate(side.wins, start=1)}

    def row(outcome: WagerOutcome | None) -> int:
        if outcome is None:
            return PENDING
        return rows[outcome.hand] if outcome.wins else 0

    kind = _kind(side)
    if kind == TOKENS:
        numbers = range(MOST_TOKENS + 1)
        return (
            _filled(
                row(decide(bet, table, VisibleCards(complete=True, tokens=n))) for n in numbers
            ),
        )
    if kind == DEALERS_HAND:
        return (_filled(_dealers_rows(bet, table, row)),)
    if kind == BLACKPOT:
        return ()
    deck = [Card.from_code(code) for code in range(52)]
    pairs = [(first, second) for first in deck for second in deck]
    if kind == DEALERS_CARD:
        more = np.zeros((52, 52, 52), dtype=np.uint8)
        for place, (first, second) in enumerate(pairs):
            one, two = divmod(place, 52)
            if one <= two:
                sights = (VisibleCards(box=(first, second), dealer=(up,)) for up in deck)
                more[one, two] = [row(decide(bet, table, sight)) for sight in sights]
                more[two, one] = more[one, two]
        return np.zeros(0, dtype=np.uint8), more.reshape(_TRIPLES)
    of_two = _filled(row(decide(bet, table, VisibleCards(box=pair))) for pair in pairs)
    if kind != THIRD_CARD:
        return (of_two,)

    def after(*, split: bool, complete: bool) -> Cards:
        return _filled(
            row(decide(bet, table, VisibleCards(pair, split, complete))) for pair in pairs
        )

    def third(*, split: bool) -> Cards:
        made = np.zeros(_TRIPLES, dtype=np.uint8)
        for place in np.flatnonzero(of_two == PENDING):
            sights = (VisibleCards((*pairs[place], card), split) for card in deck)
            made[place * 52 : place * 52 + 52] = [row(decide(bet, table, each)) for each in sights]
        return made

    return (
        of_two,
        third(split=False),
        after(split=True, complete=False),
        after(split=False, complete=True),
        third(split=True),
    )


def _dealers_rows(
    bet: str, table: PayTable, row: Callable[[WagerOutcome | None], int]
) -> list[int]:
    """Return the rows by number of cards, ending of the hand, and equality of its cards."""
    found = []
    for cards in range(MOST_DEALERS_CARDS + 1):
        for total in (21, 22, 23):
            for suits in ("sh", "sc", "ss"):
                dealer = tuple(Card("2", suits[i % 2]) for i in range(cards))
                sight = VisibleCards(dealer=dealer, dealer_total=total, dealer_complete=True)
                found.append(row(decide(bet, table, sight)) if cards > 1 else 0)
    return found


def _filled(rows: Any) -> Cards:
    return np.array(list(rows), dtype=np.uint8)


def _pays(table: Table, side: SideWager, bet: SideBet) -> list[list[int]]:
    """Return the payment of each row, by the number of boxes with the same win; a lost stake
    first."""
    unit = table.chip or 1
    column = side.column(bet.choice, table.decks, table.pack)
    rows = [[-bet.stake] * (MOST_BOXES + 1)]
    if column.prizes.chances:
        rows += [
            [payable(Fraction(prize * bet.stake), unit)] * (MOST_BOXES + 1)
            for prize, _ in column.prizes.chances
        ]
    else:
        for hand in bet.rows:
            if hand in side.meter_share:
                rows.append(_shares(table, side, hand))
            else:
                paid = payable(column.odds[hand] * bet.stake, unit)
                rows.append([paid] * (MOST_BOXES + 1))
    return rows + [[0] * (MOST_BOXES + 1)] * (MOST_ROWS - len(rows))


def _shares(table: Table, side: SideWager, hand: str) -> list[int]:
    """Return each winner's share of a meter that has the table's amount before every round."""
    share = side.meter_share[hand]
    if share.meter not in table.meters:
        raise NotSimulatedError(f"{side.bet} is paid from the meter {share.meter}: give its amount")
    seed = Fraction(table.seeds.get(share.meter, 0))
    meter = jackpots.Meter(Fraction(table.meters[share.meter]), seed)
    chip = table.chip or 1
    unit = side.rounded_to * 100 if side.rounded_to is not None else chip
    prizes = (
        jackpots.shared_prize(meter, share.share, winners, unit)[0]
        for winners in range(1, MOST_BOXES + 1)
    )
    return [0, *(payable(prize, chip) for prize in prizes)]


def _prizes(table: Table, side: SideWager, bet: SideBet) -> list[int]:
    """Return the cumulative chances of the prizes that a button draws."""
    chances = side.column(bet.choice, table.decks, table.pack).prizes.chances
    added = [0]
    for _, number in chances:
        added.append(added[-1] + number)
    return added + [added[-1]] * (MOST_ROWS - len(added))


@inlined
def _row_of_third(tables: Any, places: Any, s: int, pair: int, third: int, split: bool) -> int:
    row = whole(tables[places[5 * s + _TWO] + pair])
    if row != PENDING:
        return row
    if split:
        row = whole(tables[places[5 * s + _SPLIT] + pair])
        if row == PENDING:
            row = whole(tables[places[5 * s + _AFTER_SPLIT] + 52 * pair + third])
        return row
    if third < 0:
        return whole(tables[places[5 * s + _COMPLETE] + pair])
    return whole(tables[places[5 * s + _MORE] + 52 * pair + third])


@compiled
def _in_run(first: int, second: int, third: int) -> int:
    """Return 2 if two cards are two of 6, 7 and 8; 3 if the third is the last of them; else 0."""
    one, two = first % 13, second % 13
    if one == two or one < 5 or one > 7 or two < 5 or two > 7:
        return 0
    if third < 0:
        return 2
    three = third % 13
    return 3 if 5 <= three <= 7 and three != one and three != two else 2


@compiled
def _row_of(
    kind: int, places: Any, tables: Any, s: int, box: Any, at: int, up: int, dealers: int
) -> int:
    """Return the row of a wager on one box; a button's is 1 if it must be pressed."""
    pair = box[at + FIRST] * 52 + box[at + SECOND]
    if kind in (TWO_CARDS, BUTTON):
        return whole(tables[places[5 * s + _TWO] + pair])
    if kind == DEALERS_CARD:
        return whole(tables[places[5 * s + _MORE] + 52 * pair + up])
    if kind == THIRD_CARD:
        return _row_of_third(tables, places, s, pair, box[at + THIRD], box[at + HANDS] > 1)
    if kind == TOKENS:
        return whole(tables[places[5 * s] + min(box[at + FREE_BETS], MOST_TOKENS)])
    return whole(tables[places[5 * s] + dealers])


@compiled
def dealers_place(shoe: Any, at: int, cards: int, up: int, total: int) -> int:
    """Return the place of a finished hand of the dealer in a wager's table; its cards left last."""
    suits, colours = 1 << up // 13, 1 << (up // 13 == 1 or up // 13 == 2)
    for i in range(at - cards + 1, at):
        suit = shoe[i] // 13
        suits |= 1 << suit
        colours |= 1 << (suit == 1 or suit == 2)
    alike = OTHER if colours == 3 else SAME_COLOUR if suits & (suits - 1) else SAME_SUIT
    ended = OVER_22 if total > 22 else EXACTLY_22 if total == 22 else UNDER_22
    return (min(cards, MOST_DEALERS_CARDS) * 3 + ended) * 3 + alike


@compiled
def settle_sides(
    number: int,
    boxes: int,
    kinds: Any,
    places: Any,
    tables: Any,
    pays: Any,
    shared: Any,
    prizes: Any,
    carried: Any,
    rows: Any,
    work: Any,
    up: int,
    dealers: int,
    state: Any,
    numbers: Any,
    place: int,
    log: Any,
    tracing: bool,
) -> tuple[int, int]:
    """Return the result of all side wagers of a round, and the place in the buffer."""
    everything = 0
    for s in range(number):
        kind = kinds[s]
        for b in range(boxes):
            at = BOXES + A_BOX * b
            if kind == BLACKPOT:
                ensuing = carried[MOST_BOXES * s + b]
                run = _in_run(work[at + FIRST], work[at + SECOND], work[at + THIRD])
                first = _ENSUING_FIRST if ensuing else _FIRST_LEG
                change = 0
                carried[MOST_BOXES * s + b] = 0
                if run == 0:
                    rows[MOST_ROWS * s] += 1
                else:
                    rows[MOST_ROWS * s + first] += 1
                    change += pays[(MOST_ROWS * s + first) * (MOST_BOXES + 1)]
                if run == 3:
                    rows[MOST_ROWS * s + first + 1] += 1
                    change += pays[(MOST_ROWS * s + first + 1) * (MOST_BOXES + 1)]
                    carried[MOST_BOXES * s + b] = 0 if ensuing else 1
                else:
                    change += pays[MOST_ROWS * s * (MOST_BOXES + 1)]
                everything += change
                if tracing:
                    reached = first + 1 if run == 3 else first if run == 2 else 0
                    note(log, SIDE_PAID, b, s, change, reached)
                continue
            row = _row_of(kind, places, tables, s, work, at, up, dealers)
            winners = 1
            if kind == BUTTON and row != 0:
                last = prizes[MOST_ROWS * s + MOST_ROWS - 1]
                drawn, place = below(last, state, numbers, place)
                while drawn >= prizes[MOST_ROWS * s + row]:
                    row += 1
            elif shared[MOST_ROWS * s + row] != 0:
                winners = 0
                for other in range(boxes):
                    at_other = BOXES + A_BOX * other
                    same = _row_of(kind, places, tables, s, work, at_other, up, dealers)
                    winners += 1 if same == row else 0
            rows[MOST_ROWS * s + row] += 1
            change = pays[(MOST_ROWS * s + row) * (MOST_BOXES + 1) + winners]
            everything += change
            if tracing:
                note(log, SIDE_PAID, b, s, change, row)
    return everything, place
