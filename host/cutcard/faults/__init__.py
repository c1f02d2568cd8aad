"""The faults of devices, read from `faults.toml`: the only definition of each.

Everything else that lists faults is built from this table, generated from it by `make pages`, or
compared with it by a test: the list in the message schema, the driver's hints, the irregularity
for the round, the pages, and the tests on devices.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

# The device's way back to dealing.
RECOVER, UNLOAD, LOCK, RESUME = "recover", "unload", "lock", "resume"
WAYS_OUT = (RECOVER, UNLOAD, LOCK, RESUME)

_UNKNOWN = "unknown-fault-"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a device; `faults.toml` explains each field."""

    name: str
    sensors: str
    detail: str
    remedy: str
    hint: str
    irregularity: str
    why: str
    way_out: str
    proven: tuple[str, str] | None = None
    restarted: bool = False
    unreported: bool = False
    shown_by: str = ""
    controller_hint: str = ""

    def __post_init__(self) -> None:
        if not self.controller_hint:
            object.__setattr__(self, "controller_hint", self.hint)
        if self.way_out not in WAYS_OUT:
            known = ", ".join(WAYS_OUT)
            raise ValueError(f'fault "{self.name}": way_out "{self.way_out}" is not one of {known}')


def read_faults(text: str) -> dict[str, Fault]:
    """Return the faults of a table by name, in the order of their numbers on the wire.

    Raises ValueError for a duplicate name or an unknown way out, TypeError for a missing or an
    unknown key.
    """
    table: dict[str, Any] = tomllib.loads(text)
    faults: dict[str, Fault] = {}
    for row in table["fault"]:
        fault = _fault(row, table["sentences"])
        if fault.name in faults:
            raise ValueError(f'fault "{fault.name}" is defined twice')
        faults[fault.name] = fault
    return faults


def _fault(row: dict[str, Any], words: dict[str, str]) -> Fault:
    proven = tuple(row["proven"]) if "proven" in row else None
    hints: dict[str, str] = {
        key: str(row[key]).format_map(words) for key in ("hint", "controller_hint") if key in row
    }
    return Fault(**{**row, **hints, "proven": proven})


def fault_name(number: int) -> str:
    """Return the name of a fault by its number on the wire.

    `unknown-fault-27` is a fault of firmware that is newer than this driver.
    """
    names = ("none", *FAULTS)
    return names[number] if number < len(names) else f"{_UNKNOWN}{number}"


def fault_of(name: str) -> Fault:
    """Return a fault by its name, also one that is unknown here.

    Raises KeyError for a name that `fault_name` does not return.
    """
    unknown = re.fullmatch(_UNKNOWN + "([0-9]+)", name)
    if unknown is None:
        return FAULTS[name]
    table: dict[str, Any] = tomllib.loads(_TEXT)
    return _fault({"name": name, **table["unknown"]}, {**table["sentences"], "number": unknown[1]})


_TEXT = (resources.files("cutcard.faults") / "faults.toml").read_text("utf-8")
FAULTS = read_faults(_TEXT)

__all__ = [
    "FAULTS",
    "LOCK",
    "RECOVER",
    "RESUME",
    "UNLOAD",
    "WAYS_OUT",
    "Fault",
    "fault_name",
    "fault_of",
    "read_faults",
]
