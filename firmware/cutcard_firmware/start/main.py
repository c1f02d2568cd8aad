"""Stock MicroPython runs this. It starts the image in the slot that the device's identity names.

This file and boot.py never change over the wire, so they do little: the check of an image is
part of the image. But nothing of a slot runs, the check least of all, unless the slot's manifest
is the one whose signature was checked when it came (the identity keeps its digest), and the check
and the core that it is made of are as that manifest says. `sys.path` names no folder until a
slot is chosen, as a file named like one of MicroPython's own modules would be taken in its place.
A copy that cannot even look at itself leaves the answer to the other slot; whatever ends the
device resets it.
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


def sha256_of(path):
    digest = hashlib.sha256()
    buffer = memoryview(bytearray(512))
    with open(path, "rb") as file:
        while True:
            size = file.readinto(buffer)
            if not size:
                return digest.digest()
            digest.update(buffer[:size])


def may_look(folder, digest):
    """Whether the manifest there has this digest, and its `start` and `core` are what it says.
    Where things stand in a manifest is told by core/manifest.py."""
    with open(folder + "/manifest", "rb") as file:
        data = file.read(8192)
    if hashlib.sha256(data[: struct.unpack("<I", data[24:28])[0]]).digest() != digest:
        return False
    at = 56 + 104 * data[22]
    starts = False
    for _ in range(data[23]):
        name = data[at + 37 : at + 37 + data[at + 4]].decode()
        if name == "start.mpy" or name.startswith("core/"):
            if sha256_of(folder + "/" + name) != data[at + 5 : at + 37]:
                return False
            starts = starts or name == "start.mpy"
        at += 37 + data[at + 4]
    return starts


locked = True
try:
    try:
        with open("/cutcard/identity", "rb") as file:
            record = file.read(65)  # the slot, and the digest of each slot's manifest
        chosen = chr(record[0])
    except (OSError, IndexError):
        record = b""
        chosen = "-"
    for slot in ("b", "a") if chosen == "b" else ("a", "b"):
        sys.path[:] = ["/image/" + slot]
        verdict = None
        try:
            digest = record[1:33] if slot == "a" else record[33:65]
            if not shadowed("/image/" + slot) and may_look("/image/" + slot, digest):
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
