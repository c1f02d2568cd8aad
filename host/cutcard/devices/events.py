"""The events that a device reports, one type for each.

Every event has a number; the device stores it until it is acknowledged. Numbers start at 1 and
never repeat in the life of a device.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cutcard.cards import Card
from cutcard.devices.hints import after_recovery
from cutcard.faults import fault_name
from cutcard.prizes.draw import Draw
from cutcard_firmware.core.schema import messages


@dataclass(frozen=True, slots=True)
class Event:
    """The base of all events: `number` orders them, without gaps."""

    number: int


@dataclass(frozen=True, slots=True)
class Started(Event):
    """The device has started, for the `boots`-th time, because of `cause`."""

    boots: int
    cause: str


@dataclass(frozen=True, slots=True)
class Loaded(Event):
    """All cards are loaded, and their number is as requested."""

    cards: int


@dataclass(frozen=True, slots=True)
class CardDealt(Event):
    """A card left through the mouth. `card` is None if the reader could not read it."""

    card: Card | None
    uncalled: bool  # it left without a call
    first_of_round: bool


@dataclass(frozen=True, slots=True)
class Returned(Event):
    """Discards were taken back in."""

    cards: int


@dataclass(frozen=True, slots=True)
class Unloaded(Event):
    """The machine is empty; it ejected `cards` cards."""

    cards: int


@dataclass(frozen=True, slots=True)
class FaultRaised(Event):
    """The device is in its latched fault mode.

    `cards` are the cards that a draw showed (None: an unreadable one). If they came out together
    and their order is unknown, `order_known` is False.
    """

    fault: str
    detail: int
    cards: tuple[Card | None, ...]
    order_known: bool


@dataclass(frozen=True, slots=True)
class Recovered(Event):
    """The fault is over and the count was verified.

    `came_out` is the number of cards that left the machine since the fault, over all calls of
    `recover`: `recover(outside=2)` may end with 20 outside. It is None in an event from `events()`,
    because the device does not report it. `next_step` is the instruction to the person at the
    machine for these cards.
    """

    inside: int
    outside: int
    came_out: int | None = None

    @property
    def next_step(self) -> str:
        """Return the instruction to the person at the machine for ejected cards."""
        return after_recovery(self.inside, self.came_out)

    def with_cards_out(self, counted: int, pack: int, earlier: int) -> Recovered:
        """Return this event with `came_out` filled in.

        `counted` is the number given to the last `recover`, `pack` the size of the pack before it,
        and `earlier` the number of cards that came out in the attempts before it.
        """
        emptied = not self.inside and not self.outside  # then the device no longer has a pack
        return replace(
            self, came_out=earlier + max(0, (pack if emptied else self.outside) - counted)
        )


@dataclass(frozen=True, slots=True)
class CuttingCard(Event):
    """The cutting card passed the mouth."""

    first_of_round: bool
    position: int


@dataclass(frozen=True, slots=True)
class Burned(Event):
    """Cards were removed unread before the first round."""

    cards: int


@dataclass(frozen=True, slots=True)
class LastCard(Event):
    """The card before this event was the last one."""


@dataclass(frozen=True, slots=True)
class PrizeDrawn(Event):
    """A controller has drawn. A repeated press reports it again with the same counter."""

    draw: Draw


@dataclass(frozen=True, slots=True)
class IdlePress(Event):
    """A button not on offer was pressed: no prize was drawn.

    `time` is the device's clock in milliseconds (modulo 2^30), `shown` the counter of the draw that
    the table's display shows, or 0.
    """

    table: int
    time: int
    shown: int


@dataclass(frozen=True, slots=True)
class ReadingsDiffer(Event):
    """Meter, control panel and record differ. None: the display is dark.

    `counter` is the counter of the displayed draw, 0 if the displays should be dark.
    """

    table: int
    counter: int
    drawn: int | None
    meter: int | None
    panel: int | None


@dataclass(frozen=True, slots=True)
class Resumed(Event):
    """A fault of a controller is over: of this table, or (0) of the entire controller."""

    table: int


@dataclass(frozen=True, slots=True)
class NewIdentity(Event):
    """A controller has made a new key: later draws are verified with this public key."""

    public_key: bytes


@dataclass(frozen=True, slots=True)
class LaboratoryMode(Event):
    """The device has entered laboratory mode, or (`entered` False) has left it.

    In this mode the device outputs data of its random source; when it leaves, the source is seeded
    again.
    """

    entered: bool


@dataclass(frozen=True, slots=True)
class UnknownEvent(Event):
    """An event that only newer firmware has: update cutcard.

    `code` is its number in the message schema, `fields` are its bytes as sent.
    """

    code: int
    fields: bytes


def decode(payload: bytes) -> Event:
    """Return the event in the payload of an event frame.

    Raises ValueError if a known event does not have the bytes defined in the schema.
    """
    head = messages.unpack(messages.FRAMES[messages.EVENT][1], payload)
    if head["event"] not in messages.EVENTS:
        return UnknownEvent(head["number"], head["event"], head["fields"])
    name, fields = messages.EVENTS[head["event"]]
    try:
        return _DECODERS[name](head["number"], messages.unpack(fields, head["fields"]))
    except IndexError:
        raise ValueError(f"the event {name} names a thing that no table has") from None


def _card(code: int) -> Card | None:
    return Card.from_code(code) if code < 52 else None


def _dealt(number: int, f: dict[str, Any]) -> CardDealt:
    return CardDealt(
        number,
        _card(f["face"]),
        bool(f["flags"] & messages.UNCALLED),
        bool(f["flags"] & messages.FIRST_OF_ROUND),
    )


def _fault(number: int, f: dict[str, Any]) -> FaultRaised:
    fault = fault_name(f["fault"])
    cards = tuple(_card(code) for code in f["faces"])
    # A simultaneous draw has the number of cards in the low byte of its detail. The higher bits are
    # set if the reader saw them one after the other.
    known = fault != "simultaneous-draw" or bool(f["detail"] >> 8)
    return FaultRaised(number, fault, f["detail"], cards, known)


def _amount(shown: int) -> int | None:
    return None if shown == messages.BLANK else shown


def _readings(number: int, f: dict[str, Any]) -> ReadingsDiffer:
    amounts = [_amount(f[name]) for name in ("drawn", "meter", "panel")]
    return ReadingsDiffer(number, f["table"], f["counter"], *amounts)


_DECODERS: dict[str, Callable[[int, dict[str, Any]], Event]] = {
    "started": lambda n, f: Started(n, f["boots"], messages.CAUSES[f["cause"]]),
    "loaded": lambda n, f: Loaded(n, f["cards"]),
    "card": _dealt,
    "returned": lambda n, f: Returned(n, f["cards"]),
    "unloaded": lambda n, f: Unloaded(n, f["cards"]),
    "fault": _fault,
    "recovered": lambda n, f: Recovered(n, f["inside"], f["outside"]),
    "cutting_card": lambda n, f: CuttingCard(n, bool(f["first_of_round"]), f["position"]),
    "burned": lambda n, f: Burned(n, f["cards"]),
    "last_card": lambda n, _: LastCard(n),
    "prize": lambda n, f: PrizeDrawn(n, Draw.of(f)),
    "idle_press": lambda n, f: IdlePress(n, f["table"], f["time"], f["shown"]),
    "readings": _readings,
    "resumed": lambda n, f: Resumed(n, f["table"]),
    "identity": lambda n, f: NewIdentity(n, f["public"]),
    "laboratory": lambda n, f: LaboratoryMode(n, bool(f["entered"])),
}
