"""How fast a carousel deals, and how long a hand waits for it, on the board's own clock.

The core and the board's code run against the bench's mechanics, a millisecond at a time, and
writing flash takes its time: an erase of 45 ms with every sixteenth record, a program with each.
Nothing here depends on how fast the computer is.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from cutcard.machines import Machine, find
from firmware.tests.pin_rig import PinRig

A_ROUND = 15  # cards of three players, which come back together when the next round begins
ERASE_EVERY, ERASE, PROGRAM = 16, 45, 2  # records; milliseconds
REACTION = 40  # ms: a hand that is quicker draws two cards without a gap


def with_whole_bins(folder: Path) -> Path:
    """The file of a carousel-38 that brings out whole bins, each turn as long as it is: what was
    built before single cards."""
    written, skipped = [], False
    for line in find("carousel-38").file.read_text("utf-8").splitlines():
        if line.startswith("["):
            skipped = line.startswith(("[weights.", "[motor]", "[sound]"))
        if not skipped:
            written.append(line.replace('ejection = "single"', 'ejection = "group"'))
    made = folder / "whole-bins.toml"
    made.write_text("\n".join(written), "utf-8")
    return made


class Paced(PinRig):
    """A machine whose hand takes a card as soon as it may."""

    written = 0

    def __init__(self, root: Path, machine: Machine, decks: int) -> None:
        super().__init__(root, machine)
        self.plant.mouth.reaction = REACTION
        self.put(decks)
        self._do("load", decks=decks, pack=52)
        self.run()

    def pass_time(self, milliseconds: int) -> None:
        if milliseconds == self.erase != 0:  # asked for by a record that is written
            self.written += 1
            milliseconds = PROGRAM + (0 if self.written % ERASE_EVERY else ERASE)
        super().pass_time(milliseconds)

    def deal_one(self, not_before: int) -> int:
        """Call for a card at that time and take it; how long the gate kept the hand waiting."""
        while self.now < not_before:
            if self._once():
                self.pass_time(1)
        asked = max(self.now, not_before)
        self._do("deal", cards=1)
        while not (self.plant.mouth.gate and self.plant.supply.cards):
            self._go_on()
        waited = self.now - asked
        before = len(self.events_of("card"))
        while len(self.events_of("card")) == before:
            self._go_on()
        return waited

    def _go_on(self) -> None:
        assert not (self._once() and self.mode == "fault"), self.fault

    @property
    def now(self) -> int:
        return int(self.plant.timeline.now)

    def _do(self, name: str, **arguments: Any) -> None:
        reply = self.command(name, **arguments)
        assert reply.error == "ok", reply


def waits(machine: Machine, decks: int, cards: int, every: int = 1000) -> list[int]:
    """Milliseconds that a hand waits which wants a card so often, all cards going back."""
    waited = []
    with tempfile.TemporaryDirectory() as folder:
        rig = Paced(Path(folder) / "flash", machine, decks)
        rig.erase = ERASE
        begun = rig.now
        for card in range(cards):
            waited.append(rig.deal_one(begun + every * card))
            if card % A_ROUND == A_ROUND - 1:
                rig.return_cards()
        assert rig.fault == "none", rig.fault
    return waited


def cards_an_hour(machine: Machine, decks: int, cards: int) -> tuple[float, float]:
    """As fast as it can, round after round out and back in; and records written for each card."""
    with tempfile.TemporaryDirectory() as folder:
        rig = Paced(Path(folder) / "flash", machine, decks)
        rig.erase = ERASE
        begun, written = rig.now, rig.written
        for card in range(cards):
            rig.deal_one(0)
            if card % A_ROUND == A_ROUND - 1:
                rig.return_cards()
                while rig.plant.tray or rig.device.job is not None:
                    rig._go_on()
        assert rig.fault == "none", rig.fault
        hours = (rig.now - begun) / 3_600_000
        return cards / hours, (rig.written - written) / cards
