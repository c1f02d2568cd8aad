"""Records of one device of a table, and the device as the witness of the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cutcard.devices.card_device import Chains, Sent, Statement, Witness
from cutcard.devices.event_codec import from_plain, plain
from cutcard.devices.events import Event
from cutcard.devices.handshake import Welcome
from cutcard.devices.log import Intent
from cutcard.journal import Journal, Record

CARDS, CONTROLLER = "cards", "controller"  # the devices of a table
REPORTED = "told"
EPOCH = "epoch"  # the chains of a device at its first comparison with the journal
EXCHANGED = "exchanged"
ACKNOWLEDGED = "acknowledged"
CLOSING = "closing"  # marks a command that only stores the journal's head in the device
_KEPT_EVENTS = 64  # a device stores fewer unacknowledged events
STATEMENT = "statement"  # a machine's signed statement about its chains
CHANGES = (EXCHANGED, ACKNOWLEDGED)  # later records are of another history of the device


class CannotResumeError(Exception):
    """Raised if a journal cannot be resumed: another version, another device or another course.

    The program has sent and written nothing.
    """


class DeviceExchangedError(CannotResumeError):
    """Raised if the connected device is not the recorded device."""

    def __init__(self, role: str, known: str, found: str, answer: str = "") -> None:
        does = {CARDS: "The cards of this table are dealt", CONTROLLER: "Its prizes are drawn"}
        super().__init__(
            f"{does[role]} by the device {known}, and the device there is {found}. Connect "
            f"{known}: it can be exchanged between two rounds, and not in one. {answer}".rstrip()
        )
        self.known, self.found = known, found


class WitnessDiffersError(CannotResumeError):
    """Raised if the device has witnessed another journal than this one."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why} Keep the journal as it is for an investigation.")


def difference(journal: Witness, device: Witness) -> str:
    """Return the difference between the heads that a device took in and those of a journal."""
    if device.count > journal.count:
        return (
            f"the device has taken in {device.count} heads of a journal, and this journal has "
            f"{journal.count} of them: records were removed from its end, or the device has served "
            "another journal."
        )
    if device.count < journal.count:
        return (
            f"this journal has {journal.count} heads, and the device has taken in {device.count}: "
            "its storage was erased or set back, or it is another device."
        )
    return (
        f"both have {journal.count} heads, and they are not the same ones: the journal was "
        "rewritten, or it is another table's."
    )


EVENTS_DIFFER = (
    "the events that the device sent up to number {} are not those of the journal: an event in it "
    "was changed."
)


