"""The machine that deals at a table, with every command and event in the table's log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from cutcard.devices.card_device import CardDevice
from cutcard.devices.device import E, Status
from cutcard.devices.errors import CommandRefusedError, InFaultError
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
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.replay.role_log import CARDS

ROLE = CARDS


class Counts(NamedTuple):
    """The status of a machine that has not counted itself."""

    pack: int  # cards that belong to it
    outside: int
    boots: int  # number of starts
    last_event: int = 0  # journals of earlier programs do not have these two
    in_fault: bool = False


class TableDevice:
    """A shuffler or a shoe of a table. During a replay it is not asked.

    `counted` is the number of the event with its last complete count. Cards of earlier events are
    in that count, and earlier faults are over, because a recovery or an emptying ends each.
    """

    def __init__(self, device: CardDevice, memory: ReplayLog) -> None:
        if not device.is_logged:
            raise ValueError(
                "a table's device is opened with the log of its memory: "
                "Shuffler.open(port, log=memory.log('cards'))"
            )
        self.device = device
        self.kind = device.KIND
        self.counted = 0
        self._came_out = 0  # cards ejected in failed attempts to recover
        self._memory = memory

    def check_witness(self) -> None:
        """Compare the device's witnessed value with the journal. Raises WitnessDiffersError."""
        self._memory.log(ROLE).compare(self.device.chains())

    # Questions

    def status(self) -> Status:
        """Return its current status, for display only: no decision may depend on it."""
        return self.device.status()

    def counts(self) -> Counts:
        """Return the machine's current counts of cards, starts and events."""

        def ask() -> Counts:
            now = self.device.status()
            in_fault = now.fault is not None
            return Counts(now.pack, now.outside, now.boots, now.last_event, in_fault)

        return self._memory.ask("status", "counts", ask, list, lambda said: Counts(*said))

    def catch_up(self) -> None:
        """Wait until all events so far have arrived."""
        if not self._memory.resuming:
            self.device.status()

    # Commands

    def begin_round(self) -> None:
        """Begin a round. The device takes in the head of the journal, and is its witness."""
        log = self._memory.log(ROLE)
        self._memory.command(ROLE, lambda: self.device.begin_round(head=log.head))

    def leave_head(self) -> None:
        """Leave the head of the journal with the device, after the last round.

        The device is then the witness of that round's settlement, too.
        """
        if self._memory.resuming:
            return
        self._memory.leave_head(ROLE, self._take_head)
        self.keep_statement()

    def keep_statement(self) -> None:
        """Record the device's signed statement about its chains.

        Older firmware does not sign, and neither does a device with a called card.
        """
        log = self._memory.log(ROLE)
        if log.sent is None:
            return
        with suppress(CommandRefusedError):
            statement = self.device.signed(bytes.fromhex(self._memory.journal.hash))
            if statement is not None:
                log.keep_statement(statement)

    def finish_leaving_head(self) -> None:
        """Send that command again if a program was killed before its outcome was on record."""
        if self._memory.is_leaving_head(ROLE):
            self._memory.leave_head(ROLE, self._take_head)

    def _take_head(self) -> None:
        log = self._memory.log(ROLE)
        if log.sent is None:  # the device takes in heads of rounds only
            self.device.begin_round(head=log.head)
        else:
            self.device.end_round()

    def deal(self) -> CardDealt:
        dealt = self._memory.command(ROLE, self.device.deal)
        assert isinstance(dealt, CardDealt)
        return dealt

    def recover(self, outside: int, pack: int) -> Recovered:
        """Compare a count of the cards outside with the device's, and end the fault.

        `pack` is the number of cards that belong to the device. `came_out` of the result covers
        all attempts at this fault, also those of an earlier program.
        """
        try:
            done = self._memory.command(ROLE, lambda: self.device.recover(outside))
        except InFaultError as failed:
            self._came_out += failed.came_out
            raise
        assert isinstance(done, Recovered)
        self.counted = done.number
        earlier, self._came_out = self._came_out, 0
        return done.with_cards_out(outside, pack, earlier)

    def expected_outside(self) -> int:
        """Return the number of cards outside by the device's own count."""
        ask = self.device.status
        return self._memory.ask("status", "cards outside", lambda: ask().expected_outside)

    def unload(self) -> Unloaded:
        done = self._memory.command(ROLE, self.device.unload)
        assert isinstance(done, Unloaded)
        self.counted, self._came_out = done.number, 0
        return done

    def fill(self, decks: int, pack: int) -> Loaded:
        """Load new decks, or report them to a shoe."""
        device = self.device
        assert isinstance(device, Shuffler | Shoe)
        take_in = device.load if isinstance(device, Shuffler) else device.stack
        done = self._memory.command(ROLE, lambda: take_in(decks, pack))
        assert isinstance(done, Loaded)
        self.counted = done.number
        return done

    def cut(self, depth: int, low: int, high: int) -> None:
        """Cut the stack of a shoe, within the rulebook's bounds."""
        shoe = self._shoe()
        self._memory.command(ROLE, lambda: shoe.cut(depth, low, high))

    def place(self, depth: int, low: int, high: int) -> None:
        """Place the cutting card, which triggers a shuffle."""
        shoe = self._shoe()
        self._memory.command(ROLE, lambda: shoe.place(depth, low, high))

    def refill(self, cards: int, outside: int) -> Returned:
        """Report to an empty shoe that it contains the discards now."""
        shoe = self._shoe()
        back = self._memory.command(ROLE, lambda: shoe.refill(cards, outside))
        assert isinstance(back, Returned)
        self.counted = back.number
        return back

    def burn(self) -> Burned:
        shoe = self._shoe()
        burned = self._memory.command(ROLE, lambda: shoe.burn()[0])
        assert isinstance(burned, Burned)
        return burned

    def _shoe(self) -> Shoe:
        assert isinstance(self.device, Shoe)
        return self.device

    # Events

    def has_counted(self, event: Event) -> bool:
        """Return whether the machine has counted all of its cards since this event."""
        return event.number <= self.counted

    def heard(self) -> Iterator[Event]:
        """Yield the events that have arrived, were not handled yet and are not over."""
        for event in self._memory.look(ROLE, self._arrived):
            if not self._is_over(event):
                yield event

    def leave_behind(self) -> None:
        """Ignore all events so far: they concern cards of another table.

        A newly connected device sends all unacknowledged events, and after a power cut also
        acknowledged ones.
        """
        self._memory.leave(ROLE, self._arrived)

    def reported_fault(self) -> FaultRaised | None:
        """Take the oldest fault that has arrived and is not over; leave other events pending."""
        return self._oldest(FaultRaised)

    def reported_card(self) -> CardDealt | None:
        """Take the oldest card that has arrived; leave other events pending."""
        return self._oldest(CardDealt)

    def returned(self, seconds: float) -> FaultRaised | Returned | None:
        """Wait until discards are taken in, or for the fault that stopped this."""
        found = self._next(lambda: self.device.next_of(FaultRaised, Returned, deadline=seconds))
        assert found is None or isinstance(found, FaultRaised | Returned)
        return found

    def _arrived(self) -> Sequence[Event]:
        return list(self.device.events(deadline=0))

    def _oldest(self, kind: type[E]) -> E | None:
        found = self._next(lambda: self.device.next_of(kind, deadline=0))
        assert found is None or isinstance(found, kind)
        return found

    def _next(self, wait: Callable[[], Event | None]) -> Event | None:
        """Return the next event of `wait` that is not over."""

        def look() -> Sequence[Event]:
            event = wait()
            return [] if event is None else [event]

        while True:
            found = next(iter(self._memory.look(ROLE, look)), None)
            if found is None or not self._is_over(found):
                return found

    def _is_over(self, event: Event) -> bool:
        """Return whether this is a fault that was already ended."""
        return isinstance(event, FaultRaised) and self.has_counted(event)
