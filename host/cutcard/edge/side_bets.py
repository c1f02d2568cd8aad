"""The exact house edge of a side wager, for each pay table, number of decks and game.

The edge is the house's share of each dollar staked on a fresh shoe. If a wager also depends on its
owner's later play, `assuming` is the assumption.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from cutcard.edge import dealer_hands, first_cards
from cutcard.edge.decimals import rounded
from cutcard.edge.prize_tables import prize_figures
from cutcard.engine.side_wagers import blackpot
from cutcard.engine.side_wagers.decide import VisibleCards, decide, reads_dealers_card
from cutcard.rulebooks import open_rulebook
from cutcard.rulebooks.book import Source, contents
from cutcard.rulebooks.side_wagers.catalogue import PayColumn, SideWager
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

NOT_ENUMERATED = {
    "pot-of-gold": "hangs on how the box is played, not on its first cards",
}


@dataclass(frozen=True, slots=True)
class WinningRow:
    """A winning row: its probability and its payment."""

    hand: str
    odds: Fraction
    chance: Fraction


@dataclass(frozen=True, slots=True)
class SideEdge:
    """The house edge of a side wager at one kind of table.

    For a wager with meters the edge leaves them out, and `break_even` is the meter, for each $1 of
    the wager, at which the house has no edge; None without such a meter.
    """

    bet: str
    choice: str
    decks: int
    pack: int
    soft_17: str
    assuming: str
    edge: Fraction
    rows: tuple[WinningRow, ...]
    printed: str | None
    break_even: Fraction | None = None

    @property
    def without_meter(self) -> str:
        """Return a note that the edge leaves a meter out, with its break-even amount; else ""."""
        if self.break_even is None:
            return ""
        return f"without the meter; it breaks even at ${rounded(self.break_even, 2)} a dollar"


@dataclass(frozen=True, slots=True)
class _VariantRules:
    """The properties of a variant that affect a side wager."""

    pack: int
    soft_17: str


def side_edges(
    rulebook: Source, bet: str, decks: int | None = None, own: SideWager | None = None
) -> Iterator[SideEdge]:
    """Yield the edges of a bet under every pay table of the rulebook, by decks and game.

    `own` is the same bet with house odds.
    """
    allowed: list[int] = open_rulebook(rulebook)["cards.decks"].value
    wanted = {decks} if decks else set(allowed)
    if bet == "insurance":
        for number in sorted(wanted & set(allowed)):
            yield from _insurance(rulebook, number)
    elif bet not in NOT_ENUMERATED:
        wager = own or contents(rulebook).bets[bet]
        for column in wager.columns:
            for number in sorted(wanted & set(column.decks or allowed)):
                for game in _games(rulebook, wager, column):
                    yield from _edges(wager, column, number, game)


def _insurance(rulebook: Source, decks: int) -> Iterator[SideEdge]:
    """Yield the edge of insurance if the player knows only the dealer's ace, for each pack."""
    rules = [open_rulebook(rulebook, (variant,)) for variant in contents(rulebook).variants]
    for pack in sorted({book["cards.pack"].value for book in rules}, reverse=True):
        tens = 4 * decks * (4 if pack == 52 else 3)
        odds = rules[0]["insurance.wins"].odds
        row = WinningRow("ten", odds, Fraction(tens, decks * pack - 1))
        yield SideEdge(
            bet="insurance",
            choice="",
            decks=decks,
            pack=pack,
            soft_17="",
            assuming="only the dealer's ace is known",
            edge=1 - (1 + odds) * row.chance,
            rows=(row,),
            printed=None,
        )


def _games(rulebook: Source, wager: SideWager, column: PayColumn) -> list[_VariantRules]:
    """Return the kinds of game that make a difference: the pack, and for the dealer's hand soft
    17."""
    variants = [
        variant
        for variant in contents(rulebook).variants
        if wager.variants is None or variant in wager.variants[0]
    ]
    games: dict[_VariantRules, None] = {}
    for variant in variants:
        rules = open_rulebook(rulebook, (variant,))
        pack = rules["cards.pack"].value
        soft_17 = rules["dealer.soft_17"].value if wager.settles == "dealer-hand" else ""
        if column.pack in (None, pack):
            games[_VariantRules(pack, soft_17)] = None
    return list(games)


