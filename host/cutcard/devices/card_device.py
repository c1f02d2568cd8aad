"""The common parts of the drivers of shufflers and shoes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.device import HAND_SECONDS, TALK_SECONDS, Device, E
from cutcard.devices.errors import CommandRefusedError, DeviceError, InFaultError
from cutcard.devices.events import CardDealt, Event, FaultRaised, Recovered, Unloaded
from cutcard.devices.session import SessionLostError

SIGN_SECONDS = 10.0  # for a machine to end a movement and to sign
START_SECONDS = 30.0  # for a machine to start any work
CARD_SECONDS = 2.0  # for a machine to move one card, including its own retries


@dataclass(frozen=True, slots=True)
class Witness:
    """A count of witnessed heads of journals, and SHA-256 over the previous value and the last
    head."""

    count: int
    value: bytes

    def after(self, head: bytes) -> Witness:
        """Return the witness of a device after it takes in this head."""
        return Witness(self.count + 1, sha256(self.value + head).digest())


@dataclass(frozen=True, slots=True)
class Sent:
    """The number of an event, and SHA-256 over the previous value and the event's payload."""

    event: int
    value: bytes

    def after(self, payload: bytes) -> Sent:
        """Return the value with the next event."""
        return Sent(self.event + 1, sha256(self.value + payload).digest())


