"""A live table with a real controller or a prize meter, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from cutcard.bench.client import Bench
from cutcard.bench.plant.panel import PRESS
from cutcard.devices.controller import Controller
from cutcard.engine.state import Placed
from cutcard.prizes.draw import Draw
from cutcard.prizes.verify import verify
from cutcard.table.jackpot.button import BenchButton, ButtonPress, JackpotButton
from cutcard.table.replay.replay_log import ReplayLog
from hil_tests.live_rounds.live_table import Evening, Filled

PLACE = 2  # the second of the four tables of the controller


class ScriptedButton(BenchButton):
    """A button pressed as scripted; without a script, the player offered the button presses it.

    `before` runs once, when the button is offered.
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.script: list[ButtonPress] = []
        self.before: Callable[[], object] | None = None
        self.in_the_dark: tuple[str, int] | None = None
        self.offered: list[str] = []
        self.hopeless = False  # no repair succeeds
        self.held = PRESS

    def press(self, place: int, player: str) -> ButtonPress:
        self.offered.append(player)
        if self.before is not None:
            happens, self.before = self.before, None
            happens()
        self.bench.do("press", table=place, held=self.held)
        self.bench.settle()
        return self.script.pop(0) if self.script else ButtonPress(player)

    def press_without_offer(self, place: int) -> tuple[str, int] | None:
        return self.in_the_dark

    def mend(self, place: int, fault: str) -> bool:
        return not self.hopeless and super().mend(place, fault)


@dataclass
class ButtonTable:
    """One table of one rulebook, one of four at a controller."""

    evening: Evening
    controller: Controller
    bench: Bench
    people: ScriptedButton
    bet: str
    button: JackpotButton = field(repr=False)

    def bets(self, cents: int = 500, **boxes: int) -> list[Placed]:
        """Return jackpot wagers: Ana=1 is Ana's wager on the first box."""
        return [Placed(box, player, self.bet, cents) for player, box in boxes.items()]

    def won(self, player: str) -> int:
        """Return the player's jackpot winnings, in cents."""
        return sum(
            line.net
            for line in self.evening.outcome
            if line.key.player == player and line.key.bet == self.bet
        )

    def cited(self, player: str) -> set[str]:
        return {
            rule
            for line in self.evening.outcome
            if line.key.player == player and line.key.bet == self.bet
            for rule in line.rules
        }

    def draws(self) -> list[Draw]:
        """Return the controller's draws in the journal, verified with the journal's key of the
        controller."""
        draws = [Draw.from_json(record) for record in self.evening.records("draw")]
        public = bytes.fromhex(self.evening.records("key")[0]["public"])
        assert public == self.controller.identity().public_key
        if draws:
            found = verify(draws, public)
            assert found.ok, found.problems
        return draws

    def end(self) -> None:
        """Check the balance, and close the devices."""
        try:
            self.evening.check()
            self.draws()
        finally:
            self.evening.close()
            self.controller.close()
            assert self.bench.status()["crashes"] == 0


def button_table(
    bench: Bench,
    cards: Bench,
    rulebook: str,
    bet: str,
    choice: str,
    folder: Path,
    filled: Filled | None,
) -> ButtonTable:
    people = ScriptedButton(bench)
    buttons: list[JackpotButton] = []

    def equip(memory: ReplayLog) -> list[JackpotButton]:
        buttons.append(JackpotButton(opened_controller(bench, memory), PLACE, bet, people))
        return buttons

    variant = "crown-pontoon" if rulebook == "crown-melbourne-26" else "blackjack"
    offers = {bet: choice}
    evening = Evening(cards, rulebook, folder, 4, variant, equip, filled, offers=offers)
    return ButtonTable(evening, buttons[0].controller, bench, people, bet, buttons[0])


def opened_controller(bench: Bench, memory: ReplayLog) -> Controller:
    """Open the controller of a table as tables do."""
    chance = Random(1).randbytes
    return Controller.open(
        bench.port, key=bench.key, randomness=chance, log=memory.log("controller")
    )
