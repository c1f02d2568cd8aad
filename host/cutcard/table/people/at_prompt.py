"""You at the terminal, for all people at the table: decisions, options, late wagers, rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import partial

import typer

from cutcard.bench.client import Bench
from cutcard.cards import parse_cards
from cutcard.columns import wrapped
from cutcard.engine.choices import PLAYER, Choice, Option
from cutcard.engine.events import LATE, Act, Ruling
from cutcard.engine.obligations import ways
from cutcard.engine.state import Box, Hand, Round
from cutcard.table.display_names import job, words
from cutcard.table.machine.floor import BenchFloor, ruling_for
from cutcard.table.people.by_hand import HandFloor
from cutcard.table.people.ruling_details import takes_dealers_cards, void_places
from cutcard.table.people.terminal import Terminal
from cutcard.untrusted import whole_number

HOW_LATE = "type it as in: wager Ana 1 20, or wager Ana 1 5 any-pair"


class PlayersAtPrompt:
    """The players' decisions, typed by you."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def decide(self, round: Round, box: Box, hand: Hand) -> Act:
        """Return the decision of the hand in turn, or a wager made now."""
        open_ = {act.kind: act for act in ways(round)}
        typer.echo(f"Box {box.place_of(hand)}: {_cards(round, hand)}")
        return self.terminal.ask(f"  {', '.join(open_)}", lambda said: _decided(said, open_))

    def consider(self, round: Round, act: Act) -> bool:
        """Return whether a player takes an option: insurance, surrender, and similar."""
        box = round.boxes[act.box or 0]
        typer.echo(f"Box {act.box}, {act.player}: {_cards(round, box.hands[0])}")
        whose = f" for {act.for_player}" if act.for_player else ""
        return self.terminal.yes(f"  {' '.join(filter(None, (act.kind, act.bet)))}{whose}?")

    def agree(self, round: Round, players: Sequence[str], act: Act) -> str:
        """Return the player among equal claims who takes an option; "" without an agreement."""
        names = ", ".join(players)
        asked = f"  Insured by, for box {act.box} (Enter: no agreement): {names}"
        return self.terminal.one_of(asked, [*players, ""])


class RulesAtPrompt:
    """Rulings typed by you. A person who need not rule may stay silent."""

    terminal: Terminal

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        if not (choice.required or choice.holds):
            return None
        kind = words(choice.irregularity.kind)
        typer.echo(f"To be ruled on: {kind}. The machine {'works' if machine_goes else 'is out'}.")
        for number, option in enumerate(choice.options, start=1):
            typer.echo("\n".join(wrapped(f"  {number}  {_shown(round, option)}", later=" " * 5)))
        silence = "" if choice.required else " (Enter: no ruling)"
        option_ = self.terminal.ask(
            f"  Which, by its number{silence}",
            lambda said: _option(said, choice),
        )
        return (
            None if option_ is None else self._completed(round, ruling_for(round, choice, option_))
        )

    def _completed(self, round: Round, ruling: Ruling) -> Ruling:
        """Ask for the void hands, if the device does not know them, and for the dealer's cards."""
        if ruling.kind == "void-hands" and not ruling.hands:
            asked = "  Void hands, as in: 1 2.1 dealer"
            ruling = replace(ruling, hands=self.terminal.ask(asked, partial(void_places, round)))
        if takes_dealers_cards(round, ruling.kind):
            asked = "  Cards that the dealer's hand keeps, as in: 9s Kd (Enter: as the rule has it)"
            ruling = replace(ruling, dealer=tuple(self.terminal.ask(asked, parse_cards)))
        return ruling


class PromptBenchFloor(RulesAtPrompt, BenchFloor):
    """The machine is a bench, which is cleared and counted by itself; you rule."""

    def __init__(self, bench: Bench, terminal: Terminal) -> None:
        super().__init__(bench)
        self.terminal = terminal


class PromptHandFloor(RulesAtPrompt, HandFloor):
    """A real machine; you clear, count and rule."""


def _decided(said: str, open_: dict[str, Act]) -> Act:
    if said.split()[:1] == [LATE]:
        return _late(said.split()[1:])
    meant = [kind for kind in open_ if said and kind.startswith(said.lower())]
    if len(meant) != 1:
        raise ValueError(f"use one of {', '.join(open_)} (the first letters are enough)")
    return open_[meant[0]]


def _late(said: list[str]) -> Act:
    """Return a wager after the first card, from its words."""
    try:
        player, box, amount, *bet = said
        cents, place = Decimal(amount) * 100, whole_number(box)
        if len(bet) > 1 or place is None or not 0 < cents <= 10**9 or cents % 1:
            raise ValueError
    except (ValueError, InvalidOperation):
        raise ValueError(HOW_LATE) from None
    return Act(LATE, box=place, player=player, amount=int(cents), bet=bet[0] if bet else None)


def _shown(round: Round, option: Option) -> str:
    by = "the player" if option.by == PLAYER else job(option.by or round.book.roles[-1])
    rules = option.rules_now(round)
    cited = f" [{', '.join(rules)}]" if rules else ""
    return f"{words(option.ruling)}, by {by}{cited}"


def _option(said: str, choice: Choice) -> Option | None:
    if not said and not choice.required:
        return None
    number = whole_number(said)
    if number is None or not 1 <= number <= len(choice.options):
        raise ValueError(f"type a number from 1 to {len(choice.options)}")
    return choice.options[number - 1]


def _cards(round: Round, hand: Hand) -> str:
    return f"{' '.join(map(str, hand.cards))} ({hand.total}), dealer {round.dealer[0]}"
