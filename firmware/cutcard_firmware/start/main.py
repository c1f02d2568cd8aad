"""Stock MicroPython runs this. It starts the image in the slot that the device's identity names.

This file and boot.py never change over the wire, so they do little: the check of an image is
part of the image. But nothing of a slot runs, the check least of all, unless the slot's manifest
is the one whose signature was checked when it came (the identity keeps its digest), and the check
and the core that it is made of are as that manifest says. `sys.path` names no folder: a file named
like one of MicroPython's own modules would be taken in its place. It names a view of the slot, in
which there is what the manifest names and nothing else. A copy that cannot even look at itself
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
import io
import os
import struct

import machine
import vfs

AIR = 131072  # bytes of memory that a start needs beside the files

# MicroPython's own, whatever lies in a slot: else a file of that name would be loaded first.
for module in (binascii, hashlib, io, machine, os, struct, vfs):
    sys.modules[module.__name__] = module


class View:
    """A slot as a file system of the files that its manifest names. They are read once, to be
    hashed and then, where memory has room for all of them, loaded from there: a board looks for a
    file for 5 ms, and for each module it looks for four."""

    def __init__(self, folder, digest):
        """Where things stand in a manifest is told by core/manifest.py."""
        self.folder = folder
        self.files = []  # number, name, sha256, beginning and end in the room
        self.names = ""
        self.room = None
        with open(folder + "/manifest", "rb") as file:
            data = file.read(8192)
        if hashlib.sha256(data[: struct.unpack("<I", data[24:28])[0]]).digest() != digest:
            return
        at = 56 + 104 * data[22]
        end = 0
        for number in range(data[23]):
            begin = end
            end += data[at] | data[at + 1] << 8 | data[at + 2] << 16
            stop = at + 37 + data[at + 4]
            name = "/" + data[at + 37 : stop].decode()
            self.files.append((number, name, data[at + 5 : at + 37], begin, end))
            at = stop
        self.names = "\n".join([""] + [each[1] for each in self.files] + [""])
        gc.collect()
        free = gc.mem_free()
        if free > end + AIR:
            try:
                # At the end of memory: a search for a free piece passes by all that lies before it.
                aside = bytearray(free - end - 16384)
                self.room = memoryview(bytearray(end))
            except MemoryError:
                aside = None
            del aside
            gc.collect()
        if self.room is None:
            gc.threshold(32768)  # what a start leaves behind is swept up as it falls: no holes

    def differences(self):
        """Files that are not as the manifest says: (number, name, whether it is there)."""
        found = []
        for number, name, digest, begin, end in self.files:
            try:
                if self.sha256_of(name, begin, end) != digest:
                    found.append((number, name[1:], True))
            except OSError:
                found.append((number, name[1:], False))
        return found

    def sha256_of(self, name, begin, end):
        hashed = hashlib.sha256()
        room = memoryview(bytearray(512)) if self.room is None else self.room[begin:end]
        with open(name[1:] if name[1] == "/" else self.folder + name, "rb") as file:
            while True:
                size = file.readinto(room)
                if not size:
                    return hashed.digest()
                hashed.update(room[:size])

    def drop(self):
        """Give the memory back; what is loaded from here on is read from the flash again."""
        self.files = []
        self.room = None

    # What MicroPython asks a file system when it imports

    def mount(self, readonly, mkfs):
        pass

    def umount(self):
        pass

    def stat(self, path):
        if "\n" + path + "\n" in self.names:
            return (0x8000,) + (0,) * 9
        if "\n" + path + "/" in self.names:
            return (0x4000,) + (0,) * 9
        raise OSError(2)

    def open(self, path, mode):
        if self.room is not None:
            for _, name, _, begin, end in self.files:
                if name == path:
                    return io.BytesIO(self.room[begin:end])
        return open(self.folder + path, mode)


def may_look(view, differ):
    """Whether the check, and the core that it is made of, are there and as the manifest says."""
    for _, name, _ in differ:
        if name == "start.mpy" or name.startswith("core/"):
            return False
    return bool(view.files)


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
        verdict = None
        try:
            view = View("/image/" + slot, record[1:33] if slot == "a" else record[33:65])
            differ = view.differences()
            if may_look(view, differ):
                vfs.mount(view, "/" + slot)
                sys.path[:] = ["/" + slot]
                import start

                verdict = start.look(slot, chosen, differ)
        except Exception:
            pass
        for name in list(sys.modules):
            if name == "start" or name.split(".")[0] == "core":
                del sys.modules[name]
        start = differ = None
        gc.collect()
        if verdict is not None:
            import running

            locked = verdict[0]
            running.run(verdict, view.drop)
            break
        view = None
        if sys.path[0] != FROZEN:
            vfs.umount(sys.path[0])
            sys.path[:] = [FROZEN]
finally:
    if locked:
        machine.reset()
