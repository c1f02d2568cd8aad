"""The settings of a bench, as the command line, the client and the tests give them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cutcard.machines import DEFAULT_MACHINE

# Files in its folder: the cards' positions and whether the bench ended properly; the connection
# data of a bench that stays.
STATE = "state.json"
RUNNING = "running.json"


class SettingsError(Exception):
    """The bench was called with invalid settings; the text names the valid ones."""


@dataclass
class Settings:
    machine: str = DEFAULT_MACHINE
    seed: int | None = None  # None: another device each time
    decks: str = "0"  # in the tray (or stack) from the start: 6, or 6x48
    clock: str = "virtual"
    listen: str = ""  # HOST:PORT for TCP; else a pseudo-terminal
    folder: str = ""  # kept across runs; else temporary
    heap: str = "288k"
    provision: bool = True
    blank: bool = False  # stock MicroPython and its flash, like a new board; else the firmware
    lines: bool = True  # line numbers in traces; production images have none
    stays: bool = False  # outlives the program that started it, until a client sends `quit`

    def __post_init__(self) -> None:
        self.decks = str(self.decks)
        if self.seed is not None:
            self.seed = int(self.seed)
        if self.clock not in ("virtual", "real"):
            raise SettingsError(f"clock {self.clock!r}: use virtual or real")
        if not re.fullmatch(r"[1-9][0-9]*[kKmM]?", self.heap):
            raise SettingsError(f"heap {self.heap!r}: use a size such as 192k")
        if self.listen and not re.fullmatch(r".+:[0-9]+", self.listen):
            raise SettingsError(f"listen {self.listen!r}: use HOST:PORT, port 0 for any")
        self.decks_and_pack()
        if self.stays and not self.folder:
            raise SettingsError("a bench that stays is found again by its folder: name one")

    def decks_and_pack(self) -> tuple[int, int]:
        found = re.fullmatch(r"([0-8])(?:x(48|52))?", self.decks)
        if not found:
            raise SettingsError(f"decks {self.decks!r}: use 0 to 8, or 6x48 for decks of 48")
        return int(found[1]), int(found[2] or 52)
