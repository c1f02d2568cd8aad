"""Wagers on the dealer's hand if the dealer draws no card only for them: the cost of that reading.

The dealer then stops when the box is done, and such a wager is lost with the unfinished hand. So
each paying hand of the dealer is weighted by the probability that the box was done before it: the
two cards of a Blackjack that is paid immediately, and every hand that busts under the best play.
The order of drawing does not change the probabilities of a shuffled pack, so the dealer's cards are
removed first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cutcard.edge.dealer_hands import outcomes
from cutcard.edge.game import kernels
from cutcard.edge.game.analysis import SPLIT, Game, Upcard, UpcardAnalysis
from cutcard.edge.game.composition import ACE, OVER, TEN, VALUES, Floats, Ints, all_hands
from cutcard.edge.game.suits import MIXED
from cutcard.edge.money_rules import money_rules
from cutcard.engine.side_wagers.dealer_hand import Likeness, busted, push_22
from cutcard.rulebooks import Rulebook, open_rulebook
from cutcard.rulebooks.side_wagers.pay_table import PayTable

Row = tuple[int, ...]  # cards of each value


@dataclass(frozen=True, slots=True)
class ReadingBounds:
    """A wager's edge in both readings; the second is between two bounds.

    A split box is done when all its hands have busted: `least` counts none of them as done, `most`
    all of them.
    """

    bet: str
    choice: str
    as_read: float
    least: float
    most: float


READING = "dealer-draws-for-side-wagers"
DECKS = 6


def both_ways() -> Iterator[tuple[str, ReadingBounds]]:
    """Yield the wagers on the dealer's hand at plain Blackjack, each with its rulebook."""
    for rulebook, bet in (("nz-division-2", "push-22"), ("crown-melbourne-26", "buster")):
        for each in needless_cards(open_rulebook(rulebook, ("blackjack",)), DECKS, bet):
            yield rulebook, each


def needless_cards(book: Rulebook, decks: int, bet: str) -> Iterator[ReadingBounds]:
    """Yield the bounds of one wager on the dealer's hand, by pay scale, with one box and no
    surrender."""
    rules = money_rules(book, decks)
    assert rules.surrender == "none"
    assert not rules.twenty_one_at_once
    game, side = Game(rules), book.side_wagers[bet]
    done = [_done_before(game, against) for against in game.best()]
    for column in side.columns:
        if not column.fits(column.choice, decks, rules.pack):
            continue
        table = side.pay_table(column.choice, decks, rules.pack)
        lost = split = 0.0
        for up, hands, busted_or_paid, divided in done:
            back = [_pays_back(game, up.value, *hand, bet, table) for hand in hands]
            lost += up.chance * float(busted_or_paid @ back)
            split += up.chance * float(divided @ back)
        chances = outcomes(bet, table, decks, rules.pack, rules.dealer_draws_soft_17)
        paid = sum(each * (1 + won.odds) for won, each in chances.items() if won.odds is not None)
        read = 1 - float(paid)
        yield ReadingBounds(bet, column.choice, read, read + lost, read + lost + split)


def _done_before(
    game: Game, against: UpcardAnalysis
) -> tuple[Upcard, list[tuple[Row, int]], Floats, Floats]:
    """Yield the dealer's hands over 21, each with the probability of it and of a box done before
    it."""
    up = against.up
    hands = _over(game, up.value)
    rows = np.array([row for row, _ in hands], dtype=np.int64)
    left = game.left_with(up.value)
    chance = np.diag(_chances(np.tile(left, (len(rows), 1)), rows)) * list(hands.values())
    done, divided = _box_is_done(game, against, left[None, :] - rows)
    return up, list(hands), chance * done, chance * divided


