"""What a table keeps of one of its devices, and the device as the witness of what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cutcard.devices.card_device import Witness
from cutcard.devices.event_codec import from_plain, plain
from cutcard.devices.events import Event
from cutcard.devices.handshake import Welcome
from cutcard.devices.log import Intent
from cutcard.journal import Journal, Record

CARDS, CONTROLLER = "cards", "controller"  # the devices of a table
TOLD = "told"
EPOCH = "epoch"  # what a device had witnessed when the journal met it
EXCHANGED = "exchanged"
ACKNOWLEDGED = "acknowledged"
CLOSING = "closing"  # marks a command that only leaves the journal's head with the device
CHANGES = (EXCHANGED, ACKNOWLEDGED)  # what follows is about another past of the device


class CannotResumeError(Exception):
    """Raised where a journal does not lead on: by another version, another device, another course.

    Nothing was sent and nothing written.
    """


class DeviceExchangedError(CannotResumeError):
    """Raised where another device is there than the one on record."""

    def __init__(self, role: str, known: str, found: str, answer: str = "") -> None:
        does = {CARDS: "The cards of this table are dealt", CONTROLLER: "Its prizes are drawn"}
        super().__init__(
            f"{does[role]} by the device {known}, and the device there is {found}. Connect "
            f"{known}: it can be exchanged between two rounds, and not in one. {answer}".rstrip()
        )
        self.known, self.found = known, found


class WitnessDiffersError(CannotResumeError):
    """Raised where the device has witnessed another journal than this one."""

    def __init__(self, path: Path, journal: Witness, device: Witness) -> None:
        super().__init__(
            f"{path}: {difference(journal, device)} Keep the journal as it is for whoever "
            "investigates."
        )
        self.journal, self.device = journal, device


def difference(journal: Witness, device: Witness) -> str:
    """How far a device's witness is from what a journal comes to, in a sentence."""
    if device.count > journal.count:
        return (
            f"the device has witnessed {device.count} rounds, and the journal has {journal.count} "
            "of them: something was taken off its end, or the device has served another journal."
        )
    if device.count < journal.count:
        return (
            f"the journal has {journal.count} rounds, and the device has witnessed {device.count}: "
            "its storage was erased or set back, or it is another device."
        )
    return (
        f"both have {journal.count} rounds, and they are not the same ones: the journal was "
        "written anew, or it is another table's."
    )


class RolePast:
    """What the records of one device of the table come to: `cards`, or `controller`."""

    def __init__(self, role: str, kept: Mapping[str, Any]) -> None:
        self.role = role
        self.after: int | None = kept.get("event")
        self.last_command: int | None = kept.get("command")
        self.pending: Intent | None = None
        self.carried_out: Intent | None = None
        self.told = {each["number"]: from_plain(each["number"], each) for each in _unhandled(kept)}
        self.serial: str = kept.get("serial", "")
        self.witness = _witness(kept.get("witness"))
        self._handled: set[int] = set()

    @property
    def again(self) -> Sequence[Event]:
        return [self.told[number] for number in sorted(self.told.keys() - self._handled)]

    def learn(self, record: Record) -> None:
        """Take in a record of the journal that was written before."""
        if record.kind == TOLD:
            self.after = record.device["event"]
            self.told[record.device["event"]] = from_plain(self.after, record.data)
        elif record.kind == "opened":
            self.serial = record.device["serial"]
        elif record.kind == EPOCH:
            self.witness = _witness(record.data["witness"])
        elif record.kind in CHANGES:
            self.begin_anew()
        elif record.kind == "command":
            said = record.data
            arguments = tuple(_argument(value) for value in said["arguments"])
            # What a controller is told may be told again, by other commands than before.
            name = said["name"] if self.role == CARDS else ""
            self.pending = Intent(said["id"], name, arguments, said["after"])
            self.carried_out = None
        elif record.kind == "disarmed":
            self._disarmed_at(record.data["id"])
        elif record.kind == "outcome":
            self.concluded(record.data)
        for number in record.data.get("handled", ()):
            self._handled.add(number)

    def _disarmed_at(self, command: int) -> None:
        """On record is that a program disarmed the device and ended, with this command."""
        self.last_command = command
        self.carried_out, self.pending = self.pending, None

    def concluded(self, outcome: Mapping[str, Any]) -> None:
        """The outcome of the command that was begun last is on record."""
        if self.pending is not None:
            if self.witness is not None and "error" not in outcome:
                self.witness = _witnessed(self.witness, self.pending)
            refused = "error" in outcome and not outcome.get("handled")
            self.last_command = self.pending.id - 1 if refused else self.pending.id
            self.pending = None
        self.carried_out = None
        self._handled.update(outcome.get("handled", ()))

    def handled(self, numbers: Sequence[int]) -> None:
        self._handled.update(numbers)

    def kept(self) -> dict[str, Any]:
        """What the next program needs of this device, once a round is settled."""
        again = [{"number": event.number, **plain(event)} for event in self.again]
        self.told = {event.number: event for event in self.again}
        self._handled.clear()
        return {
            "serial": self.serial,
            "event": self.after,
            "command": None if self.pending else self.last_command,
            "unhandled": again,
            "witness": None if self.witness is None else _plain(self.witness),
        }

    def begin_anew(self) -> None:
        """From here on the device is another one, or one whose past is not in this journal."""
        self.after = self.last_command = self.pending = self.carried_out = self.witness = None
        self.serial = ""
        self.told = {}
        self._handled.clear()


