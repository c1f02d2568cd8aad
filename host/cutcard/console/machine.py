"""The machine of a table by its journal: counts and faults, never the order of its cards."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutcard.devices.hints import FAULTS
from cutcard.journal import Record
from cutcard.table.titles import words


@dataclass
class MachineView:
    """What the device has told by now, and what people counted."""

    machine: str = ""
    serial: str = ""
    firmware: str = ""
    pack: int = 0
    inside: int = 0
    outside: int = 0
    boots: int = 0
    fault: str = ""
    detail: int = 0
    stage: str = ""
    cards: tuple[str, ...] = ()  # that the fault is about
    locked: str = ""

    def take(self, record: Record) -> None:
        """Take a record, where it is about the machine that deals."""
        if record.device and record.device.get("role", "cards") != "cards":
            return
        data = record.data
        match record.kind:
            case "opened":
                self.machine = str(data.get("machine", ""))
                self.serial = str(record.device.get("serial", ""))
                self.firmware = str(record.device.get("firmware", ""))
            case "told":
                self._told(data)
            case "status" if data.get("asked") == "counts":
                self.pack, self.outside, self.boots, *_ = data["said"]  # older journals: no more
                self.inside = self.pack - self.outside
            case "device":
                self.fault, self.detail = data["fault"], data.get("detail", 0)
                self.stage = data.get("stage", "")
                self.cards = tuple(data.get("cards", ()))
            case "recovered":
                self.inside, self.outside, self.fault = data["inside"], data["outside"], ""
            case "locked":
                self.locked = data["why"]
            case "loaded":
                self.fault, self.locked = "", ""

    def _told(self, data: dict[str, Any]) -> None:
        cards = data.get("cards")
        match data.get("event"):
            case "Loaded":
                self.pack = self.inside = int(cards or 0)
                self.outside = 0
            case "CardDealt":
                self._left(1)
            case "Burned":
                self._left(int(cards or 0))
            case "Returned":
                self._left(-int(cards or 0))
            case "Unloaded":
                self.inside, self.outside = 0, self.pack
            case "Recovered":
                self.inside, self.outside, self.fault = data["inside"], data["outside"], ""
            case "Started":
                self.boots = data["boots"]

    def _left(self, cards: int) -> None:
        self.inside -= cards
        self.outside += cards

    def picture(self) -> dict[str, Any]:
        return asdict(self) | {"fault": words(self.fault), "hint": to_clear(self.fault)}


def to_clear(fault: str) -> str:
    """What hands do about a fault, as far as the driver's hint speaks of hands and not of calls."""
    said, calls, _ = FAULTS.get(fault, "").partition(", then call `")
    return f"{said}. Then count the cards that are not in the machine." if calls else said