def _over(game: Game, up: int) -> Counter[tuple[Row, int]]:
    """Return the dealer's cards after the first until the total is over 21, with the number of
    orders."""
    over: Counter[tuple[Row, int]] = Counter()
    drawing: Counter[Row] = Counter({(0,) * VALUES: 1})
    while drawing:
        longer: Counter[Row] = Counter()
        for row, times in drawing.items():
            hard = up + 1 + sum(number * (value + 1) for value, number in enumerate(row))
            ace = up == ACE or row[ACE] > 0
            total = hard + 10 if ace and hard <= 11 else hard
            soft_17 = total == 17 and total != hard and game.rules.dealer_draws_soft_17
            if total > 21:
                over[row, total] += times
            elif total < 17 or soft_17:
                for value in range(VALUES):
                    longer[*row[:value], row[value] + 1, *row[value + 1 :]] += times
        drawing = longer
    return over


def _pays_back(game: Game, up: int, row: Row, total: int, bet: str, table: PayTable) -> float:
    """Return the payment of a dealer's hand, including the stake; by suits on average."""
    cards = [number + (value == up) for value, number in enumerate(row)]
    if bet != "push-22":
        odds = busted(sum(cards), total, table).odds
        return 0.0 if odds is None else float(1 + odds)
    suit, colour = 4 * _within(game, cards, 4), 2 * _within(game, cards, 2)
    likely: dict[Likeness, float] = {
        "same-suit": suit,
        "same-colour": colour - suit,
        "other": 1 - colour,
    }
    paid = {alike: push_22(alike, total, table).odds for alike in likely}
    return sum(
        chance * float(1 + odds)
        for alike, chance in likely.items()
        if (odds := paid[alike]) is not None
    )


def _within(game: Game, cards: list[int], parts: int) -> float:
    """Return the probability that cards of these values are all in one given suit of four or colour
    of two."""
    chance = 1.0
    for value, number in enumerate(cards):
        for k in range(number):
            stock = int(game.pack[value])
            chance *= max(0, stock // parts - k) / (stock - k)
    return chance


def _box_is_done(game: Game, against: UpcardAnalysis, left: Ints) -> tuple[Floats, Floats]:
    """Return from each of these packs the probabilities that the box is done, and that it was
    split."""
    hands = all_hands()
    orders = np.zeros(len(hands.cards))
    ended: Counter[Row] = Counter()
    divided: Counter[Row] = Counter()
    acts = against.plan.acts[0, :, 0]
    for a, b, _ in game.first_hands(against.up.value):
        hand = hands.number_of(a, b)
        ways = 1 if a == b else 2
        if {a, b} == {ACE, TEN}:
            waits = against.up.value in (ACE, TEN) and not game.rules.blackjack_always_paid
            ended[tuple(hands.counts[hand])] += 0 if waits else ways
        elif against.openings.get((hand, MIXED)) == SPLIT:
            divided[tuple(hands.counts[hand])] += ways
        else:
            orders[hand] += ways
    for hand in map(int, np.flatnonzero(hands.cards >= 2)):
        if not orders[hand] or hands.total[hand] >= 21 or acts[hand] == kernels.STAND:
            continue
        for value in range(VALUES):
            longer = hands.after[hand, value]
            if longer == OVER:
                over = hands.counts[hand].copy()
                over[value] += 1
                ended[tuple(over)] += int(orders[hand])
            elif acts[hand] == kernels.DRAW:
                orders[longer] += orders[hand]
    return _weighed(left, ended), _weighed(left, divided)


def _weighed(left: Ints, ways: Counter[Row]) -> Floats:
    if not ways:
        return np.zeros(len(left))
    counts = np.array(list(ways), dtype=np.int64)
    return _chances(left, counts) @ np.array(list(ways.values()), dtype=np.float64)


def _chances(left: Ints, counts: Ints) -> Floats:
    """Return the probability of drawing each of these cards in one order, from each of these
    packs."""
    most = int(counts.max()) + 1
    chance = np.ones((len(left), len(counts)))
    for value in range(VALUES):
        falls = np.ones((len(left), most))
        for k in range(1, most):
            falls[:, k] = falls[:, k - 1] * np.maximum(0, left[:, value] - k + 1)
        chance *= falls[:, counts[:, value]]
    number = counts.sum(axis=1)
    pack = left.sum(axis=1)
    under = np.ones((len(left), int(number.max()) + 1))
    for k in range(1, under.shape[1]):
        under[:, k] = under[:, k - 1] * (pack - k + 1)
    return chance / under[:, number]
