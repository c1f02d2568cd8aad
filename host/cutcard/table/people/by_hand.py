"""The people at real devices, asked at the terminal: you clear, count, inspect and answer."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from cutcard.cards import Card
from cutcard.table.display_names import words
from cutcard.table.jackpot.button import ButtonPress
from cutcard.table.machine.floor import MISMATCH, Attempt, RulingPreferences
from cutcard.table.people.terminal import Terminal


class HandFloor(RulingPreferences):
    """The person at a real machine: you."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def clear(self, fault: str, attempt: Attempt) -> int:
        typer.echo(f"The machine stopped: {words(fault)}. Remove the cause and shut the door.")
        return self._count(attempt)

    def find_missing(self, attempt: Attempt) -> int:
        typer.echo("Look again, under the table too.")
        return self._count(attempt)

    def _count(self, attempt: Attempt) -> int:
        typer.echo(str(attempt))
        return self.terminal.number("Cards not in the machine (table, tray, hand)")

    def lay_aside(self, cards: int) -> None:
        typer.echo(f"Put the {cards} ejected by the machine face down next to the discards.")
        self.terminal.line("They are returned with the discards; press Enter")

    def read_card(self) -> Card | None:
        asked = "The last drawn card, such as Th (Enter: not a card of this pack)"
        return self.terminal.card_or_none(asked)

    def read_face_up(self) -> Card:
        return self.terminal.card("The face-up card, such as Th")

    def disclosed(self, cards: Sequence[Card]) -> tuple[int, ...]:
        names = ", ".join(f"{number} {card}" for number, card in enumerate(cards, start=1))
        asked = f"Numbers of the cards that were seen ({names}; Enter: no cards)"
        return self.terminal.ask(asked, lambda said: _numbers(said, len(cards)))

    def inspect(self, pack: int) -> str:
        """Have all cards counted, without showing the expected number before the last attempt."""
        typer.echo("All cards are out. Count them and look at each.")
        attempt = Attempt()
        while (found := self._all_cards(attempt, pack)) != pack:
            if attempt.is_last:
                return "missing" if found < pack else "extra"
            attempt = Attempt(attempt.number + 1, MISMATCH)
        is_foreign = self.terminal.yes("Is one of them foreign or damaged?")
        return "foreign" if is_foreign else ""

    def _all_cards(self, attempt: Attempt, pack: int) -> int:
        known = f" There should be {pack}." if attempt.is_last else ""
        typer.echo(f"{attempt}{known}")
        return self.terminal.number("Cards in all")

    def renew(self, decks: int, pack: int) -> bool:
        return self.terminal.yes(f"Put {decks} new decks of {pack} in. Done?")

    def shuffle(self, decks: int, pack: int) -> bool:
        return self.terminal.yes(f"Shuffle all {decks * pack} and put them into the shoe. Done?")

    def riffle(self, cards: int) -> bool:
        typer.echo(f"The shoe is empty. Shuffle the {cards} discards, have them cut, put them in.")
        return self.terminal.yes("Done?")

    def bring_back(self) -> None:
        self.terminal.line("Put the discards into the tray and press Enter")


class HandButton:
    """The people at the button of a real controller: you enter who pressed it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def press(self, place: int, player: str) -> ButtonPress:
        typer.echo(f"The button of table {place} is lit for {player}.")
        who = self.terminal.line(f"Pressed by (Enter: {player}; -: fired by itself)")
        if who in ("", player):
            return ButtonPress(player)
        if who == "-":
            return ButtonPress(None)
        return ButtonPress(who, nominated=self.terminal.yes(f"Had {player} asked {who} to?"))

    def press_without_offer(self, place: int) -> tuple[str, int] | None:
        typer.echo(f"The dark button of table {place} was pressed: no prize was drawn.")
        who = self.terminal.line("Pressed by (Enter: unknown)")
        return (who, self.terminal.number("At which box")) if who else None

    def mend(self, place: int, fault: str) -> bool:
        what = words(fault) if fault else "out of order"
        return self.terminal.yes(f"The controller of table {place}: {what}. Is it repaired?")


def _numbers(said: str, most: int) -> tuple[int, ...]:
    known = {str(number): number for number in range(1, most + 1)}
    if unknown := [each for each in said.split() if each not in known]:
        raise ValueError(f"there is no {unknown[0]}: type numbers from 1 to {most}")
    return tuple(sorted({known[each] for each in said.split()}))