def _edges(
    wager: SideWager, column: PayColumn, decks: int, game: _VariantRules
) -> Iterator[SideEdge]:
    table = wager.pay_table(column.choice, decks, game.pack)
    if wager.settles == "dealer-hand":
        chances = dealer_hands.outcomes(wager.bet, table, decks, game.pack, game.soft_17 == "draw")
        yield _figures(wager, column, decks, game, chances, "the dealer's hand is completed")
    elif wager.settles == "blackpot":
        yield _blackpot(wager, column, decks, game)
    elif wager.settles == "third-card":
        for drawn in (True, False):
            chances = first_cards.outcomes(
                partial(decide, wager.bet, table), decks, game.pack, third_card=drawn
            )
            assuming = "a third card is drawn" if drawn else "no third card is drawn"
            yield _figures(wager, column, decks, game, chances, assuming)
    else:
        chances = first_cards.outcomes(
            partial(decide, wager.bet, table),
            decks,
            game.pack,
            dealers_card=reads_dealers_card(wager.bet),
        )
        assuming = "no winnings are left riding" if wager.riding else ""
        yield _figures(wager, column, decks, game, chances, assuming)


def _figures(
    wager: SideWager,
    column: PayColumn,
    decks: int,
    game: _VariantRules,
    chances: Mapping[WagerOutcome, Fraction],
    assuming: str,
) -> SideEdge:
    rows = tuple(_rows(column, chances))
    edge = 1 - sum(((1 + row.odds) * row.chance for row in rows), Fraction(0))
    metered = sum(
        (
            chance * wager.meter_share[outcome.hand].share
            for outcome, chance in chances.items()
            if outcome.hand in wager.meter_share
        ),
        Fraction(0),
    )
    return SideEdge(
        bet=wager.bet,
        choice=column.choice,
        decks=decks,
        pack=game.pack,
        soft_17=game.soft_17,
        assuming=assuming,
        edge=edge,
        rows=rows,
        printed=wager.printed_edge.get(decks, wager.printed_edge.get(0)),
        break_even=edge / metered if metered else None,
    )


def _rows(column: PayColumn, chances: Mapping[WagerOutcome, Fraction]) -> Iterator[WinningRow]:
    for outcome, chance in sorted(chances.items(), key=lambda item: item[1]):
        if outcome.odds is None:
            continue
        odds = prize_figures(column.prizes).mean if column.prizes.chances else outcome.odds
        yield WinningRow(outcome.hand, odds, chance)


def _blackpot(wager: SideWager, column: PayColumn, decks: int, game: _VariantRules) -> SideEdge:
    """Return the edge of Blackpot: four payments over two rounds, each from a fresh shoe.

    The stake ends with the first miss.
    """
    table = wager.pay_table(column.choice, decks, game.pack)
    two, three = blackpot_chances(table, decks, game.pack)
    ways = {
        "initial-deal": two,
        "subsequent-deal": three,
        "ensuing-initial-deal": three * two,
        "ensuing-subsequent-deal": three * three,
    }
    rows = tuple(WinningRow(hand, table.odds[hand], chance) for hand, chance in ways.items())
    stake_lost = 1 - ways["ensuing-subsequent-deal"]
    return SideEdge(
        bet=wager.bet,
        choice=column.choice,
        decks=decks,
        pack=game.pack,
        soft_17="",
        assuming="a third card is drawn, the wager is carried, and no maximum payout",
        edge=stake_lost - sum((row.odds * row.chance for row in rows), Fraction(0)),
        rows=rows,
        printed=None,
    )


def blackpot_chances(table: PayTable, decks: int, pack: int) -> tuple[Fraction, Fraction]:
    """Return the probabilities that two cards are two of 6, 7, 8, and that a third completes
    them."""
    return (
        _chance_to_win(partial(_blackpot_at_two, table), decks, pack),
        _chance_to_win(partial(_blackpot_at_three, table), decks, pack),
    )


def _blackpot_at_two(table: PayTable, sight: VisibleCards) -> WagerOutcome | None:
    return blackpot.initial_deal(sight.box, table) if len(sight.box) == 2 else None


def _blackpot_at_three(table: PayTable, sight: VisibleCards) -> WagerOutcome | None:
    if len(sight.box) < 2:
        return None
    first = blackpot.initial_deal(sight.box, table)
    return blackpot.subsequent_deal(sight.box, table) if first.wins else first


def _chance_to_win(evaluate: first_cards.Evaluate, decks: int, pack: int) -> Fraction:
    chances = first_cards.outcomes(evaluate, decks, pack)
    return sum((chance for outcome, chance in chances.items() if outcome.wins), Fraction(0))
