"""Runs before the USB port exists: from here on, no received byte interrupts the device.

No other file in this folder can replace a module."""

import sys

sys.path[:] = [".frozen"]

import micropython

micropython.kbd_intr(-1)