class RolePast:
    """The state of one device of a table (`cards` or `controller`), from its records."""

    def __init__(self, role: str, kept: Mapping[str, Any]) -> None:
        self.role = role
        self.after: int | None = kept.get("event")
        self.last_command: int | None = kept.get("command")
        self.pending: Intent | None = None
        self.carried_out: Intent | None = None
        self.reported = {
            each["number"]: from_plain(each["number"], each) for each in _unhandled(kept)
        }
        self.serial: str = kept.get("serial", "")
        self.witness = _witness(kept.get("witness"))
        self.sent = _sent(kept.get("sent"))  # None: the device takes in heads of rounds only
        self.command_head: bytes | None = None
        self._handled: set[int] = set()
        self._payloads: dict[int, bytes] = {}
        self._sent_at: dict[int, Sent] = {}
        self._begin_events(self.sent)

    @property
    def again(self) -> Sequence[Event]:
        return [self.reported[number] for number in sorted(self.reported.keys() - self._handled)]

    def learn(self, record: Record) -> None:
        """Update the state from an existing record of the journal."""
        if record.kind == REPORTED:
            self.after = record.device["event"]
            self.reported[record.device["event"]] = from_plain(self.after, record.data)
            self._chain_event(record.device["event"], bytes.fromhex(record.device.get("sent", "")))
        elif record.kind == "opened":
            self.serial = record.device["serial"]
        elif record.kind == EPOCH:
            self.witness = _witness(record.data["witness"])
            self._begin_events(_sent(record.data.get("sent")))
        elif record.kind in CHANGES:
            self.begin_anew()
        elif record.kind == "command":
            said = record.data
            arguments = tuple(_argument(value) for value in said["arguments"])
            # A program may repeat requests to a controller, with other commands than before.
            name = said["name"] if self.role == CARDS else ""
            self.pending = Intent(said["id"], name, arguments, said["after"])
            self.carried_out = None
            self._take_head(record.hash)
        elif record.kind == "disarmed":
            self._disarmed_at(record.data["id"])
        elif record.kind == "outcome":
            self.concluded(record.data)
        for number in record.data.get("handled", ()):
            self._handled.add(number)

    def _disarmed_at(self, command: int) -> None:
        """Update the state: a program disarmed the device with this command, and ended."""
        self.last_command = command
        if self.pending is not None:
            self.witness = self.after_pending()
        self.carried_out, self.pending = self.pending, None

    def concluded(self, outcome: Mapping[str, Any]) -> None:
        """Update the state: the outcome of the command that was begun last is on record."""
        if self.pending is not None:
            refused = "error" in outcome and not outcome.get("handled")
            if not refused:
                self.witness = self.after_pending()
            self.last_command = self.pending.id - 1 if refused else self.pending.id
            self.pending = None
        self.carried_out = None
        self._handled.update(outcome.get("handled", ()))

    # The device as the witness

    def after_pending(self) -> Witness | None:
        """Return the witness of the device after it has carried out the pending command."""
        if self.witness is None or self.pending is None:
            return self.witness
        if self.command_head is not None:
            return self.witness.after(self.command_head)
        return _witnessed(self.witness, self.pending)

    def _take_head(self, digest: str) -> None:
        """Set the head to send with a command: the hash of the command's own record.

        None if the device does not take in heads of commands.
        """
        self.command_head = None if self.sent is None else bytes.fromhex(digest)

    def _begin_events(self, sent: Sent | None) -> None:
        """Continue the chain of events from `sent`, with the later events."""
        self.sent, self._sent_at = sent, {}
        if sent is None:
            return
        self._sent_at[sent.event] = sent
        for number, payload in sorted(self._payloads.items()):
            self._chain_event(number, payload)

    def _chain_event(self, number: int, payload: bytes) -> None:
        self._payloads[number] = payload
        if self.sent is not None and number == self.sent.event + 1:
            self.sent = self.sent.after(payload)
            self._sent_at[number] = self.sent
        for kept in (self._payloads, self._sent_at):
            if len(kept) > _KEPT_EVENTS:
                del kept[next(iter(kept))]

    def sent_at(self, event: int) -> Sent | None:
        """Return the value of the chain at this event; None unless it is one of the last events."""
        return self._sent_at.get(event)

    def handled(self, numbers: Sequence[int]) -> None:
        self._handled.update(numbers)

    def kept(self) -> dict[str, Any]:
        """Return the state for the next program after a settled round; forget handled events."""
        again = [{"number": event.number, **plain(event)} for event in self.again]
        self.reported = {event.number: event for event in self.again}
        self._handled.clear()
        return {
            "serial": self.serial,
            "event": self.after,
            "command": None if self.pending else self.last_command,
            "unhandled": again,
            "witness": None if self.witness is None else _plain(self.witness),
            **({} if self.sent is None else {"sent": _plain_sent(self.sent)}),
        }

    def begin_anew(self) -> None:
        """Clear the state: the device is another one, or its history is not in this journal."""
        self.after = self.last_command = self.pending = self.carried_out = self.witness = None
        self.serial = ""
        self.reported = {}
        self._handled.clear()
        self.command_head = None
        self._payloads = {}
        self._begin_events(None)