class RoleLog(RolePast):
    """The log of one device, to open it with: what it tells is in the journal at once."""

    def __init__(self, journal: Journal, role: str, kept: Mapping[str, Any]) -> None:
        super().__init__(role, kept)
        self._journal = journal
        self._device: dict[str, Any] = {}
        self.closing = False  # the commands that come now are not of the table's course
        self.closing_begun = False  # such a command was begun, and its outcome is not on record

    def learn(self, record: Record) -> None:
        super().learn(record)
        if record.kind in ("command", "outcome"):
            self.closing_begun = record.kind == "command" and CLOSING in record.data

    # The device as the witness of the journal

    @property
    def head(self) -> bytes:
        """The head of the journal for the round that begins; the old one for one begun before."""
        if self.pending is not None and self.pending.name == "round":
            head = self.pending.arguments[1]
            assert isinstance(head, bytes)
            return head
        return bytes.fromhex(self._journal.hash)

    def begin_anew(self) -> None:
        super().begin_anew()
        self._device = {}  # the next session is written as that of a device that is new here

    def compare(self, device: Witness) -> None:
        """Hold what the device has witnessed against the journal. Raises WitnessDiffersError.

        A round whose outcome is not on record may have begun or not: a program was killed there.
        """
        if self.witness is None:
            self._journal.append(EPOCH, {"witness": _plain(device)}, self._device)
            self.witness = device
            return
        journal = {self.witness}
        if self.pending is not None:
            journal.add(_witnessed(self.witness, self.pending))
        if device not in journal:
            raise WitnessDiffersError(self._journal.path, self.witness, device)

    # What the driver calls

    def greeted(self, welcome: Welcome) -> None:
        serial = welcome.serial.hex()
        if self.serial and serial != self.serial:
            raise DeviceExchangedError(self.role, self.serial, serial)
        self.serial = serial
        if not self._device:
            self._device = {"role": self.role, "serial": serial, "firmware": welcome.firmware}
            self._journal.append("opened", {"machine": welcome.machine}, self._device)

    def record(self, event: Event) -> None:
        about = {**self._device, "event": event.number}
        self._journal.append(TOLD, plain(event), about)
        self.told[event.number] = event
        self.after = event.number

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


def _plain(witness: Witness) -> list[Any]:
    return [witness.count, witness.value.hex()]


def _witnessed(before: Witness, command: Intent) -> Witness:
    """What a device has witnessed once it has carried out this command."""
    if command.name != "round" or not command.arguments[0]:
        return before
    head = command.arguments[1]
    assert isinstance(head, bytes)
    return before.after(head) if head else before
