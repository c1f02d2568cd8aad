# ruff: noqa: F821
# mypy: ignore-errors
"""Read the ring oscillator of an RP2040 at a constant rate, in its processor's own instructions.

In MicroPython, a read takes three times as long as the interval in the machine file. Register
facts: RP2040 datasheet 2.17.8 and 4.6.5.
"""

import micropython


@micropython.viper
def look(buf: ptr8, size: int, interval: int):
    # A bit of the oscillator into each byte, one every `interval` microseconds.
    bit = ptr32(0x4006001C)  # ROSC_RANDOMBIT
    timer = ptr32(0x40054028)  # TIMERAWL
    due = timer[0]
    for at in range(size):
        due += interval
        while timer[0] - due < 0:  # also across the wrap
            pass
        buf[at] = bit[0] & 1
