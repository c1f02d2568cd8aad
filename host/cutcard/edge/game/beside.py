"""Side wagers whose result hangs on how the box is played, under the best play of the main game.

Super Sevens, Lucky Match and Magnificent Sevens may wait for a third card, which is drawn or not;
Pot of Gold counts the free bets that the box came to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cutcard.cards import SUITS, Card, all_cards
from cutcard.edge.game import kernels
from cutcard.edge.game.analysis import PLAY, SPLIT, Against, Game
from cutcard.edge.game.composition import ACE, TEN, VALUES
from cutcard.edge.game.stakes import MONEY_KIND, TOKEN_KIND
from cutcard.edge.game.suits import MIXED, SPADES
from cutcard.edge.money_rules import money_rules
from cutcard.engine.side_wagers.decide import Sight, decide
from cutcard.engine.side_wagers.pot_of_gold import pot_of_gold
from cutcard.rulebooks import Rulebook
from cutcard.rulebooks.side_wagers.catalogue import SideWager
from cutcard.rulebooks.side_wagers.pay_table import Outcome, PayTable

HANGS_ON_PLAY = ("third-card", "tokens")


@dataclass(frozen=True, slots=True)
class BesideEdge:
    """What the house keeps of such a wager, and how often each of its rows comes."""

    bet: str
    choice: str
    edge: float
    rows: tuple[tuple[str, float, float], ...]


def edges_beside(book: Rulebook, decks: int) -> Iterator[BesideEdge]:
    """Every such wager that this game may offer, by pay scale."""
    wagers = [side for side in book.side_wagers.values() if _is_offered(side, book)]
    if not wagers:
        return
    game = Game(money_rules(book, decks))
    best = game.best()
    for side in wagers:
        for column in side.columns:
            if not column.fits(column.choice, decks, game.rules.pack):
                continue
            table = side.pay_table(column.choice, decks, game.rules.pack)
            if side.settles == "tokens":
                chances = _pot_of_gold(game, best, table)
            else:
                chances = _third_card(game, best, side.bet, table)
            yield _edge(side.bet, column.choice, chances)


def _is_offered(side: SideWager, book: Rulebook) -> bool:
    if side.settles not in HANGS_ON_PLAY:
        return False
    return side.variants is None or bool(set(book.variants) & set(side.variants[0]))


def _edge(bet: str, choice: str, chances: dict[Outcome, float]) -> BesideEdge:
    rows: dict[tuple[str, float], float] = {}
    for outcome, chance in chances.items():
        if outcome.odds is not None:
            row = (outcome.hand, float(outcome.odds))
            rows[row] = rows.get(row, 0.0) + chance
    edge = 1 - sum((1 + odds) * chance for (_, odds), chance in rows.items())
    return BesideEdge(
        bet, choice, edge, tuple((hand, odds, chance) for (hand, odds), chance in rows.items())
    )


def _third_card(game: Game, best: list[Against], bet: str, table: PayTable) -> dict[Outcome, float]:
    """Deal two cards, the dealer's, and a third where the best play takes one."""
    stock = all_cards(game.rules.decks, game.rules.pack)
    chances: dict[Outcome, float] = {}

    def count(outcome: Outcome | None, chance: float) -> None:
        assert outcome is not None
        chances[outcome] = chances.get(outcome, 0.0) + chance

    for first, one in _drawn(stock):
        for second, two in _drawn(stock):
            two_cards = (first, second)
            known = decide(bet, table, Sight(box=two_cards))
            if known is not None:
                count(known, one * two)
                continue
            for up, shown in _drawn(stock):
                draws, split = _takes_a_card(game, _against(best, up), two_cards)
                sight = Sight(box=two_cards, split=split, complete=not draws)
                known = decide(bet, table, sight)
                if known is not None:
                    count(known, one * two * shown)
                    continue
                for third, three in _drawn(stock):
                    whole = Sight(box=(*two_cards, third), split=split, complete=True)
                    count(decide(bet, table, whole), one * two * shown * three)
    return chances


def _drawn(stock: Counter[Card]) -> Iterator[tuple[Card, float]]:
    """Each card that can come next with its chance, gone while it is looked at."""
    pack = sum(stock.values())
    for card, left in list(stock.items()):
        if left:
            stock[card] -= 1
            yield card, left / pack
            stock[card] += 1


def _against(best: list[Against], up: Card) -> Against:
    for against in best:
        if against.up.value == up.points - 1 and against.up.suit in (
            None,
            SPADES if up.suit == "s" else SPADES - 1,
        ):
            return against
    raise AssertionError(f"no play against {up}")


def _takes_a_card(game: Game, against: Against, cards: tuple[Card, Card]) -> tuple[bool, bool]:
    """Whether the box gets a third card under the best play, and whether it was split for it."""
    hand = game.hands.number_of(*(card.points - 1 for card in cards))
    alike = cards[0].suit == cards[1].suit and hand in against.suits.hands
    suit = SUITS.index(cards[0].suit) if alike else MIXED
    opening = against.openings[hand, suit]
    if opening != PLAY:
        return opening == SPLIT, opening == SPLIT
    act = int(against.plan.acts[MONEY_KIND, hand, 0])
    for which, special in enumerate(against.suits.hands):
        if special == hand:
            act = int(against.plan.suit_acts[MONEY_KIND, which, suit])
    return act != kernels.STAND, False


def _pot_of_gold(game: Game, best: list[Against], table: PayTable) -> dict[Outcome, float]:
    chances: dict[Outcome, float] = {}
    for against in best:
        for a, b, chance in game.first_hands(against.up.value):
            reached = chance * against.up.chance
            for tokens, part in _tokens(game, against, a, b).items():
                outcome = pot_of_gold(tokens, table)
                chances[outcome] = chances.get(outcome, 0.0) + reached * part
    return chances


def _tokens(game: Game, against: Against, a: int, b: int) -> dict[int, float]:
    """How many free bets a box comes to, from its two cards on."""
    hand = game.hands.number_of(a, b)
    if against.openings.get((hand, MIXED), PLAY) != SPLIT:
        played = {a, b} != {ACE, TEN} and against.openings.get((hand, MIXED), PLAY) == PLAY
        return {int(played and _doubles_free(game, against, MONEY_KIND, a, b)): 1.0}
    return _tokens_of_split(game, against, a)


def _doubles_free(game: Game, against: Against, kind: int, a: int, b: int) -> bool:
    hand = game.hands.number_of(a, b)
    free = not game.hands.soft[hand] and 9 <= game.hands.total[hand] <= 11
    return bool(
        game.rules.double_free and free and against.plan.acts[kind, hand, 0] == kernels.DOUBLE
    )


def _tokens_of_split(game: Game, against: Against, value: int) -> dict[int, float]:
    """By the second cards of the hands alone: each splits again, doubles free, or does neither."""
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
