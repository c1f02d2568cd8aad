"""The figures of a game: its edge under the best play and by total, and both strategies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutcard.edge.game import kernels
from cutcard.edge.game.analysis import (
    PLAY,
    SPLIT,
    SURRENDER,
    Game,
    HandWorth,
    UpcardAnalysis,
    on_all_cores,
)
from cutcard.edge.game.by_total import (
    HARD,
    SOFT,
    UpcardColumn,
    column_against,
    follow_column,
    how_often,
    plan_of,
)
from cutcard.edge.game.composition import ACE, NAMES, TEN, VALUES
from cutcard.edge.game.stakes import MONEY_KIND
from cutcard.edge.game.suits import MIXED, SPADES
from cutcard.edge.money_rules import MoneyRules
from cutcard.edge.strategy import UPS, Exceptional, Strategy, Table

KINDS = ("money", "token")


@dataclass(frozen=True)
class GameFigures:
    """The house edge of a game, in original wagers.

    `edge` is the house's share of each wager, `by_total` the same if the player follows the table,
    `action` the total money wagered, `variance` of a round (for split hands by their dependence
    through the dealer's total), `bound` the maximum error of the edge if splits are unlimited.
    """

    rules: MoneyRules
    edge: float
    by_total: float
    action: float
    action_by_total: float
    variance: float
    bound: float
    strategy: Strategy
    insures: bool
    even_money: bool

    @property
    def edge_of_action(self) -> float:
        return self.edge / self.action

    @property
    def returned(self) -> float:
        return 1 - self.edge

    def as_json(self) -> dict[str, Any]:
        return {
            "edge": round(self.edge, 12),
            "return": round(self.returned, 12),
            "edge_by_total": round(self.by_total, 12),
            "difference": round(self.by_total - self.edge, 12),
            "action": round(self.action, 12),
            "edge_of_action": round(self.edge_of_action, 12),
            "variance": round(self.variance, 6),
            "bound": self.bound,
            "insurance_gains": self.insures,
            "even_money_gains": self.even_money,
        }


def best_edge(rules: MoneyRules) -> float:
    """Return the edge under the best play only."""
    game = Game(rules)
    return -game.value(game.best()).mean


def figures_of(rules: MoneyRules) -> GameFigures:
    """Return all figures of a game."""
    game = Game(rules)
    best = game.best()
    whole = game.value(best)
    columns, followed = _columns(game, best)
    by_total = game.value(followed)
    return GameFigures(
        rules=rules,
        edge=-whole.mean,
        by_total=-by_total.mean,
        action=1 + whole.money,
        action_by_total=1 + by_total.money,
        variance=whole.square - whole.mean**2,
        bound=sum(against.up.chance * _bound(game, against) for against in best),
        strategy=_strategy(game, best, columns),
        insures=any(against.insured for against in best),
        even_money=any(against.even_money for against in best),
    )


def _columns(
    game: Game, best: list[UpcardAnalysis]
) -> tuple[dict[int, UpcardColumn], list[UpcardAnalysis]]:
    """Return one column for each value of the dealer's card, made for the most frequent suit and
    rank."""
    by_value: dict[int, list[UpcardAnalysis]] = {}
    for against in sorted(best, key=lambda each: (-each.up.surrender, -each.up.chance)):
        by_value.setdefault(against.up.value, []).append(against)
    made = on_all_cores(lambda alike: _column(game, *alike), list(by_value.values()))
    columns = {value: column for value, (column, _) in zip(by_value, made, strict=True)}
    return columns, [against for _, followed in made for against in followed]


def _column(
    game: Game, first: UpcardAnalysis, *others: UpcardAnalysis
) -> tuple[UpcardColumn, list[UpcardAnalysis]]:
    column, played = column_against(game, first)
    return column, [played, *(follow_column(game, other, column) for other in others)]


def _bound(game: Game, against: UpcardAnalysis) -> float:
    """Return the maximum error of the mean because endless splits are cut off."""
    chances = {a: chance for a, b, chance in game.first_hands(against.up.value) if a == b}
    return sum(
        chances[value] * split.bound
        for (value, _), split in against.splits.items()
        if against.openings.get((game.hands.number_of(value, value), MIXED)) == SPLIT
    )


def _strategy(game: Game, best: list[UpcardAnalysis], columns: dict[int, UpcardColumn]) -> Strategy:
    ups = ["A23456789T".index(up) for up in UPS]
    tables: dict[str, Table] = {}
    for kind in range(game.kinds):
        tables[KINDS[kind]] = {
            "hard": {str(t): tuple(_cell(columns[u], kind, t, 0) for u in ups) for t in HARD},
            "soft": {str(t): tuple(_cell(columns[u], kind, t, 1) for u in ups) for t in SOFT},
            "pair": {NAMES[v]: tuple(_pair(columns[u], kind, v) for u in ups) for v in range(10)},
        }
    rescue: Table = {}
    if game.rules.rescue:
        rescue = {
            kind: {
                str(t): tuple("W" if columns[u].rescues[t, soft] else "-" for u in ups)
                for t in totals
            }
            for kind, soft, totals in (("hard", 0, HARD), ("soft", 1, SOFT))
        }
    return Strategy(
        tables=tables,
        rescue=rescue,
        exceptions=tuple(_exceptions(game, best, columns)),
        insurance="when it gains",
        even_money="never",
    )


def _cell(column: UpcardColumn, kind: int, total: int, soft: int) -> str:
    surrenders = kind == MONEY_KIND and column.surrenders.get((total, soft), False)
    return (
        ("R" if surrenders else "")
        + ("D" if column.doubles[kind, total, soft] else "")
        + ("S" if column.stands[kind, total, soft] else "H")
    )


def _pair(column: UpcardColumn, kind: int, value: int) -> str:
    return {PLAY: "-", SPLIT: "P", SURRENDER: "R"}[column.pairs.get((kind, value), PLAY)]


def _exceptions(
    game: Game, best: list[UpcardAnalysis], columns: dict[int, UpcardColumn]
) -> Iterator[Exceptional]:
    """Yield hands that the best play treats differently from the table, against each card once."""
    seen: set[int] = set()
    for against in sorted(best, key=lambda each: (each.up.value, -each.up.chance)):
        if against.up.value in seen:
            continue
        seen.add(against.up.value)
        column = columns[against.up.value]
        often = how_often(game, against, never=0.0)
        said = plan_of(game, against, column)
        for kind in range(game.kinds):
            other = against.plan.acts[kind, :, 0] != said.acts[kind, :, 0]
            # Decisions on splits and surrenders of two cards, and decisions by suit, are not in
            # acts.
            other[against.suits.hands] = True
            other |= game.hands.cards == 2
            for hand in np.flatnonzero(other & (often[kind].sum(axis=1) > 0)):
                yield from _of_hand(game, against, column, kind, int(hand))


def _of_hand(
    game: Game, against: UpcardAnalysis, column: UpcardColumn, kind: int, hand: int
) -> Iterator[Exceptional]:
    hands = game.hands
    total = int(hands.total[hand])
    counts = hands.counts[hand]
    finished = total >= 21 or (counts[ACE] == 1 and counts[TEN] == 1 and hands.cards[hand] == 2)
    most = game.rules.most_cards
    if finished or (most and hands.cards[hand] >= most):
        return
    said = _said(game, against, column, kind, hand)
    found = {suit: _done(game, against, kind, hand, suit) for suit in _suits(against, hand)}
    for suit, do in found.items():
        if do[0] != said:
            alike = len(set(found.values())) == 1
            if alike and suit != MIXED:
                continue
            name = "" if alike else {SPADES: "spades", MIXED: "mixed"}.get(suit, "suited")
            yield Exceptional(
                stake=KINDS[kind],
                up=NAMES[against.up.value],
                cards=tuple(NAMES[v] for v in range(VALUES) for _ in range(counts[v])),
                suits=name,
                do=do,
            )


def _suits(against: UpcardAnalysis, hand: int) -> tuple[int, ...]:
    return (0, SPADES, MIXED) if hand in against.suits.hands else (MIXED,)


def _said(game: Game, against: UpcardAnalysis, column: UpcardColumn, kind: int, hand: int) -> str:
    """Return the table's decision, as far as the rules allow it."""
    hands = game.hands
    total, soft = int(hands.total[hand]), int(hands.soft[hand])
    first = kind == MONEY_KIND and hands.cards[hand] == 2
    pair = int(np.argmax(hands.counts[hand])) if hands.counts[hand].max() == 2 else -1
    if hands.cards[hand] == 2 and pair >= 0:
        opening = column.pairs.get((kind, pair), PLAY)
        if opening == SPLIT:
            return "P"
        if opening == SURRENDER:
            return "R"
    if first and column.surrenders.get((total, soft)) and game.may_surrender(against.up):
        return "R"
    if column.doubles[kind, total, soft] and game.table.may_double[hand]:
        return "D"
    return "S" if column.stands[kind, total, soft] else "H"


def _done(game: Game, against: UpcardAnalysis, kind: int, hand: int, suit: int) -> str:
    """Return the best play, as a chain with the next decision if one is not allowed."""
    ways = against.ways[kind, hand, 0]
    rest = "S" if ways[kernels.STAND] >= ways[kernels.DRAW] else "H"
    act = int(against.plan.acts[kind, hand, 0])
    for which, special in enumerate(against.suits.hands):
        if special == hand:
            act = int(against.plan.suit_acts[kind, which, suit])
    play = {kernels.STAND: "S", kernels.DRAW: "H", kernels.DOUBLE: "D" + rest}[act]
    if game.hands.cards[hand] != 2:
        return play
    if kind == MONEY_KIND:
        opening = against.openings.get((hand, suit), PLAY)
        return {PLAY: "", SPLIT: "P", SURRENDER: "R"}[opening] + play
    pair = game.hands.counts[hand].max() == 2
    value = int(np.argmax(game.hands.counts[hand]))
    return ("P" if pair and value != TEN and against.plan.token_splits[value] else "") + play


__all__ = ["GameFigures", "HandWorth", "best_edge", "figures_of"]