@dataclass(frozen=True, slots=True)
class Chains:
    """The two chains of a device: heads of journals, and events (None: older firmware)."""

    witness: Witness
    sent: Sent | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A machine's signed statement about its two chains, and the head that the host gave."""

    serial: str
    witness: Witness
    sent: Sent
    head: bytes
    key: bytes  # the public key
    signature: bytes

    def holds(self) -> bool:
        """Return whether `key` signed this statement."""
        message = b"".join(
            (
                b"cutcard witness 1\0",
                bytes.fromhex(self.serial),
                self.witness.count.to_bytes(4, "little") + self.witness.value,
                self.sent.event.to_bytes(4, "little") + self.sent.value,
                self.head,
            )
        )
        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(self.signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    def as_json(self) -> dict[str, Any]:
        """Return the statement without its serial number, as plain values."""
        return {
            "witness": [self.witness.count, self.witness.value.hex()],
            "sent": [self.sent.event, self.sent.value.hex()],
            "head": self.head.hex(),
            "key": self.key.hex(),
            "signature": self.signature.hex(),
        }

    @classmethod
    def from_json(cls, serial: str, said: Mapping[str, Any]) -> Statement:
        """Return the statement from these values. Raises KeyError, TypeError or ValueError."""
        (count, value), (event, sent) = said["witness"], said["sent"]
        return cls(
            serial,
            witness=Witness(count, bytes.fromhex(value)),
            sent=Sent(event, bytes.fromhex(sent)),
            **{name: bytes.fromhex(said[name]) for name in ("head", "key", "signature")},
        )


class CardDevice(Device):
    """The base of shufflers and shoes: dealing, emptying and recovery."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        # True: no earlier call can still deliver a card, so the next card belongs to the next call.
        self._settled = False
        self._came_out = 0  # cards ejected in failed attempts to recover

    # Dealing

    def deal(self, deadline: float = HAND_SECONDS) -> CardDealt:
        """Call for one card and wait until it is drawn."""
        allowed = Deadline(deadline)
        last = self._connection.last_taken if self._settled else None
        before = self._before("deal", allowed) if last is None else last
        self._settled = False
        if self._connection.carried_out is not None:
            self._look_whether_drawn(before, allowed)
        self._connection.command("deal", 1, deadline=allowed.within(TALK_SECONDS), after=before)
        dealt = self._outcome("deal", CardDealt, allowed, before, called=True)
        self._settled = True
        return dealt

    def _look_whether_drawn(self, before: int, allowed: Deadline) -> None:
        """Raise an error if the call was cancelled before a card was drawn: it must be made
        again."""
        self.status(allowed.within(TALK_SECONDS).seconds)  # all events so far have arrived
        if not self._connection.has_event(
            lambda e: e.number > before and isinstance(e, CardDealt | FaultRaised)
        ):
            self._connection.forget_carried_out()

    def call_for(self, cards: int, deadline: float = TALK_SECONDS) -> None:
        """Call for several cards and return immediately; each arrives as a CardDealt event."""
        self._settled = False
        self._connection.command("deal", cards, deadline=Deadline(deadline))

    def disarm(self, deadline: float = TALK_SECONDS) -> None:
        """Cancel the call for cards that were not drawn yet."""
        self._connection.command("disarm", deadline=Deadline(deadline))

    def fall_silent(self, deadline: float = TALK_SECONDS) -> bool:
        """Cancel all calls; return whether the device confirmed it.

        For a host with a failed disk: the command is not recorded, and no other command may
        follow.
        """
        try:
            status = self._connection.last_word("disarm", Deadline(deadline))
        except (DeviceError, SessionLostError):
            return False
        return bool(status["armed"] == 0)

    def begin_round(self, deadline: float = TALK_SECONDS, head: bytes = b"") -> None:
        """Start a round: the next card is its first.

        `head` is the hash of the last record of the table's journal, 32 bytes. From then on the
        device is its witness (see `witness`).
        """
        self._connection.command("round", 1, head, deadline=Deadline(deadline))

    def end_round(self, deadline: float = TALK_SECONDS) -> None:
        """End the round."""
        self._connection.command("round", 0, b"", deadline=Deadline(deadline))

    def witness(self, deadline: float = TALK_SECONDS) -> Witness:
        """Return the number of journal heads that the device has witnessed, and a hash over all of
        them.

        The value cannot be reset, so a truncated or rewritten journal does not match it.
        """
        found = self._connection.ask("witness", deadline=Deadline(deadline))
        return Witness(found["count"], found["value"])

    def chains(self, deadline: float = TALK_SECONDS) -> Chains:
        """Return both chains of the device.

        When this returns, all events up to the last one of its chain have arrived.
        """
        allowed = Deadline(deadline)
        self.status(allowed.seconds)  # detects an event lost on the line, and requests it again
        try:
            found = self._connection.ask("chains", deadline=allowed)
        except CommandRefusedError as refused:
            if refused.error != "unknown-command":
                raise
            return Chains(self.witness(allowed.seconds))
        return Chains(Witness(found["count"], found["value"]), Sent(found["event"], found["sent"]))

    def signed(self, head: bytes, deadline: float = SIGN_SECONDS) -> Statement | None:
        """Return the device's signed statement about its chains; None from older firmware.

        The signature covers `head`, too. The device signs while it is at rest. Raises
        CommandRefusedError (still-armed) while a card is called for.
        """
        try:
            found = self._connection.ask("signed", head, deadline=Deadline(deadline))
        except CommandRefusedError as refused:
            if refused.error != "unknown-command":
                raise
            return None
        return Statement(
            self.serial,
            witness=Witness(found["count"], found["value"]),
            sent=Sent(found["event"], found["sent"]),
            head=head,
            key=found["key"],
            signature=found["signature"],
        )

    def payload(self, event: int) -> bytes | None:
        """Return the payload of one of the last events as sent; None if it is not stored."""
        return self._connection.sent(event)

    def place(self, depth: int, low: int, high: int, deadline: float = TALK_SECONDS) -> None:
        """Put a cutting card behind the first `depth` cards, within the rulebook's bounds.

        A shuffler refuses it.
        """
        self._connection.command("place", depth, low, high, deadline=Deadline(deadline))

    # Emptying and recovery

    def unload(self, deadline: float | None = None) -> Unloaded:
        """Eject all cards until the machine is empty and has counted them."""
        unloaded = self._work("unload", (), Unloaded, deadline, self.status().inside)
        self._came_out = 0
        return unloaded

    def recover(self, outside: int, deadline: float | None = None) -> Recovered:
        """End a fault after its cause was removed: the device counts its cards and compares.

        `outside` is the number of cards outside the machine, counted by a person. Cards may come
        out while the device counts: `next_step` of the result is the instruction for all cards that
        came out, including earlier calls for the same fault. Raises InFaultError if the count does
        not match or another fault occurs; its `came_out` is the number of cards of this call.
        """
        before = self.status()
        try:
            recovered = self._work("recover", (outside,), Recovered, deadline, before.inside)
        except InFaultError as failed:
            if failed.event is not None:  # else the device refused, and no card has moved
                failed.came_out = max(0, self.status().outside - outside)
                self._came_out += failed.came_out
            raise
        earlier, self._came_out = self._came_out, 0
        return recovered.with_cards_out(outside, before.pack, earlier)

    # Work that ends in an event

    def _work(
        self,
        name: str,
        arguments: tuple[int, ...],
        outcome: type[E],
        deadline: float | None,
        cards: int,
    ) -> E:
        """Send a command that moves cards; wait for its outcome, or raise the fault that stopped
        it."""
        allowed = Deadline(START_SECONDS + CARD_SECONDS * cards if deadline is None else deadline)
        before = self._before(name, allowed)
        self._connection.command(
            name, *arguments, deadline=allowed.within(TALK_SECONDS), after=before
        )
        return self._outcome(name, outcome, allowed, before)

    def _outcome(
        self, name: str, kind: type[E], deadline: Deadline, after: int, called: bool = False
    ) -> E:
        def is_it(event: Event) -> bool:
            if isinstance(event, CardDealt) and called and event.uncalled:
                return False
            return isinstance(event, (kind, FaultRaised))

        event = self._connection.next_event(deadline, is_it, after)
        if isinstance(event, kind):
            return event
        if isinstance(event, FaultRaised):
            raise InFaultError(f"{self.port.text}: {name}", event.fault, event.detail, event)
        raise self._not_in_time(kind.__name__, deadline.seconds)
