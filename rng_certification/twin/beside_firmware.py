"""Compare the twin's cards with those dealt by the firmware in MicroPython."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from types import ModuleType

import numpy as np

from rng_certification.base.interpreter import in_micropython
from rng_certification.twin.carousel import CarouselTwin
from rng_certification.twin.source import TwinSource
from rng_certification.twin.streams import Mechanism

SCRIPTS = Path(__file__).parent / "scripts"
_NAME, _INTERVAL = "table 3", 1024
_PIECE = 1000


def firmware_history() -> ModuleType:
    """Load the firmware's history in CPython, where `core` is `cutcard_firmware.core`."""
    source = (SCRIPTS / "firmware_history.py").read_text()
    source = source.replace("from core", "from cutcard_firmware.core")
    module = ModuleType("firmware_history")
    exec(compile(source, "firmware_history.py", "exec"), module.__dict__)
    return module


def call_for(machine: Mechanism, pack: int, cards: int) -> str:
    """Return the call of the firmware's script: digests of a history with these settings."""
    row = machine.row(pack)
    rows = {pack: tuple(row)} if row else {}
    size = (machine.bins, machine.capacity, machine.chute_low)
    kind = f"0, False, {machine.single}, {rows}"
    return f"show_history({_NAME!r}, {_INTERVAL}, {size}, {pack}, {cards}, {kind})"


def twin_says(machine: Mechanism, pack: int, cards: int) -> list[str]:
    """Return the twin's digests of the cards and of their bins, and the number of fed cards."""
    twin = CarouselTwin(
        firmware_history().start(TwinSource, _NAME, _INTERVAL),
        machine.bins,
        machine.capacity,
        machine.chute_low,
        pack,
        single=machine.single,
        row=machine.row(pack),
    )
    left, fed = sha256(), sha256()
    for _ in range(0, cards, _PIECE):
        before = twin.fed
        left.update(twin.deal(_PIECE).tobytes())
        fresh = twin.bins.take(np.arange(before, twin.fed), mode="wrap")
        fed.update(fresh.astype(np.uint16).tobytes())
    return [left.hexdigest(), fed.hexdigest(), str(twin.fed)]


def deals_as_the_firmware(machine: Mechanism, pack: int, cards: int) -> bool:
    """Return whether the cards, and the bins of all returned cards, are identical."""
    program = f"from firmware_history import *\n{call_for(machine, pack, cards)}\n"
    said = in_micropython(program, str(SCRIPTS)).decode().split()
    return said == twin_says(machine, pack, cards)
