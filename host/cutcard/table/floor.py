"""The people around a table: they clear the machine, count cards, bring discards back, and rule."""

from __future__ import annotations

from typing import Protocol

import typer

from cutcard.bench.client import Bench
from cutcard.engine.choices import PLAYER, Choice, Option
from cutcard.engine.events import Ruling
from cutcard.engine.state import DEALER, Round

# What these people prefer where the rulebook leaves it to them: that play goes on.
PREFERRED = ("continue", "choose", "accept", "stay", "burn", "reconstruct", "void-hands")


class Floor(Protocol):
    """Whoever stands at the machine."""

    def clear(self, fault: str) -> int:
        """Remove the cause of a fault; the number of cards that are not in the machine."""

    def find_missing(self) -> int:
        """Look for cards that a count missed; the number not in the machine, once more."""

    def bring_back(self) -> None:
        """Put the discards into the tray."""


class BenchFloor:
    """On the bench a person's words do it, and the person can see every card."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def clear(self, fault: str) -> int:
        self.bench.do("clear")
        self.bench.do("door", how="close")
        self.bench.do("noise", how="good")
        self.bench.settle()
        return self.outside()

    def find_missing(self) -> int:
        """A card in somebody's pocket is laid on the table."""
        pocketed = len(self.bench.cards().get("pocket", ()))
        if pocketed:
            self.bench.do("take", where="pocket", count=pocketed, to="outside")
        return self.outside()

    def bring_back(self) -> None:
        self.bench.return_cards()

    def outside(self) -> int:
        places = self.bench.cards()
        return sum(
            card["card"] != "cutting"
            for name in ("outside", "tray")
            for card in places.get(name, ())
        )


class HandFloor:
    """At a board on a cable it is you."""

    def clear(self, fault: str) -> int:
        typer.echo(f"The machine stopped: {fault}. Remove the cause and shut the door.")
        return int(typer.prompt("Cards not in the machine (table, tray, hand)", type=int))

    def find_missing(self) -> int:
        typer.echo("The count does not come out. Look again, under the table too.")
        return int(typer.prompt("Cards not in the machine", type=int))

    def bring_back(self) -> None:
        typer.prompt("Put the discards into the tray and press Enter", default="")


def rule(round: Round, choice: Choice) -> Ruling:
    """The ruling these people give: the first they prefer among those the rulebook leaves open."""
    options = [option for option in choice.options if _fits(choice, option)]
    option = min(options or choice.options, key=_preference)
    by = None if option.by == PLAYER else option.by or round.book.roles[-1]
    player = _who(round, option) if option.by == PLAYER else None
    return Ruling(
        option.ruling,
        by=by,
        hands=choice.fault.hands if option.ruling == "void-hands" else (),
        chosen=(1,) if option.ruling == "choose" else (),
        player=player,
    )


def _fits(choice: Choice, option: Option) -> bool:
    """A hand can be voided only where the hands that suffered are players' hands."""
    return option.ruling != "void-hands" or DEALER not in choice.fault.hands


def _preference(option: Option) -> int:
    known = option.ruling in PREFERRED
    return PREFERRED.index(option.ruling) if known else len(PREFERRED)


def _who(round: Round, option: Option) -> str | None:
    if option.players:
        return option.players[0]
    return next(iter(round.placed)).player if round.placed else None