class RoleLog(RolePast):
    """The log for opening one device; it writes each event to the journal at once."""

    def __init__(self, journal: Journal, role: str, kept: Mapping[str, Any]) -> None:
        super().__init__(role, kept)
        self._journal = journal
        self._device: dict[str, Any] = {}
        self.closing = False  # commands are outside the course of the table
        self.closing_begun = False  # such a command has no recorded outcome

    def learn(self, record: Record) -> None:
        super().learn(record)
        if record.kind in ("command", "outcome"):
            self.closing_begun = record.kind == "command" and CLOSING in record.data

    # The device as the witness of the journal

    @property
    def head(self) -> bytes:
        """Return the head of the journal for a new round; for a pending round, its recorded head.

        Empty if the device takes in a head with each command.
        """
        if self.sent is not None:
            return b""
        if self.pending is not None and self.pending.name == "round":
            head = self.pending.arguments[1]
            assert isinstance(head, bytes)
            return head
        return bytes.fromhex(self._journal.hash)

    def begin_anew(self) -> None:
        super().begin_anew()
        self._device = {}  # the next session is recorded as that of a new device

    def compare(self, device: Chains) -> None:
        """Compare the chains of the device with the journal. Raises WitnessDiffersError.

        The device may or may not have carried out a command without a recorded outcome: a program
        was killed there.
        """
        if self.witness is None:
            said = {"witness": _plain(device.witness)}
            if device.sent is not None:
                said["sent"] = _plain_sent(device.sent)
            self._journal.append(EPOCH, said, self._device)
            self.witness = device.witness
            self._begin_events(device.sent)
            return
        if device.witness not in (self.witness, self.after_pending()):
            why = difference(self.witness, device.witness)
            raise WitnessDiffersError(self._journal.path, why)
        if self.sent is not None and (
            device.sent is None or self.sent_at(device.sent.event) != device.sent
        ):
            why = EVENTS_DIFFER.format(self.after)
            raise WitnessDiffersError(self._journal.path, why)

    def keep_statement(self, statement: Statement) -> None:
        """Record a signed statement of the device."""
        self._journal.append(STATEMENT, statement.as_json(), self._device)

    # Calls from the driver

    def greeted(self, welcome: Welcome) -> None:
        serial = welcome.serial.hex()
        if self.serial and serial != self.serial:
            raise DeviceExchangedError(self.role, self.serial, serial)
        self.serial = serial
        if not self._device:
            self._device = {"role": self.role, "serial": serial, "firmware": welcome.firmware}
            self._journal.append("opened", {"machine": welcome.machine}, self._device)

    def record(self, event: Event, sent: bytes) -> None:
        about = {**self._device, "event": event.number}
        if self.role == CARDS:
            about["sent"] = sent.hex()
        self._journal.append(REPORTED, plain(event), about)
        self.reported[event.number] = event
        self.after = event.number
        self._chain_event(event.number, sent)

    def disarmed(self, command: int) -> None:
        self._journal.append("disarmed", {"id": command}, self._device)
        self._disarmed_at(command)

    def begin(self, intent: Intent) -> None:
        self.pending, self.carried_out = intent, None
        arguments = [
            value.hex() if isinstance(value, bytes) else value for value in intent.arguments
        ]
        said = {"id": intent.id, "name": intent.name, "arguments": arguments, "after": intent.after}
        self._journal.append("command", said | self.mark, self._device)
        self._take_head(self._journal.hash)

    @property
    def mark(self) -> dict[str, bool]:
        """Return the mark of records that do not belong to the course of the table."""
        return {CLOSING: True} if self.closing else {}

    @property
    def device(self) -> Mapping[str, Any]:
        return self._device


def _unhandled(kept: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    found: Sequence[dict[str, Any]] = kept.get("unhandled", ())
    return found


def _argument(value: int | str) -> int | bytes:
    return bytes.fromhex(value) if isinstance(value, str) else value


def _witness(said: Sequence[Any] | None) -> Witness | None:
    return None if said is None else Witness(said[0], bytes.fromhex(said[1]))


def _sent(said: Sequence[Any] | None) -> Sent | None:
    return None if said is None else Sent(said[0], bytes.fromhex(said[1]))


def _plain_sent(sent: Sent) -> list[Any]:
    return [sent.event, sent.value.hex()]


def _plain(witness: Witness) -> list[Any]:
    return [witness.count, witness.value.hex()]


def _witnessed(before: Witness, command: Intent) -> Witness:
    """Return the witness of a device after it has carried out this command."""
    if command.name != "round" or not command.arguments[0]:
        return before
    head = command.arguments[1]
    assert isinstance(head, bytes)
    return before.after(head) if head else before
