"""Runs in MicroPython: a record on littlefs on a flash in memory, cut off at every write.

The flash is NOR memory: a program clears bits and sets none, an erase sets those of a block, and
a cut leaves either half done.
"""

import os

import vfs
from core.storage.erasable_record import Forgetful

BLOCK, BLOCKS = 4096, 9
BLANK = b"\xff" * BLOCK


EIO = -5


class Nor:
    """What littlefs is told once the power is gone is an error, whatever it asks for."""

    def __init__(self, data):
        self.data = data
        self.cut_in = 0  # writes until the power goes; 0: it stays
        self.torn = 0.0
        self.writes = 0
        self.dead = False

    def readblocks(self, block, buf, offset=0):
        if self.dead:
            return EIO
        at = block * BLOCK + offset
        buf[:] = memoryview(self.data)[at : at + len(buf)]

    def writeblocks(self, block, buf, offset):
        if self.dead:
            return EIO
        at = block * BLOCK + offset
        for number in range(self._done(len(buf))):
            self.data[at + number] &= buf[number]
        return EIO if self.dead else 0

    def ioctl(self, op, arg):
        if op == 6:
            if self.dead:
                return EIO
            done = self._done(BLOCK)
            self.data[arg * BLOCK : arg * BLOCK + done] = BLANK[:done]
            return EIO if self.dead else 0
        return {4: BLOCKS, 5: BLOCK}.get(op, 0)

    def _done(self, size):
        """Bytes of this write that are still written."""
        self.writes += 1
        self.dead = self.writes == self.cut_in
        return int(size * self.torn) if self.dead else size


class Direct:
    """The same flash to whoever is not littlefs: an error is raised."""

    def __init__(self, flash):
        self.ioctl = flash.ioctl
        self._flash = flash

    def readblocks(self, *arguments):
        if self._flash.readblocks(*arguments) == EIO:
            raise OSError(5)

    def writeblocks(self, *arguments):
        if self._flash.writeblocks(*arguments) == EIO:
            raise OSError(5)


def start(flash):
    """As a device does: mount what is there, and load the record."""
    vfs.mount(vfs.VfsLfs2(flash, progsize=256, mtime=False), "/flash")
    record = Forgetful("/flash/record", "/flash/keys", Direct(flash))
    return record, record.load()


def stop(flash):
    """Whatever is open now never writes again."""
    flash.dead = True
    vfs.umount("/flash")


def contents(number):
    return b"record %d" % number * (1 + number % 30)


def live_keys(flash):
    """Slots of the two files that hold something."""
    found = 0
    for name in os.listdir("/flash"):
        if name.startswith("keys"):
            with open("/flash/" + name, "rb") as file:
                file.read(16)
                for _ in range(1, BLOCK // 16):
                    slot = file.read(16)
                    found += slot != BLANK[:16] and any(slot)
    return found


def cut_at_every_write(first, stored):
    """From the `first` record on, `stored` records; the power goes at each write of them."""
    data = bytearray(BLANK * BLOCKS)
    before = bytearray(len(data))  # while there is so much room in one piece
    flash = Nor(data)
    vfs.VfsLfs2.mkfs(flash, progsize=256)
    record, _ = start(flash)
    for number in range(first):
        record.store([contents(number)])
    stop(flash)
    before[:] = data
    cuts = 0
    for torn in (0.0, 0.5, 1.0):
        at = 0
        while True:
            at += 1
            data[:] = before
            flash = Nor(data)
            flash.torn = torn
            record, found = start(flash)
            assert found == (contents(first - 1) if first else None)
            flash.writes, flash.cut_in = 0, at
            number = first
            try:
                for number in range(first, first + stored):
                    record.store([contents(number)])
                stop(flash)
                break
            except OSError:
                cuts += 1
            stop(flash)
            flash = Nor(data)
            record, found = start(flash)
            before_it = contents(number - 1) if number else None
            assert found in (before_it, contents(number)), (torn, at, found)
            assert found is None or live_keys(flash) == 1, (torn, at)
            record.store([contents(number)])
            stop(flash)
            flash = Nor(data)
            record, found = start(flash)
            assert found == contents(number)
            assert live_keys(flash) == 1
            stop(flash)
    return cuts
