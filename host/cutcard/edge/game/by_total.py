"""The strategy that players use: by the total of a hand only, against each card of the dealer.

A cell of the table is one decision for all hands of a total: the best on average, weighted by their
frequency if the rest of the table is followed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from cutcard.edge.game import kernels
from cutcard.edge.game.analysis import PLAY, SPLIT, SURRENDER, Game, Upcard, UpcardAnalysis
from cutcard.edge.game.composition import ACE, TEN, VALUES, Floats, Ints, all_hands
from cutcard.edge.game.splits import SplitPlan, pairs_of
from cutcard.edge.game.stakes import MONEY_KIND, TOKEN_KIND
from cutcard.edge.game.suits import MIXED

HARD = range(4, 21)
SOFT = range(12, 21)
ROUNDS = 8  # the table is stable after two or three


@dataclass
class UpcardColumn:
    """The table against one card of the dealer, by stake, total and softness."""

    stands: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    doubles: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    surrenders: dict[tuple[int, int], bool] = field(default_factory=dict)
    pairs: dict[tuple[int, int], int] = field(default_factory=dict)
    rescues: dict[tuple[int, int], bool] = field(default_factory=dict)


def column_against(game: Game, best: UpcardAnalysis) -> tuple[UpcardColumn, UpcardAnalysis]:
    """Return the column of the table against one card, and the value of following it."""
    column = UpcardColumn()
    against = best
    weights = how_often(game, against)
    for _ in range(ROUNDS):
        before = (dict(column.stands), dict(column.doubles), dict(column.rescues))
        _decide_cells(game, against, weights, column)
        against = _followed(game, best, column)
        weights = how_often(game, against)
        if before == (column.stands, column.doubles, column.rescues):
            break
    _decide_openings(game, against, column)
    return column, _opened(game, against, column)


def follow_column(game: Game, best: UpcardAnalysis, column: UpcardColumn) -> UpcardAnalysis:
    """Return the value of following a column made for another suit or rank of the same value."""
    return _opened(game, _followed(game, best, column), column)


def _opened(game: Game, against: UpcardAnalysis, column: UpcardColumn) -> UpcardAnalysis:
    against.plan = _with_pairs(against.plan, column)
    return game.following(against, _openings(game, against, column))


@cache
def _hands_of(total: int, soft: int) -> Ints:
    hands = all_hands()
    return np.flatnonzero((hands.cards >= 2) & (hands.total == total) & (hands.soft == soft))


def _decide_cells(
    game: Game, against: UpcardAnalysis, weights: Floats, column: UpcardColumn
) -> None:
    hands = game.hands
    for kind in range(game.kinds):
        for soft, totals in ((0, HARD), (1, SOFT)):
            for total in totals:
                which = _hands_of(total, soft)
                if game.rules.most_cards:
                    which = which[hands.cards[which] < game.rules.most_cards]
                ways = against.ways[kind, which]
                often = weights[kind, which]
                column.stands[kind, total, soft], column.doubles[kind, total, soft] = _best(
                    ways, often
                )
    if game.rules.rescue:
        _decide_rescues(game, against, weights[MONEY_KIND], column)


def _best(ways: Floats, often: Floats) -> tuple[bool, bool]:
    """Return stand or draw, and whether to double first if allowed."""
    may_double = ways[:, :, kernels.DOUBLE] > -1e8
    scores = {}
    for stands in (False, True):
        play = ways[:, :, kernels.STAND if stands else kernels.DRAW]
        for doubles in (False, True):
            worth = np.where(may_double & doubles, ways[:, :, kernels.DOUBLE], play)
            scores[stands, doubles] = float((often * np.maximum(worth, -1e6)).sum())
    return max(scores, key=lambda choice: scores[choice])


def _decide_rescues(
    game: Game, against: UpcardAnalysis, weights: Floats, column: UpcardColumn
) -> None:
    """A doubled hand whose doubled part is taken back: where what it may still win is less."""
    hands, pays = game.hands, game.table.pays
    doubled = _doubled_often(game, against, weights)
    for soft, totals in ((0, HARD), (1, SOFT)):
        for total in totals:
            points = hands.hard + 10 * ((soft == 1) & (hands.hard <= 11))
            which = np.flatnonzero(
                (points == total) & (hands.cards >= 3) & ((hands.counts[:, ACE] > 0) | (soft == 0))
            )
            often = doubled[which, soft] + 1e-12
            worth = against.chances[which] @ pays[1, total]
            column.rescues[total, soft] = bool((often * worth).sum() < -often.sum())


def _doubled_often(game: Game, against: UpcardAnalysis, weights: Floats) -> Floats:
    hands = game.hands
    doubled = np.zeros((len(hands.cards), 2))
    acts = against.plan.acts[MONEY_KIND]
    for hand in np.flatnonzero((acts == kernels.DOUBLE).any(axis=1)):
        rest = against.left.sum() - hands.cards[hand]
        for free_ace in range(2):
            if acts[hand, free_ace] != kernels.DOUBLE or not weights[hand, free_ace]:
                continue
            for value in range(VALUES):
                longer = hands.after[hand, value]
                if longer >= 0:
                    ace = int(free_ace == 1 or value == ACE)
                    chance = (against.left[value] - hands.counts[hand, value]) / rest
                    doubled[longer, ace] += weights[hand, free_ace] * max(0.0, chance)
    return doubled


def how_often(game: Game, against: UpcardAnalysis, never: float = 1e-9) -> Floats:
    """How often each hand comes up, from two cards on; a little for those that never do."""
    hands = game.hands
    often = np.zeros((game.kinds, len(hands.cards), 2))
    first = np.zeros(len(hands.cards))
    for a, b, chance in game.first_hands(against.up.value):
        first[hands.number_of(a, b)] = chance
    for kind in range(game.kinds):
        kernels.how_often(
            against.left,
            first,
            hands.counts,
            hands.cards,
            hands.after,
            against.plan.acts[kind],
            often[kind],
        )
        seldom = np.zeros_like(often[kind])
        draws = np.full_like(against.plan.acts[kind], kernels.DRAW)
        kernels.how_often(
            against.left, first, hands.counts, hands.cards, hands.after, draws, seldom
        )
        often[kind] += never * seldom
    return often


def _followed(game: Game, best: UpcardAnalysis, column: UpcardColumn) -> UpcardAnalysis:
    return game.valued(best.up, plan_of(game, best, column))


def plan_of(game: Game, best: UpcardAnalysis, column: UpcardColumn) -> SplitPlan:
    """Return the plan of a column, hand by hand."""
    hands, table = game.hands, game.table
    acts = np.zeros_like(best.plan.acts)
    rescues = np.zeros_like(best.plan.rescues)
    for (kind, total, soft), stands in column.stands.items():
        which = _hands_of(total, soft)
        act = np.full(len(which), kernels.STAND if stands else kernels.DRAW)
        if column.doubles[kind, total, soft]:
            act[table.may_double[which]] = kernels.DOUBLE
        acts[kind, which] = act[:, None]
    for (total, soft), rescued in column.rescues.items():
        points = hands.hard + 10 * ((soft == 1) & (hands.hard <= 11))
        rescues[points == total, soft] = rescued
    suit_acts = best.plan.suit_acts.copy()
    for place, hand in enumerate(best.suits.hands):
        suit_acts[:, place, :] = acts[:, hand, 0][:, None]
    plan = SplitPlan(acts, suit_acts, rescues, best.plan.token_splits)
    if game.rules.double_after_split:
        return plan
    return replace(plan, after_split=_without_doubles(plan, best, column))


def _without_doubles(plan: SplitPlan, best: UpcardAnalysis, column: UpcardColumn) -> SplitPlan:
    """Return the plan for split hands that may not be doubled."""
    acts, suit_acts = plan.acts.copy(), plan.suit_acts.copy()
    for (kind, total, soft), stands in column.stands.items():
        acts[kind, _hands_of(total, soft)] = kernels.STAND if stands else kernels.DRAW
    for place, hand in enumerate(best.suits.hands):
        suit_acts[:, place, :] = acts[:, hand, 0][:, None]
    return SplitPlan(acts, suit_acts, plan.rescues, plan.token_splits)


def _decide_openings(game: Game, against: UpcardAnalysis, column: UpcardColumn) -> None:
    """Decide surrender by total, then pairs: split, surrendered, or played by their total."""
    if game.may_surrender(against.up):
        for total, soft in {_cell(game, a, b) for a, b, _ in game.first_hands(against.up.value)}:
            gain = 0.0
            for a, b, chance in game.first_hands(against.up.value):
                if _cell(game, a, b) != (total, soft) or total == 21:
                    continue
                if a == b and not _only_pairs(game, against.up, total, soft):
                    continue
                hand = game.hands.number_of(a, b)
                given_up = game.surrendered(against, hand).mean
                gain += chance * (given_up - _played(game, against, hand))
            column.surrenders[total, soft] = gain > 0
    for value in pairs_of(game.rules):
        hand = game.hands.number_of(value, value)
        if against.left[value] < 2:
            column.pairs[MONEY_KIND, value] = PLAY
            continue
        options = {PLAY: _by_total(game, against, column, hand)}
        if game.may_surrender(against.up):
            options[SURRENDER] = game.surrendered(against, hand).mean
        most = max(options.values())
        plain = against.splitter.worth(value, MONEY_KIND, against.plan, better_than=most)
        options[SPLIT] = plain.mean
        column.pairs[MONEY_KIND, value] = max(options, key=lambda option: options[option])
        if game.kinds == 2:
            split = against.splitter.worth(value, TOKEN_KIND, against.plan).mean
            better = split > float(against.worth[TOKEN_KIND, hand, 0, 0])
            column.pairs[TOKEN_KIND, value] = SPLIT if better and value != TEN else PLAY


def _only_pairs(game: Game, up: Upcard, total: int, soft: int) -> bool:
    return all(
        a == b for a, b, _ in game.first_hands(up.value) if _cell(game, a, b) == (total, soft)
    )


def _cell(game: Game, a: int, b: int) -> tuple[int, int]:
    hand = game.hands.number_of(a, b)
    return int(game.hands.total[hand]), int(game.hands.soft[hand])


def _played(game: Game, against: UpcardAnalysis, hand: int) -> float:
    for which, special in enumerate(against.suits.hands):
        if special == hand:
            law = against.suits.first.chance[which]
            return float(law @ against.suit_worth[MONEY_KIND, which, :, 0])
    return float(against.worth[MONEY_KIND, hand, 0, 0])


def _by_total(game: Game, against: UpcardAnalysis, column: UpcardColumn, hand: int) -> float:
    cell = (int(game.hands.total[hand]), int(game.hands.soft[hand]))
    if column.surrenders.get(cell):
        return game.surrendered(against, hand).mean
    return _played(game, against, hand)


def _with_pairs(plan: SplitPlan, column: UpcardColumn) -> SplitPlan:
    again = tuple(column.pairs.get((TOKEN_KIND, value), SPLIT) == SPLIT for value in range(VALUES))
    return replace(plan, token_splits=again)


def _openings(
    game: Game, against: UpcardAnalysis, column: UpcardColumn
) -> dict[tuple[int, int], int]:
    openings: dict[tuple[int, int], int] = {}
    for a, b, _ in game.first_hands(against.up.value):
        hand = game.hands.number_of(a, b)
        chosen = SURRENDER if column.surrenders.get(_cell(game, a, b)) else PLAY
        if a == b and (MONEY_KIND, a) in column.pairs:
            pair = column.pairs[MONEY_KIND, a]
            chosen = chosen if pair == PLAY else pair
        for suit in range(MIXED + 1):
            openings[hand, suit] = chosen
    return openings


__all__ = [
    "HARD",
    "SOFT",
    "UpcardColumn",
    "column_against",
    "follow_column",
    "how_often",
    "plan_of",
]
