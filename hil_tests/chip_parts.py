"""What the tests on the emulated chip need besides the bench, and what is said where it is missing.

In CI a missing part is a failure. Elsewhere the tests are skipped, and say which part and why.
"""

from __future__ import annotations

from cutcard.bench.firmware import FirmwareError
from cutcard.chip.parts import MICROPYTHON, boot_rom, node
from firmware.tests.interpreters import missing

RING = 1016  # milliseconds of samples of the pins that a board keeps until it looks at them
GAP = 500  # the longest that it may go without a look


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
