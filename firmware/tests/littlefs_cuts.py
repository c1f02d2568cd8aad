"""Cut the power at every write of a record on littlefs, on a flash in memory. Runs in MicroPython.

The flash is NOR memory: programming only clears bits, an erase sets all bits of a block, and a
power cut leaves either operation incomplete.
"""

import os

import vfs
from core.storage.erasable_record import Forgetful

BLOCK, BLOCKS = 4096, 9
BLANK = b"\xff" * BLOCK


EIO = -5


class Nor:
    """A NOR flash that answers every request of littlefs with an error after a power cut."""

    def __init__(self, data):
        self.data = data
        self.cut_in = 0  # writes until the power cut; 0: no cut
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
        """Return the number of bytes of this write that precede the power cut."""
        self.writes += 1
        self.dead = self.writes == self.cut_in
        return int(size * self.torn) if self.dead else size


class Direct:
    """The same flash for callers other than littlefs: it raises errors."""

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
    """Mount the existing file system and load the record, as a device does."""
    vfs.mount(vfs.VfsLfs2(flash, progsize=256, mtime=False), "/flash")
    record = Forgetful("/flash/record", "/flash/keys", Direct(flash))
    return record, record.load()


def stop(flash):
    """Prevent every open file from writing again."""
    flash.dead = True
    vfs.umount("/flash")


def contents(number):
    return b"record %d" % number * (1 + number % 30)


def live_keys(flash):
    """Return the slots of the two files that are not blank."""
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
    """Store `stored` records after the `first` one, with a power cut at each of their writes."""
    data = bytearray(BLANK * BLOCKS)
    before = bytearray(len(data))  # allocated early, while memory has a free block of this size
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
