"""The machine of a table by its journal: counts and faults, never the order of its cards."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutcard.devices.hints import advice
from cutcard.journal import Record
from cutcard.table.display_names import words


@dataclass
class MachineView:
    """The machine by the reports of the device and the verified counts so far."""

    machine: str = ""
    serial: str = ""
    firmware: str = ""
    pack: int = 0
    inside: int = 0
    boots: int = 0
    fault: str = ""
    stage: str = ""
    cards: tuple[str, ...] = ()  # the cards of the fault
    locked: str = ""

    def take(self, record: Record) -> None:
        """Take a record, if it is about the machine that deals."""
        if record.device and record.device.get("role", "cards") != "cards":
            return
        data = record.data
        match record.kind:
            case "opened":
                self.machine = str(data.get("machine", ""))
                self.serial = str(record.device.get("serial", ""))
                self.firmware = str(record.device.get("firmware", ""))
            case "told":
                self._take_event(data)
            case "status" if data.get("asked") == "counts":
                self.pack, outside, self.boots, *_ = data["said"]  # older journals: fewer values
                self.inside = self.pack - outside
            case "device":
                self.fault = data["fault"]
                self.stage = data.get("stage", "")
                self.cards = tuple(data.get("cards", ()))
            case "recovered":
                self.inside, self.fault = data["inside"], ""
            case "locked":
                self.locked = data["why"]
            case "loaded":
                self.fault, self.locked = "", ""

    def _take_event(self, data: dict[str, Any]) -> None:
        cards = data.get("cards")
        match data.get("event"):
            case "Loaded":
                self.pack = self.inside = int(cards or 0)
            case "CardDealt":
                self.inside -= 1
            case "Burned":
                self.inside -= int(cards or 0)
            case "Returned":
                self.inside += int(cards or 0)
            case "FaultRaised":
                self.inside -= len(cards or ()) or data.get("fault") == "unreadable-card"
            case "Unloaded":
                self.inside = 0
            case "Recovered":
                self.inside, self.fault = data["inside"], ""
            case "Started":
                self.boots = data["boots"]

    @property
    def outside(self) -> int:
        return self.pack - self.inside

    def picture(self) -> dict[str, Any]:
        """Return the machine's data for the page.

        In a fault the counts are None: a person counts the cards, independently of the machine.
        """
        said = asdict(self) | {"fault": words(self.fault), "hint": to_clear(self.fault)}
        waits = self.fault and not self.locked
        counts = (None, None) if waits else (self.inside, self.outside)
        return said | dict(zip(("inside", "outside"), counts, strict=True))


def to_clear(fault: str) -> str:
    """Return a person's instruction for a fault: the driver's hint without its calls."""
    said, calls, _ = (advice(fault) if fault else "").partition(", then call `")
    return f"{said}. Then count the cards that are not in the machine." if calls else said
