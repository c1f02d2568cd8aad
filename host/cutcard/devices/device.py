"""The common part of all device drivers."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import ClassVar, Self, TypeVar

from cutcard.devices import ports
from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import InFaultError, NotInTimeError
from cutcard.devices.events import (
    Burned,
    CardDealt,
    CuttingCard,
    Event,
    FaultRaised,
    LastCard,
    Loaded,
    PrizeDrawn,
    Returned,
)
from cutcard.devices.handshake import RETRY_SECONDS, Randomness, Welcome
from cutcard.devices.keys import DeviceKey, KeyStore
from cutcard.devices.laboratory import Laboratory
from cutcard.devices.log import DeviceLog, warn_without_log
from cutcard.devices.wire import Tap
from cutcard.faults import fault_name
from cutcard_firmware.core.schema import messages

TALK_SECONDS = 5.0  # for a question or a command
OPEN_SECONDS = 10.0  # for a line, a handshake and the state of the device
HAND_SECONDS = 60.0  # for a person to draw a card or press a button

# A device in a fault reports no event of these types.
OF_WORK = (Loaded, CardDealt, Returned, Burned, CuttingCard, LastCard, PrizeDrawn)
# of a controller; the detail of these faults is the table
AT_ONE_TABLE = ("display-failed", "button-stuck")

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Status:
    """A device's own report of its state. It has counts, never the order of cards."""

    mode: str
    fault: str | None
    detail: int
    pack: int  # cards that belong to the machine; 0 for a controller
    inside: int
    outside: int
    ready: int  # of the cards inside: within reach of the hand; of a controller: tables with prizes
    armed: int  # called for and not drawn yet; of a controller: buttons on offer
    last_event: int
    last_command: int
    boots: int

    @property
    def expected_outside(self) -> int:
        """The number of cards outside that a count must find: the pack less the cards inside.

        In a fault, `outside` may hold a wrong number that a person counted.
        """
        return self.pack - self.inside


@dataclass(frozen=True, slots=True)
class Counters:
    """Frames refused by a device since its start, and its work.

    The work is cards, or at a controller presses and draws.
    """

    crc: int
    forged: int
    replayed: int
    malformed: int
    free_heap: int
    largest_block: int  # bytes of the largest free block: a power of two, 4096 at most
    cards_in: int
    cards_out: int


