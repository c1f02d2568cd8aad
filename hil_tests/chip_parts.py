"""Check for the parts that tests on the emulated chip need in addition to the bench.

In CI a missing part is a failure. Elsewhere the tests are skipped with the missing part and the
reason.
"""

from __future__ import annotations

from cutcard.bench.firmware import FirmwareError
from cutcard.chip.parts import MICROPYTHON, boot_rom, node
from firmware.tests.interpreters import missing

RING = 1016  # milliseconds of pin samples that a board stores until it reads them
GAP = 500  # the longest time between two reads


def need_the_chip() -> None:
    if not MICROPYTHON.exists():
        why = MICROPYTHON.parent / "missing.txt"
        missing(
            why.read_text().strip()
            if why.exists()
            else "there is no MicroPython for the chip: run make micropython"
        )
    try:
        node()
        boot_rom()
    except FirmwareError as error:
        missing(str(error))
