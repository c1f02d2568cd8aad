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
_FILE, _FOLDER = (0x8000,) + (0,) * 9, (0x4000,) + (0,) * 9  # as a file system tells of them

# MicroPython's own, whatever lies in a slot: else a file of that name would be loaded first.
for module in (binascii, hashlib, io, machine, os, struct, vfs):
    sys.modules[module.__name__] = module


class View:
    """A slot as a file system of the modules that its manifest names. Each is read to be hashed.
    Those that fit into memory stay there to be loaded; the others are read again."""

    def __init__(self, folder, digest):
        """Where things stand in a manifest is told by core/image/manifest.py."""
        self.path = folder + "/modules"
        self.files = []  # number, name, size, sha256
        self.begins = {}  # by path: None for a folder, where in that file a module begins
        self.read = {}  # modules that are in memory
        self.room = 0  # bytes of modules that still fit there
        self.aside = []
        with open(folder + "/manifest", "rb") as file:
            data = file.read(8192)
        if hashlib.sha256(data[: struct.unpack("<I", data[24:28])[0]]).digest() != digest:
            return
        at = 56 + 104 * data[22]
        self.whole = 0
        for number in range(data[23]):
            size = data[at] | data[at + 1] << 8 | data[at + 2] << 16
            stop = at + 37 + data[at + 4]
            name = data[at + 37 : stop].decode()
            self.files.append((number, name, size, data[at + 5 : at + 37]))
            at = stop
            if name[0] != "/":  # what lies in the root is no module
                self.begins["/" + name] = self.whole
                if "/" in name:
                    self.begins["/" + name[: name.find("/")]] = None
                self.whole += size
        gc.collect()
        free = gc.mem_free()
        self.room = free - AIR
        kept = min(self.room, self.whole)
        if kept > 0:
            try:  # noqa: SIM105
                # What is read lies at the end of memory: given back, it is one large piece there,
                # and no holes between all that stays.
                self.aside = [None] * ((free - kept - 49152) // 4)
            except MemoryError:
                pass
        else:
            gc.threshold(32768)  # what a start leaves behind is swept up as it falls: no holes

    def differences(self):
        """Files that are not as the manifest says: (number, name, whether it is there)."""
        found = []
        with open(self.path, "rb") as modules:
            for number, name, size, digest in self.files:
                try:
                    if self.sha256_of(modules, name, size) != digest:
                        found.append((number, name, True))
                except OSError:
                    found.append((number, name, False))
        self.aside.clear()  # at once, where a collection would take its time
        return found

    def sha256_of(self, modules, name, size):
        digest = hashlib.sha256()
        if name[0] == "/":
            with open(name, "rb") as file:
                return hashed(digest, file, 1 << 30)
        is_last = modules.tell() + size == self.whole
        if size <= self.room:
            self.room -= size
            part = self.read["/" + name] = modules.read(size)
            digest.update(part)
            size = 0
        # Whatever follows the last one belongs to it.
        return hashed(digest, modules, 1 << 30 if is_last else size)

    def drop(self):
        """Give the memory back; what is loaded from here on is read from the flash again."""
        self.read = {}

    # What MicroPython asks a file system when it imports

    def mount(self, readonly, mkfs):
        pass

    def umount(self):
        pass

    def stat(self, path):
        if path not in self.begins:
            raise OSError(2)
        return _FOLDER if self.begins[path] is None else _FILE

    def open(self, path, mode):
        if path in self.read:
            content = self.read[path]
            if not self.files:  # else it is loaded to look, and perhaps once more to run
                del self.read[path]  # whoever loads it has it now, and memory is short
            return io.BytesIO(content)
        file = open(self.path, mode)  # noqa: SIM115
        file.seek(self.begins[path])
        return file


def hashed(digest, file, size):
    """The digest with so many bytes of a file in it, or with those that are there."""
    while size:
        part = file.read(min(size, 512))
        if not part:
            break
        digest.update(part)
        size -= len(part)
    return digest.digest()


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
            view.files = []
            running.run(verdict, view.drop)
            break
        view = None
        if sys.path[0] != FROZEN:
            vfs.umount(sys.path[0])
            sys.path[:] = [FROZEN]
finally:
    if locked:
        machine.reset()