class Device:
    """The base of all devices; a context manager that closes the port.

    Every call has one overall deadline in seconds on this computer's clock. Within it, lost
    replies, unplugged cables and resets are recovered silently; other failures raise a DeviceError
    with a hint. A device must be used by one thread only.
    """

    KIND: ClassVar[str]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @classmethod
    def open(
        cls,
        port: str,
        *,
        after: int | None = None,
        record: Callable[[Event], None] | None = None,
        keys: KeyStore | None = None,
        key: bytes | None = None,
        deadline: float = OPEN_SECONDS,
        randomness: Randomness = secrets.token_bytes,
        retry: float = RETRY_SECONDS,
        tap: Tap | None = None,
        acknowledge: bool = True,
        log: DeviceLog | None = None,
    ) -> Self:
        """Connect to the device at a port string and open a session with it.

        `record` is called with every event, once and in order, before the device may forget it. A
        journal that must lose no event writes there, and raises if it cannot. `after` is the number
        of the last event that was recorded before this program started. The key comes from the
        store of keys, unless the port has its own or `key` is given. `retry` is the number of
        seconds to wait for a reply before the same frame is sent again. `tap` is called with every
        frame, both ways (see `Frame`). With `acknowledge` False, the device keeps its events, at
        most 24, for the host that journals it. A `log` replaces `after` and `record` for a program
        that resumes a killed one, and receives every command before it is sent.
        """
        found = ports.parse(port)
        if log is None:
            warn_without_log(port)
        if key is not None:
            found.key = DeviceKey(key)
        connection = Connection(
            found,
            kind=cls.KIND,
            keys=keys or KeyStore(),
            after=after,
            record=record,
            randomness=randomness,
            retry=retry,
            tap=tap,
            acknowledge=acknowledge,
            log=log,
        )
        connection.open(deadline)
        return cls(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Acknowledge the taken events and close the port (a bench that was started ends)."""
        self._connection.close()

    # Identity

    @property
    def port(self) -> ports.Port:
        """Return the port; `port.text` is the port string."""
        return self._connection.port

    @property
    def machine(self) -> str:
        """Return the name of the machine file, such as `carousel-60`."""
        return self._welcome.machine

    @property
    def serial(self) -> str:
        """Return the serial number, in hexadecimal digits."""
        return self._welcome.serial.hex()

    @property
    def firmware(self) -> int:
        """Return the version of the firmware."""
        return self._welcome.firmware

    @property
    def is_logged(self) -> bool:
        """Return whether it was opened with a log, so that no event is lost when this program
        ends."""
        return self._connection.is_logged

    @property
    def reconnections(self) -> int:
        """Return the number of sessions that were opened again."""
        return self._connection.reconnections

    @property
    def _welcome(self) -> Welcome:
        assert self._connection.welcome is not None  # open() guarantees this
        return self._connection.welcome

    # Questions

    def status(self, deadline: float = TALK_SECONDS) -> Status:
        """Return the mode, the fault, and the number of cards in each place.

        Raises SchemaMismatchError for a mode that is not in the message schema.
        """
        found = self._connection.ask("status", deadline=Deadline(deadline))
        if found["mode"] >= len(messages.MODES):
            raise self._connection.unreadable("reply to status")
        found["mode"] = messages.MODES[found["mode"]]
        found["fault"] = fault_name(found["fault"]) if found["fault"] else None
        return Status(**found)

    def counters(self, deadline: float = TALK_SECONDS) -> Counters:
        """Return the counts of refused frames, the free heap, and the amount of work."""
        return Counters(**self._connection.ask("counters", deadline=Deadline(deadline)))

    def acknowledge(self, deadline: float = TALK_SECONDS) -> None:
        """Let the device forget the events taken so far. Waiting calls do this by themselves."""
        self._connection.ask("acknowledge", deadline=Deadline(deadline))

    # Laboratory mode

    def laboratory(self) -> Laboratory:
        """Return a context in which an empty device outputs raw noise, raw bytes and draws."""
        return Laboratory(self._connection)

    # Events

    def events(self, deadline: float = TALK_SECONDS) -> Iterator[Event]:
        """Yield events in order, each once, until the deadline is over.

        Events returned by `deal`, `load` and `wait_for` are not repeated. With a deadline of 0,
        yield only the events that have arrived.
        """
        allowed = Deadline(deadline)
        while (event := self._connection.next_event(allowed)) is not None:
            yield event

    def next_of(self, *kinds: type[Event], deadline: float = TALK_SECONDS) -> Event | None:
        """Return the oldest new event of these types, or None. Other events remain for `events()`.

        A fault does not end the wait unless FaultRaised is one of the types.
        """
        return self._connection.next_event(Deadline(deadline), lambda e: isinstance(e, kinds))

    def wait_for(self, kind: type[E], deadline: float = TALK_SECONDS) -> E:
        """Wait for the oldest new event of that type. Other events remain for `events()`.

        Raises NotInTimeError if it does not come. Raises InFaultError if a fault is latched or
        occurs during the wait, and a device in a fault cannot report such an event.
        """
        allowed = Deadline(deadline)
        if not issubclass(kind, OF_WORK):
            event = self.next_of(kind, deadline=deadline)
        else:
            event = self._next_unless_in_fault(lambda e: isinstance(e, kind), allowed, "wait")
        if isinstance(event, kind):
            return event
        raise self._not_in_time(kind.__name__, deadline)

    def _next_unless_in_fault(
        self, is_it: Callable[[Event], bool], allowed: Deadline, name: str
    ) -> Event | None:
        """Return the next event that `is_it` accepts, even if a fault has occurred since.

        Raises InFaultError if it has not arrived and a fault is latched or occurs.
        """
        arrived = self._connection.next_event(Deadline(0), is_it)
        if arrived is not None:
            return arrived
        now = self.status(allowed.within(TALK_SECONDS).seconds)
        # with the status, all earlier events have arrived
        if not self._connection.has_event(is_it):
            self._refuse_in_fault(now, name)

        def is_it_or_fault(event: Event) -> bool:
            if isinstance(event, FaultRaised):
                return event.number > now.last_event and event.fault not in AT_ONE_TABLE
            return is_it(event)

        event = self._connection.next_event(allowed, is_it_or_fault)
        if isinstance(event, FaultRaised):
            where = f"{self.port.text}: {name}"
            raise InFaultError(where, event.fault, event.detail, event, kind=self.KIND)
        return event

    def _refuse_in_fault(self, now: Status, name: str) -> None:
        """Raise InFaultError if a fault is latched: the awaited event cannot come."""
        if now.fault is not None:
            where = f"{self.port.text}: {name}"
            raise InFaultError(where, now.fault, now.detail, kind=self.KIND)

    def _before(self, name: str, allowed: Deadline) -> int:
        """Return the last event before a command; later events have higher numbers.

        The command may be one that an earlier program began long ago.
        """
        begun = self._connection.pending or self._connection.carried_out
        if begun is not None and begun.name == name:
            return begun.after
        return self.status(allowed.within(TALK_SECONDS).seconds).last_event

    def _not_in_time(self, what: str, seconds: float) -> NotInTimeError:
        return NotInTimeError(
            f"{self.port.text}: no {what} within {seconds:.3g} s.",
            "The device responds, but the event did not occur: check `status`. A person may "
            "have to draw a card, fill the tray, close the door or press the button.",
        )
