"""The faults of devices, read from `faults.toml`: the only definition of each.

Everything else that lists faults is built from this table, generated from it by `make pages`, or
compared with it by a test: the list in the message schema, the driver's hints, the irregularity
for the round, the pages, and the tests on devices.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

# The device's way back to dealing.
RECOVER, UNLOAD, LOCK, RESUME = "recover", "unload", "lock", "resume"
WAYS_OUT = (RECOVER, UNLOAD, LOCK, RESUME)


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
    untold: bool = False
    shown_by: str = ""

    def __post_init__(self) -> None:
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
        hint = row["hint"].format_map(table["sentences"])
        proven = tuple(row["proven"]) if "proven" in row else None
        fault = Fault(**{**row, "hint": hint, "proven": proven})
        if fault.name in faults:
            raise ValueError(f'fault "{fault.name}" is defined twice')
        faults[fault.name] = fault
    return faults


FAULTS = read_faults((resources.files("cutcard.faults") / "faults.toml").read_text("utf-8"))

__all__ = ["FAULTS", "LOCK", "RECOVER", "RESUME", "UNLOAD", "WAYS_OUT", "Fault", "read_faults"]
