"""Side wagers whose result depends on the play of the box, under the best play of one or of both.

Super Sevens, Lucky Match and Magnificent Sevens may wait for a third card, which may be drawn or
not; Pot of Gold counts the free bets of the box. Together: the play of the first two cards is
chosen for the sum of both wagers, and everything later as in the main game. For a third card this
is optimal, because it decides the side wager. For free bets it is a lower bound of the possible
gain, because the free bets of split hands are taken as in the main game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cutcard.cards import SUITS, Card, all_cards
from cutcard.edge.game import kernels
from cutcard.edge.game.analysis import PLAY, SPLIT, Game, UpcardAnalysis
from cutcard.edge.game.composition import ACE, TEN, VALUES
from cutcard.edge.game.stakes import MONEY_KIND, TOKEN_KIND
from cutcard.edge.game.stored_sides import HANGS_ON_PLAY
from cutcard.edge.game.suits import MIXED, SEVEN, SPADES
from cutcard.edge.money_rules import money_rules
from cutcard.engine.side_wagers.decide import VisibleCards, decide
from cutcard.engine.side_wagers.pot_of_gold import pot_of_gold
from cutcard.rulebooks import Rulebook
from cutcard.rulebooks.side_wagers.catalogue import SideWager
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

SHARES = (1.0, 0.2)  # of the main wager
# The ways to play two cards: the kernels' stand, draw and double, then these.
GIVE_UP, PART = 3, 4
NEVER = -1e8  # value of a forbidden play

Law = dict[WagerOutcome, float]


@dataclass(frozen=True, slots=True)
class BesideEdge:
    """The house edge of such a wager, and the probability of each of its rows.

    `together` is the edge if both wagers are played as one, by the side wager's share of the main
    one, including the cost to the main wager.
    """

    bet: str
    choice: str
    edge: float
    rows: tuple[tuple[str, float, float], ...]
    together: tuple[tuple[float, float], ...]


class _Found:
    """The probability of each outcome under the best main play, and the gain of playing for
    both."""

    def __init__(self) -> None:
        self.chances: dict[WagerOutcome, float] = {}
        self.gains = dict.fromkeys(SHARES, 0.0)

    def count(self, outcomes: Law, chance: float) -> None:
        for outcome, part in outcomes.items():
            self.chances[outcome] = self.chances.get(outcome, 0.0) + chance * part

    def weigh(
        self, main: dict[int, float], sides: dict[int, Law], done: int, chance: float
    ) -> None:
        """Return the best way to play two cards for both wagers, instead of `done`."""
        for share in SHARES:
            both = {way: main[way] + share * _mean(sides[way]) for way in main}
            self.gains[share] += chance * (max(both.values()) - both[done]) / share


def _mean(law: Law) -> float:
    return sum(
        part * (float(outcome.odds) if outcome.odds is not None else -1.0)
        for outcome, part in law.items()
    )


def edges_beside(book: Rulebook, decks: int, only: str = "") -> Iterator[BesideEdge]:
    """Yield every such wager of this game by pay scale, or only the named one."""
    wagers = [
        side
        for side in book.side_wagers.values()
        if _is_offered(side, book) and only in ("", side.bet)
    ]
    if not wagers:
        return
    game = Game(money_rules(book, decks))
    best = game.best()
    for side in wagers:
        for column in side.columns:
            if not column.fits(column.choice, decks, game.rules.pack):
                continue
            table = side.pay_table(column.choice, decks, game.rules.pack)
            found = _Found()
            if side.settles == "tokens":
                _pot_of_gold(game, best, table, found)
            else:
                _third_card(game, best, side.bet, table, found)
            yield _edge(side.bet, column.choice, found)


def _is_offered(side: SideWager, book: Rulebook) -> bool:
    if side.settles not in HANGS_ON_PLAY:
        return False
    return side.variants is None or bool(set(book.variants) & set(side.variants[0]))


def _edge(bet: str, choice: str, found: _Found) -> BesideEdge:
    rows: dict[tuple[str, float], float] = {}
    for outcome, chance in found.chances.items():
        if outcome.odds is not None:
            row = (outcome.hand, float(outcome.odds))
            rows[row] = rows.get(row, 0.0) + chance
    edge = 1 - sum((1 + odds) * chance for (_, odds), chance in rows.items())
    return BesideEdge(
        bet,
        choice,
        edge,
        tuple((hand, odds, chance) for (hand, odds), chance in rows.items()),
        tuple((share, edge - gain) for share, gain in found.gains.items()),
    )


def _third_card(
    game: Game, best: list[UpcardAnalysis], bet: str, table: PayTable, found: _Found
) -> None:
    """Deal two cards, the dealer's card, and a third card if the play takes one."""
    stock = all_cards(game.rules.decks, game.rules.pack)
    kept: dict[tuple[int, int, int], dict[int, float]] = {}

    def worths(against: UpcardAnalysis, hand: int, suit: int) -> dict[int, float]:
        key = (id(against), hand, suit)
        if key not in kept:
            kept[key] = _worths(game, against, hand, suit)
        return kept[key]

    for first, one in _drawn(stock):
        for second, two in _drawn(stock):
            two_cards = (first, second)
            known = decide(bet, table, VisibleCards(box=two_cards))
            if known is not None:
                found.count({known: 1.0}, one * two)
                continue
            for up, shown in _drawn(stock):
                against, chance = _against(best, up), one * two * shown
                suit = _suit_of(game, against, two_cards)
                hand = game.hands.number_of(*(card.points - 1 for card in two_cards))
                done, main = _done(game, against, hand, suit), worths(against, hand, suit)
                stays = _outcomes(stock, bet, table, two_cards, draws=False, split=False)
                draws = _outcomes(stock, bet, table, two_cards, draws=True, split=False)
                sides = dict.fromkeys(main, stays) | {kernels.DRAW: draws, kernels.DOUBLE: draws}
                if PART in main:
                    sides[PART] = _outcomes(stock, bet, table, two_cards, draws=True, split=True)
                found.count(sides[done], chance)
                found.weigh(main, sides, done, chance)


