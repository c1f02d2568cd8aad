"""Players with a simple strategy: enough to bring a table to every kind of hand."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from cutcard.engine.allowed import against_double, against_split
from cutcard.engine.events import Act
from cutcard.engine.obligations import ways
from cutcard.engine.state import Box, Hand, Placed, Round

ALWAYS_SPLIT = ("A", "8")
WEAK_UP_CARDS = range(2, 7)  # with one of these the dealer is the likelier to bust


@dataclass(frozen=True, slots=True)
class Player:
    """A player on a box who bets the same amount each round; amounts in cents."""

    name: str
    box: int
    wager: int
    side_wagers: tuple[tuple[str, int], ...] = ()

    def bets(self) -> list[Placed]:
        own = [Placed(self.box, self.name, "main", self.wager)]
        return own + [Placed(self.box, self.name, bet, cents) for bet, cents in self.side_wagers]


def decide(round: Round, box: Box, hand: Hand) -> Act:
    """The decision of the hand in turn: the rulebook's limits first, then the strategy."""
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


def decide_at_prompt(round: Round, box: Box, hand: Hand) -> Act:
    """The decision of a person at the terminal, for the hand in turn."""
    open_ = {act.kind: act for act in ways(round)}
    names = ", ".join(open_)
    typer.echo(f"Box {box.place_of(hand)}: {_cards(round, hand)}")
    while True:
        said = typer.prompt(f"  {names}").strip().lower()
        meant = [kind for kind in open_ if said and kind.startswith(said)]
        if len(meant) == 1:
            return open_[meant[0]]
        typer.echo(f"  say one of {names} (the first letters will do)")


def consider_at_prompt(round: Round, act: Act) -> bool:
    """Whether a person at the terminal takes an option: insurance, surrender, and the like."""
    box = round.boxes[act.box or 0]
    typer.echo(f"Box {act.box}, {act.player}: {_cards(round, box.hands[0])}")
    what = " ".join(filter(None, (act.kind, act.bet)))
    return typer.confirm(f"  {what}?", default=False)


def _cards(round: Round, hand: Hand) -> str:
    return f"{' '.join(map(str, hand.cards))} ({hand.total}), dealer {round.dealer[0]}"
