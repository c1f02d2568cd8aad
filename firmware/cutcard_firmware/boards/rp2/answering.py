"""The part of a board that a device needs to answer only: a cable, a watchdog, a serial number.

No motor, no sensor and no noise is touched.
"""

import os
import time

import lines
import machine
import rp2

_WATCHDOG = 8388  # milliseconds: the most that an RP2040 can count


class Answering:
    root = ""

    def __init__(self, spec):
        self.serial = machine.unique_id()
        self.flash = rp2.Flash()
        self.cable = lines.connect(spec)
        self.send = self.cable.send
        self.watchdog = machine.WDT(timeout=_WATCHDOG)

    def now(self):
        return time.ticks_ms()

    def fresh(self, size):
        return os.urandom(size)

    def feed_watchdog(self):
        self.watchdog.feed()

    def breathe(self):
        self.feed_watchdog()

    def wait(self, milliseconds, busy, device):
        self.cable.wait(milliseconds)
        device.receive(self.cable.read())