def _outcomes(
    stock: Counter[Card],
    bet: str,
    table: PayTable,
    two_cards: tuple[Card, Card],
    *,
    draws: bool,
    split: bool,
) -> Law:
    """Return the outcome of the side wager for each third card of the box, or without one."""
    known = decide(bet, table, VisibleCards(box=two_cards, split=split, complete=not draws))
    if known is not None:
        return {known: 1.0}
    law: Law = {}
    for third, chance in _drawn(stock):
        whole = VisibleCards(box=(*two_cards, third), split=split, complete=True)
        outcome = decide(bet, table, whole)
        assert outcome is not None
        law[outcome] = law.get(outcome, 0.0) + chance
    return law


def _drawn(stock: Counter[Card]) -> Iterator[tuple[Card, float]]:
    """Yield each possible next card with its probability; it is removed from the stock while
    yielded."""
    pack = sum(stock.values())
    for card, left in list(stock.items()):
        if left:
            stock[card] -= 1
            yield card, left / pack
            stock[card] += 1


def _against(best: list[UpcardAnalysis], up: Card) -> UpcardAnalysis:
    for against in best:
        if against.up.value == up.points - 1 and against.up.suit in (
            None,
            SPADES if up.suit == "s" else SPADES - 1,
        ):
            return against
    raise AssertionError(f"no play against {up}")


def _suit_of(game: Game, against: UpcardAnalysis, cards: tuple[Card, Card]) -> int:
    hand = game.hands.number_of(*(card.points - 1 for card in cards))
    alike = cards[0].suit == cards[1].suit and hand in against.suits.hands
    return SUITS.index(cards[0].suit) if alike else MIXED


def _done(game: Game, against: UpcardAnalysis, hand: int, suit: int) -> int:
    """Return the best main play of two cards."""
    opening = against.openings.get((hand, suit), PLAY)
    if opening != PLAY:
        return PART if opening == SPLIT else GIVE_UP
    for which, special in enumerate(against.suits.hands):
        if special == hand:
            return int(against.plan.suit_acts[MONEY_KIND, which, suit])
    return int(against.plan.acts[MONEY_KIND, hand, 0])


