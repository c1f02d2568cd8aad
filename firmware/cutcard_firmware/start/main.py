"""Start the image in the slot that the device's identity names. Stock MicroPython runs this file.

This file and boot.py never change over the wire, so they do little: the check of an image is part
of the image. No code of a slot runs, including the check, unless two conditions hold:

- the slot's manifest has the digest in the identity; its signature was verified on arrival;
- the check and the core modules that it uses match the manifest.

`sys.path` contains no folder, because a file with the name of one of MicroPython's own modules
would replace it. It contains a view of the slot with only the files in the manifest. If a slot
cannot check itself, the other slot answers. Any exit of this file resets the device.
"""

import sys

FROZEN = ".frozen"  # the modules frozen into MicroPython
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

AIR = 131072  # bytes of memory that a start needs in addition to the files
_FILE, _FOLDER = (0x8000,) + (0,) * 9, (0x4000,) + (0,) * 9  # results of stat

# Load MicroPython's own modules now: later, a file of that name in a slot would take precedence.
for module in (binascii, hashlib, io, machine, os, struct, vfs):
    sys.modules[module.__name__] = module


class View:
    """A slot as a file system of the modules in its manifest.

    Every module is read for its hash. Modules that fit into memory stay there until they are
    loaded; the others are read again."""

    def __init__(self, folder, digest):
        """Read the manifest. core/image/manifest.py documents its format."""
        self.path = folder + "/modules"
        self.files = []  # number, name, size, sha256
        self.begins = {}  # by path: None for a folder, or the offset of a module in the file
        self.read = {}  # modules that are in memory
        self.room = 0  # bytes of modules that still fit into memory
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
            if name[0] != "/":  # a file in the root is no module
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
                # Modules are read into the end of memory: freed, they leave one large block, and
                # no holes between objects that stay.
                self.aside = [None] * ((free - kept - 49152) // 4)
            except MemoryError:
                pass
        else:
            gc.threshold(32768)  # collect garbage often, to avoid holes

    def differences(self):
        """Return the files that differ from the manifest: (number, name, whether it exists)."""
        found = []
        with open(self.path, "rb") as modules:
            for number, name, size, digest in self.files:
                try:
                    if self.sha256_of(modules, name, size) != digest:
                        found.append((number, name, True))
                except OSError:
                    found.append((number, name, False))
        self.aside.clear()  # faster than a collection
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
        # Bytes after the last module count as part of it.
        return hashed(digest, modules, 1 << 30 if is_last else size)

    def drop(self):
        """Free the modules in memory; later imports read them from the flash again."""
        self.read = {}

    # the methods of a file system that MicroPython's import calls

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
            if not self.files:  # before, the check loads it, and the run may load it again
                del self.read[path]  # memory is short, and the importer has its own reference
            return io.BytesIO(content)
        file = open(self.path, mode)  # noqa: SIM115
        file.seek(self.begins[path])
        return file


def hashed(digest, file, size):
    """Add up to `size` bytes of a file to the digest, and return its value."""
    while size:
        part = file.read(min(size, 512))
        if not part:
            break
        digest.update(part)
        size -= len(part)
    return digest.digest()


def may_look(view, differ):
    """Return whether the check and the core modules that it uses match the manifest."""
    for _, name, _ in differ:
        if name == "start.mpy" or name.startswith("core/"):
            return False
    return bool(view.files)


locked = True
try:
    try:
        with open("/cutcard/identity", "rb") as file:
            record = file.read(65)  # the slot and both manifests' digests
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
