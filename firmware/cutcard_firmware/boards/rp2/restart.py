"""The cause of the board's start, and the restart after a crash. `machine` is the module.

The chip distinguishes a watchdog from a power-up, but its own `reset()` also uses the watchdog. A
word in a scratch register, which survives any reset except a power cut, distinguishes these two.
"""

import sys

POWER, WATCHDOG, RESET = range(3)  # positions in core.schema.messages.CAUSES

_SCRATCH0 = {"RP2040": 0x4005800C, "RP2350": 0x400D800C}
_ON_PURPOSE = 0x0CA4D


def chip():
    """Return MicroPython's name of the board, such as "Raspberry Pi Pico with RP2040"."""
    return sys.implementation._machine


def cause(machine, on=None):
    """Return the position in CAUSES. Call this once: it clears the word."""
    address = _scratch(on or chip())
    on_purpose = machine.mem32[address] == _ON_PURPOSE
    machine.mem32[address] = 0
    if machine.reset_cause() != machine.WDT_RESET:
        return POWER
    return RESET if on_purpose else WATCHDOG


def note_crash(machine, on=None):
    """Mark the next reset as one after a crash."""
    machine.mem32[_scratch(on or chip())] = _ON_PURPOSE


def _scratch(on):
    for name, address in _SCRATCH0.items():
        if name in on:
            return address
    raise ValueError("no scratch register is known on " + on)
