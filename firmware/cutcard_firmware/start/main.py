"""Stock MicroPython runs this. It starts the image in the slot that the device's identity names.

This file and boot.py never change over the wire, so they do little: the check of an image is
part of the image. `sys.path` names no folder until a slot is chosen, as a file named like one of
MicroPython's own modules would be taken in its place. A copy that cannot even look at itself
leaves the answer to the other slot; whatever ends the device resets it.
"""

import sys

FROZEN = ".frozen"  # modules within MicroPython itself
sys.path[:] = [FROZEN]

import micropython

micropython.kbd_intr(-1)

import binascii
import gc
import hashlib
import os
import struct

import machine

gc.threshold(2048)  # what the check leaves behind is swept up as it falls, and leaves no holes

# MicroPython's own, whatever lies in a slot: else a file of that name would be loaded first.
for module in (binascii, hashlib, machine, os, struct):
    sys.modules[module.__name__] = module


def shadowed(folder, packages=("core",)):
    """Whether something lies there that would be loaded before the compiled modules: a source
    file, or a folder, which MicroPython prefers to a module of the same name."""
    for entry in os.ilistdir(folder):
        name = entry[0]
        if name.endswith(".py") or (
            entry[1] == 0x4000 and (name not in packages or shadowed(folder + "/" + name, ()))
        ):
            return True
    return False


locked = True
try:
    try:
        with open("/cutcard/identity", "rb") as file:
            chosen = chr(file.read(1)[0])
    except (OSError, IndexError):
        chosen = "-"
    for slot in ("b", "a") if chosen == "b" else ("a", "b"):
        sys.path[:] = ["/image/" + slot]
        verdict = None
        try:
            if not shadowed("/image/" + slot):
                import start

                verdict = start.look(slot, chosen)
        except Exception:
            pass
        for name in list(sys.modules):
            if name == "start" or name.split(".")[0] == "core":
                del sys.modules[name]
        start = None
        gc.collect()
        if verdict is not None:
            import running

            locked = verdict[0]
            running.run(verdict)
            break
finally:
    if locked:
        machine.reset()
