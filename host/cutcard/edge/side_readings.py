"""Doubtful rules of side wagers: the edge in both readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from cutcard.cards import RANKS, Card
from cutcard.edge import first_cards
from cutcard.edge.side_bets import blackpot_chances, side_edges
from cutcard.engine.side_wagers.decide import VisibleCards, decide
from cutcard.rulebooks.book import contents
from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.side_wagers.pay_table import PayTable, WagerOutcome

DECKS = 6
CROWN, BRITISH = "crown-melbourne-26", "uk-blackjack"


@dataclass(frozen=True, slots=True)
class SideReading:
    """One side wager, with six decks, in a reading and in its other way."""

    reading: str
    otherwise: str
    rulebook: str
    bet: str
    choice: str
    as_read: Fraction
    other: Fraction


def side_readings() -> Iterator[SideReading]:
    """Yield every side wager whose figure depends on a reading, by pay scale."""
    yield from _magnificent_sevens()
    yield from _blackpot()
    yield from _perfect_pairs()


def _magnificent_sevens() -> Iterator[SideReading]:
    """The next card to the box counts, whether two sevens are split, doubled or drawn to."""
    wager = contents(CROWN).bets["magnificent-sevens"]
    otherwise = "two sevens of one suit pay as such only with a third card of that suit"
    doubted = reading("magnificent-two-sevens")

    def strictly(table: PayTable, sight: VisibleCards) -> WagerOutcome | None:
        outcome = decide(wager.bet, table, sight)
        if outcome is not None and doubted in outcome.rules:
            return table.pays("two-sevens")
        return outcome

    for edge in side_edges(CROWN, wager.bet, DECKS):
        if edge.assuming == "a third card is drawn":
            table = wager.pay_table(edge.choice, DECKS, edge.pack)
            chances = first_cards.outcomes(partial(strictly, table), DECKS, edge.pack)
            paid = sum(
                (1 + outcome.odds) * chance
                for outcome, chance in chances.items()
                if outcome.odds is not None
            )
            bet = f"{wager.bet}, pack of {edge.pack}"
            yield SideReading(
                reading="magnificent-two-sevens",
                otherwise=otherwise,
                rulebook=CROWN,
                bet=bet,
                choice=edge.choice,
                as_read=edge.edge,
                other=1 - Fraction(paid),
            )


def _blackpot() -> Iterator[SideReading]:
    """Yield Blackpot with a run of 6-7-8 that never ends by itself: the stake remains until a card
    misses."""
    wager = contents(CROWN).bets["blackpot"]
    for edge in side_edges(CROWN, wager.bet, DECKS):
        table = wager.pay_table(edge.choice, DECKS, edge.pack)
        two, three = blackpot_chances(table, DECKS, edge.pack)
        odds = table.odds
        ensuing = odds["ensuing-initial-deal"] * two + odds["ensuing-subsequent-deal"] * three
        first = odds["initial-deal"] * two + odds["subsequent-deal"] * three
        yield SideReading(
            reading="blackpot-ends",
            otherwise="a carried wager that completes 6-7-8 stays for yet another round",
            rulebook=CROWN,
            bet=f"{wager.bet}, pack of {edge.pack}",
            choice=edge.choice,
            as_read=edge.edge,
            other=1 - first - three * ensuing / (1 - three),
        )


def _perfect_pairs() -> Iterator[SideReading]:
    wager = contents(BRITISH).bets["perfect-pairs"]

    def by_value(table: PayTable, sight: VisibleCards) -> WagerOutcome | None:
        if len(sight.box) < 2:
            return None
        one, two = (Card(RANKS[card.points - 1], card.suit) for card in sight.box)
        return decide(wager.bet, table, VisibleCards(box=(one, two)))

    for edge in side_edges(BRITISH, wager.bet, DECKS):
        table = wager.pay_table(edge.choice, DECKS, edge.pack)
        chances = first_cards.outcomes(partial(by_value, table), DECKS, edge.pack)
        paid = sum(
            (1 + outcome.odds) * chance
            for outcome, chance in chances.items()
            if outcome.odds is not None
        )
        yield SideReading(
            reading="same-value",
            otherwise="any two cards that count ten are a pair",
            rulebook=BRITISH,
            bet=wager.bet,
            choice=edge.choice,
            as_read=edge.edge,
            other=1 - Fraction(paid),
        )
