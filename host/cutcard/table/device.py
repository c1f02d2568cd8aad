"""The machine that deals at a table: every command and every event goes through the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cutcard.devices.card_device import CardDevice
from cutcard.devices.device import E, Status
from cutcard.devices.events import (
    Burned,
    CardDealt,
    Event,
    FaultRaised,
    Loaded,
    Recovered,
    Returned,
    Unloaded,
)
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.table.memory import Memory
from cutcard.table.role_log import CARDS

ROLE = CARDS


class TableDevice:
    """A shuffler or a shoe of a table. While the past is told again it is not asked anything."""

    def __init__(self, device: CardDevice, memory: Memory) -> None:
        if not device.is_logged:
            raise ValueError(
                "a table's device is opened with the log of its memory: "
                "Shuffler.open(port, log=memory.log('cards'))"
            )
        self.device = device
        self.kind = device.KIND
        self._memory = memory

    def check_witness(self) -> None:
        """Hold what the device has witnessed against the journal. Raises WitnessDiffers."""
        self._memory.log(ROLE).compare(self.device.witness())

    # Questions

    def status(self) -> Status:
        """Its state at this moment, for somebody who looks; nothing may follow from it."""
        return self.device.status()

    def counts(self) -> tuple[int, int, int]:
        """Cards that belong to it, cards outside, and how often it has started."""

        def ask() -> list[int]:
            status = self.device.status()
            return [status.pack, status.outside, status.boots]

        pack, outside, boots = self._memory.ask("status", "counts", ask)
        return pack, outside, boots

    def catch_up(self) -> None:
        """Whatever has happened by now has arrived when this returns."""
        if not self._memory.resuming:
            self.device.status()

    # Commands

    def begin_round(self) -> None:
        """The device takes the head of the journal in, and is its witness."""
        log = self._memory.log(ROLE)
        self._memory.command(ROLE, lambda: self.device.begin_round(head=log.head))

    def deal(self) -> CardDealt:
        dealt = self._memory.command(ROLE, self.device.deal)
        assert isinstance(dealt, CardDealt)
        return dealt

    def recover(self, outside: int) -> Recovered:
        done = self._memory.command(ROLE, lambda: self.device.recover(outside))
        assert isinstance(done, Recovered)
        return replace(done, came_out=max(0, done.outside - outside))

    def unload(self) -> Unloaded:
        done = self._memory.command(ROLE, self.device.unload)
        assert isinstance(done, Unloaded)
        return done

    def fill(self, decks: int, pack: int) -> Loaded:
        """Take in, or be told of, new decks."""
        device = self.device
        assert isinstance(device, Shuffler | Shoe)
        take_in = device.load if isinstance(device, Shuffler) else device.stack
        done = self._memory.command(ROLE, lambda: take_in(decks, pack))
        assert isinstance(done, Loaded)
        return done

    def cut(self, depth: int, low: int, high: int) -> None:
        """Cut the stack of a shoe; bounds by the rulebook."""
        shoe = self._shoe()
        self._memory.command(ROLE, lambda: shoe.cut(depth, low, high))

    def place(self, depth: int, low: int, high: int) -> None:
        """Place the cutting card that says when to shuffle."""
        shoe = self._shoe()
        self._memory.command(ROLE, lambda: shoe.place(depth, low, high))

    def refill(self, cards: int, outside: int) -> Returned:
        """Tell a shoe that has run empty that it has the discards now."""
        shoe = self._shoe()
        back = self._memory.command(ROLE, lambda: shoe.refill(cards, outside))
        assert isinstance(back, Returned)
        return back

    def burn(self) -> Burned:
        shoe = self._shoe()
        burned = self._memory.command(ROLE, lambda: shoe.burn()[0])
        assert isinstance(burned, Burned)
        return burned

    def _shoe(self) -> Shoe:
        assert isinstance(self.device, Shoe)
        return self.device

    # What it tells of its own accord

    def heard(self) -> Sequence[Event]:
        """Everything that has arrived and was not handled yet."""
        return self._memory.look(ROLE, lambda: list(self.device.events(deadline=0)))

    def fault_told(self) -> FaultRaised | None:
        """The oldest fault that has arrived; everything else stays."""
        return self._oldest(FaultRaised)

    def card_told(self) -> CardDealt | None:
        """The oldest card that has arrived; everything else stays."""
        return self._oldest(CardDealt)

    def returned(self, seconds: float) -> FaultRaised | Returned | None:
        """Wait for discards to be in, or for the fault that stopped them."""

        def look() -> Sequence[Event]:
            event = self.device.next_of(FaultRaised, Returned, deadline=seconds)
            return [] if event is None else [event]

        found = next(iter(self._memory.look(ROLE, look)), None)
        assert found is None or isinstance(found, FaultRaised | Returned)
        return found

    def _oldest(self, kind: type[E]) -> E | None:
        def look() -> Sequence[Event]:
            event = self.device.next_of(kind, deadline=0)
            return [] if event is None else [event]

        found = next(iter(self._memory.look(ROLE, look)), None)
        assert found is None or isinstance(found, kind)
        return found
