"""Runs first, before the USB port exists: nobody can interrupt it, and nothing moves."""

import micropython

micropython.kbd_intr(-1)

import machine_spec
import pins

pins.make_safe(machine_spec.PINS)