def _worths(game: Game, against: UpcardAnalysis, hand: int, suit: int) -> dict[int, float]:
    """Return the value of the main wager for each way to play two cards."""
    ways = dict(enumerate(map(float, against.ways[MONEY_KIND, hand, 0])))
    for which, special in enumerate(against.suits.hands):
        if special == hand:
            ways[kernels.DRAW] = float(against.suit_worth[MONEY_KIND, which, suit, 3])
    if game.may_surrender(against.up):
        ways[GIVE_UP] = game.surrendered(against, hand).mean
    counts = game.hands.counts[hand]
    if counts.max() == 2 and game.rules.split_allowed:
        value = int(counts.argmax())
        pair = suit if value == SEVEN and game.rules.suits_matter else MIXED
        ways[PART] = against.splitter.worth(value, MONEY_KIND, against.plan, pair).mean
    return {way: worth for way, worth in ways.items() if worth > NEVER}


def _pot_of_gold(game: Game, best: list[UpcardAnalysis], table: PayTable, found: _Found) -> None:
    for against in best:
        for a, b, chance in game.first_hands(against.up.value):
            reached, hand = chance * against.up.chance, game.hands.number_of(a, b)
            none, one = ({pot_of_gold(tokens, table): 1.0} for tokens in (0, 1))
            if {a, b} == {ACE, TEN}:
                found.count(none, reached)
                continue
            done, main = _done(game, against, hand, MIXED), _worths(game, against, hand, MIXED)
            sides = dict.fromkeys(main, none)
            if kernels.DOUBLE in main and _is_free(game, hand):
                sides[kernels.DOUBLE] = one
            if PART in main:
                sides[PART] = {}
                for tokens, part in _tokens_of_split(game, against, a).items():
                    outcome = pot_of_gold(tokens, table)
                    sides[PART][outcome] = sides[PART].get(outcome, 0.0) + part
            found.count(sides[done], reached)
            found.weigh(main, sides, done, reached)


def _is_free(game: Game, hand: int) -> bool:
    """Return whether the house pays for a double of these two cards."""
    nine_to_eleven = not game.hands.soft[hand] and 9 <= game.hands.total[hand] <= 11
    return bool(game.rules.double_free and nine_to_eleven)


def _doubles_free(game: Game, against: UpcardAnalysis, kind: int, a: int, b: int) -> bool:
    hand = game.hands.number_of(a, b)
    return _is_free(game, hand) and against.plan.acts[kind, hand, 0] == kernels.DOUBLE


def _tokens_of_split(game: Game, against: UpcardAnalysis, value: int) -> dict[int, float]:
    """Return the value for each number of free bets of a split, by the second cards of the hands
    only.

    Each hand splits again, doubles free, or does not.
    """
    rules = game.rules
    free = rules.split_free and value != TEN
    new = TOKEN_KIND if free else MONEY_KIND
    may = value != ACE or rules.aces_resplit
    again = (may, may and against.plan.token_splits[value])
    doubles = [
        tuple(
            value != ACE and _doubles_free(game, against, kind, value, other)
            for kind in (range(game.kinds))
        )
        for other in range(VALUES)
    ]
    groups: Counter[tuple[bool, tuple[bool, ...]]] = Counter()
    left = against.left.copy()
    left[value] -= 2
    for other in range(VALUES):
        groups[other == value, doubles[other]] += int(left[other])
    names = tuple(groups)

    @cache
    def play(
        stock: tuple[int, ...], pending: tuple[int, ...], hands: int
    ) -> tuple[tuple[int, float], ...]:
        if not pending:
            return ((0, 1.0),)
        kind, rest = pending[0], pending[1:]
        found: dict[int, float] = {}
        for place, (same, doubled) in enumerate(names):
            if not stock[place]:
                continue
            chance = stock[place] / sum(stock)
            after = (*stock[:place], stock[place] - 1, *stock[place + 1 :])
            if same and again[kind] and (not rules.split_hands or hands < rules.split_hands):
                gained, later = int(free), play(after, (kind, new, *rest), hands + 1)
            else:
                gained, later = int(doubled[kind]), play(after, rest, hands)
            for tokens, part in later:
                found[tokens + gained] = found.get(tokens + gained, 0.0) + chance * part
        return tuple(found.items())

    first = int(free)
    stock = tuple(groups[name] for name in names)
    return {first + tokens: part for tokens, part in play(stock, (MONEY_KIND, new), 2)}
