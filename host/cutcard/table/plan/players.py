"""Players with a simple strategy that reaches every kind of hand."""

from __future__ import annotations

from dataclasses import dataclass

from cutcard.engine.allowed import against_double, against_split
from cutcard.engine.events import Act
from cutcard.engine.state import Box, Hand, Placed, Round

ALWAYS_SPLIT = ("A", "8")
WEAK_UP_CARDS = range(2, 7)  # with one of these the dealer is more likely to bust
LONGEST_NAME = 40


def is_name(text: object) -> bool:
    """Return whether this is a valid name, for pages and terminals that show it unchanged.

    It must not change the direction of text, and must not look like another name.
    """
    named = isinstance(text, str) and text.isprintable() and text == text.strip()
    return named and 1 <= len(str(text)) <= LONGEST_NAME


@dataclass(frozen=True, slots=True)
class Player:
    """A player on a box who bets the same amount each round; amounts in cents."""

    name: str
    box: int
    wager: int
    side_wagers: tuple[tuple[str, int], ...] = ()
    manager: str = ""  # the Personal Bet Manager that pays jackpot wagers (Crown 21.6)

    def bets(self) -> list[Placed]:
        own = [Placed(self.box, self.name, "main", self.wager)]
        return own + [Placed(self.box, self.name, bet, cents) for bet, cents in self.side_wagers]


def decide(round: Round, box: Box, hand: Hand) -> Act:
    """Return the decision of the hand in turn: the rulebook's limits first, then the strategy."""
    up_card = round.dealer[0].points
    total = hand.total
    if hand.cards[0].rank in ALWAYS_SPLIT and against_split(round, box, hand) is None:
        return Act("split")
    if total.points in (10, 11) and up_card < 10 and against_double(round, box, hand) is None:
        return Act("double")
    if total.soft:
        return Act("hit" if total.points < 18 else "stand")
    enough = 13 if up_card in WEAK_UP_CARDS else 17
    return Act("hit" if total.points < enough else "stand")
