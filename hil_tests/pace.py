"""Measure a carousel's dealing speed and a hand's waiting time by the board's own clock.

The core and the board's code run with the bench's mechanics in steps of a millisecond, and flash
writes take time: an erase of 45 ms for every sixteenth record, a program for each. The speed of
this computer does not matter.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from cutcard.machines import Machine, find
from firmware.tests.pin_rig import PinRig

A_ROUND = 15  # cards of three players, returned together when the next round begins
ERASE_EVERY, ERASE, PROGRAM = 16, 45, 2  # records; milliseconds
REACTION = 40  # ms: a quicker hand draws two cards without a gap


def with_whole_bins(folder: Path) -> Path:
    """Return the file of a carousel-38 that ejects full bins with turns of normal length.

    This was the design before single cards.
    """
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
    """A machine whose hand takes each card as soon as possible."""

    written = 0

    def __init__(self, root: Path, machine: Machine, decks: int) -> None:
        super().__init__(root, machine)
        self.plant.mouth.reaction = REACTION
        self.put(decks)
        self._do("load", decks=decks, pack=52)
        self.run()

    def pass_time(self, milliseconds: int) -> None:
        if milliseconds == self.erase != 0:  # requested by a record that is written
            self.written += 1
            milliseconds = PROGRAM + (0 if self.written % ERASE_EVERY else ERASE)
        super().pass_time(milliseconds)

    def deal_one(self, not_before: int) -> int:
        """Call for a card at `not_before`, take it, and return how long the gate kept the hand
        waiting."""
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
    """Return waiting times in milliseconds of a hand that wants a card every `every` ms.

    All cards are returned.
    """
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
    """Return the cards an hour, dealt and returned without pause, and the records written per
    card."""
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
