"""House Money and Let It Ride: won on two cards, and left with the main wager if that gains.

The riding money belongs to the first hand, and only stands off against a dealer's Blackjack. It
increases the amount of a double, and of a split: each is then the sum of the main wager and the
riding money. So the hand is played as for one larger wager, of which a dealer's Blackjack takes the
main part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cutcard.cards import all_cards
from cutcard.edge.game.analysis import Game, UpcardAnalysis
from cutcard.edge.game.suits import MIXED
from cutcard.edge.money_rules import MoneyRules, money_rules
from cutcard.engine.side_wagers.decide import VisibleCards, decide
from cutcard.rulebooks import Rulebook
from cutcard.rulebooks.side_wagers.pay_table import PayTable

Pair = tuple[int, int]
NOT_BESIDE_FREE_BETS = "a free bet is as large as the wager alone, without what rides beside it"


@dataclass(frozen=True, slots=True)
class RidingEdge:
    """The house edge of a wager that may ride, by its share of the main wager.

    `kept` if every payout is taken; `by_main` if it rides when that gains and the hand is played as
    without it; `together` if the hand is played for both.
    """

    bet: str
    choice: str
    share: float
    kept: float
    by_main: float
    together: float


def riding_edges(
    book: Rulebook, decks: int, only: str = "", *, shares: tuple[float, ...] = (1.0, 0.2)
) -> Iterator[RidingEdge]:
    """Yield every wager of this game that may ride, or the named one, at each of these shares.

    The result is None if the house gives free bets (`NOT_BESIDE_FREE_BETS`).
    """
    bets = book.side_wagers.values()
    wagers = [side for side in bets if side.riding and only in ("", side.bet)]
    rules = money_rules(book, decks)
    if not wagers or rules.has_tokens or rules.double_free:
        return
    plain = Game(rules)
    best = plain.best()
    for side in wagers:
        for column in side.columns:
            if column.fits(column.choice, decks, rules.pack):
                table = side.pay_table(column.choice, decks, rules.pack)
                rows = _rows(rules, side.bet, table)
                for share in shares:
                    yield _edge((side.bet, column.choice), share, rows, plain, best)


def _rows(rules: MoneyRules, bet: str, table: PayTable) -> dict[float, dict[Pair, float]]:
    """Return the values of the two winning cards for each payment (to one), with their
    probabilities."""
    stock = all_cards(rules.decks, rules.pack)
    pack = sum(stock.values())
    rows: dict[float, dict[Pair, float]] = {}
    for first, one in stock.items():
        for second, two in stock.items():
            outcome = decide(bet, table, VisibleCards(box=(first, second)))
            assert outcome is not None
            if outcome.odds is None:
                continue
            pair = (min(first.points, second.points) - 1, max(first.points, second.points) - 1)
            chance = one * (two - (first == second)) / (pack * (pack - 1))
            cards = rows.setdefault(float(outcome.odds), {})
            cards[pair] = cards.get(pair, 0.0) + chance
    return rows


def _edge(
    wager: tuple[str, str],
    share: float,
    rows: dict[float, dict[Pair, float]],
    plain: Game,
    best: list[UpcardAnalysis],
) -> RidingEdge:
    won = sum(sum(cards.values()) for cards in rows.values())
    kept = 1 - won - sum(odds * sum(cards.values()) for odds, cards in rows.items())
    gains = {"by main": 0.0, "together": 0.0}
    for odds, cards in rows.items():
        rides = share * (1 + odds)
        game = Game(plain.rules, at_risk=1 / (1 + rides))
        for against in best:
            followed = game.valued(against.up, against.plan)
            followed = game.following(followed, dict(against.openings))
            together = game.against(against.up)
            for (a, b), chance in cards.items():
                hand = plain.hands.number_of(a, b)
                weight = chance * _chance_of_up(plain, against, a, b) / share
                alone = against.opened[hand, MIXED]
                for how, found in (("by main", followed), ("together", together)):
                    gain = (1 + rides) * found.opened[hand, MIXED] - alone
                    gains[how] += weight * max(0.0, gain)
    return RidingEdge(*wager, share, kept, kept - gains["by main"], kept - gains["together"])


def _chance_of_up(game: Game, against: UpcardAnalysis, a: int, b: int) -> float:
    """Return the probability of the dealer's card after the box's two cards were removed."""
    left = game.pack.copy()
    left[a] -= 1
    left[b] -= 1
    share = against.up.chance * game.pack.sum() / game.pack[against.up.value]
    return float(left[against.up.value] * share / left.sum())
