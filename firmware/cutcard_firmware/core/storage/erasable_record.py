"""An encrypted flash record; its key is destroyed when the record is replaced.

littlefs writes a new version next to the old one and leaves the old one until it needs the block,
so a copy of the chip contains weeks of data. So a record is encrypted, each time with another key,
and the keys are stored where they can be destroyed: in the only block of a file that is not written
again, and which littlefs therefore does not move or copy. Flash takes zeros without an erase, so a
key is destroyed in place:

1. a new key is programmed into the next blank slot of the block;
2. littlefs writes the record encrypted with it: a power cut leaves the old one or the new one;
3. the slot of the old key is programmed with zeros, and read back.

A cut leaves the key of the record, and at most one other, which the next start destroys. A block
lasts for 255 records. Then a second file is used, and the first is written again after that one:
because littlefs chooses the block, the wear moves around the chip. A marker identifies the block:
the file begins with random bytes that are searched in the entire flash.
"""

import os
import struct
from binascii import crc32
from hashlib import sha256

from ..crypto.session_keys import equal, wipe
from ..byte_ops import mix

_BLOCK = 4096
_PAGE = 256
_KEY = 16
_SLOTS = _BLOCK // _KEY  # of a file; the first one contains the marker
_BLANK = b"\xff" * _PAGE
_DESTROYED = bytes(_PAGE)
_HEAD = "<IH"  # CRC-32 of the rest, with its length, and the length of the contents
_HEAD_SIZE = 6
_SMALL = 208  # a record of this size and littlefs's own bytes make one page


class Forgetful:
    """A record of some parts, at `path`. An OSError means that the old one may still exist."""

    def __init__(self, path, keys, flash):
        self._path = path
        self._keys = Keys(keys, flash)
        self._settled = False  # the matching key is known, and no other is left
        self._file = None

    def load(self):
        """Return the contents as last stored, or None if they cannot be read."""
        self._keys.look()
        data = _read(self._path, -1)
        for slot in self._keys.live:
            contents = _opened(data, self._keys.key(slot))
            if contents is not None:
                try:
                    self._keys.destroy_all_but(slot)
                    self._settled = True
                except OSError:
                    pass  # an error of the next `store`
                return contents
        return None

    def store(self, parts):
        """Store the parts: when this returns they are durable, and the earlier contents are
        destroyed."""
        if not self._settled and self.load() is None:
            self._keys.destroy_all_but(None)  # they match no record
        self._settled = False
        slot, key = self._keys.add()
        try:
            if self._file is None:
                self._file = open(self._path, "wb")  # noqa: SIM115
            self._file.seek(0)
            for part in _crypted(key, _whole(parts)):
                self._file.write(part)
            self._file.flush()
        except OSError:
            self.close()
            raise
        finally:
            wipe(key)
        self._keys.destroy_all_but(slot)
        self._settled = True

    def close(self):
        """Drop buffered bytes of a failed write, which must not reach the flash later."""
        try:
            if self._file is not None:
                self._file.close()
        except OSError:
            pass
        self._file = None


def _read(path, size):
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _crypted(key, parts):
    """Encrypt or decrypt with a key's own stream, used for one record: SHA-256 over key and count.

    Only as much of the stream is in memory as a part is long.
    """
    counted = bytearray(_KEY + 2)
    counted[:_KEY] = key
    stream = bytearray()
    blocks = 0
    for part in parts:
        mixed = bytearray(part)
        size = len(mixed)
        while len(stream) < size:
            struct.pack_into("<H", counted, _KEY, blocks)
            stream.extend(sha256(counted).digest())
            blocks += 1
        mix(mixed, 0, size, stream)
        stream = stream[size:]
        yield mixed
    wipe(counted)


def _whole(parts):
    """Return the contents with head and zeros: few lengths occur, so the length reveals little."""
    size = crc = 0
    for part in parts:
        crc = crc32(part, crc)
        size += len(part)
    padding = bytes((_SMALL - _HEAD_SIZE - size) % _PAGE)
    yield struct.pack(_HEAD, crc32(padding, crc) ^ size, size)
    yield from parts
    yield padding


def _opened(data, key):
    """Return the contents, or None if the key does not match."""
    if len(data) < _SMALL:
        return None
    data = b"".join(_crypted(key, (data[at : at + _PAGE] for at in range(0, len(data), _PAGE))))
    crc, size = struct.unpack(_HEAD, data[:_HEAD_SIZE])
    end = size + (_SMALL - _HEAD_SIZE - size) % _PAGE  # after it are remains of a longer record
    if crc32(data[_HEAD_SIZE : _HEAD_SIZE + end]) ^ size != crc:
        return None
    return bytes(data[_HEAD_SIZE : _HEAD_SIZE + size])


class Keys:
    """The slots of two files, `path` and a digit, numbered consecutively; one has the current
    key."""

    def __init__(self, path, flash):
        self._path = path
        self._flash = flash
        self._page = bytearray(_PAGE)
        self._blocks: list = [None, None]  # of the flash, for the two files
        self._used = [_SLOTS, _SLOTS]  # slots of each file that are not blank any more
        self.live = []  # slots with a key

    def look(self):
        """Find the blocks of both files, and their contents."""
        self.live = []
        self._find_blocks([_read(self._path + str(which), _KEY) for which in (0, 1)])
        for which in (0, 1):
            self._used[which] = _SLOTS
            if self._blocks[which] is not None:
                self._used[which] = 1
                for offset in range(0, _BLOCK, _PAGE):
                    self._look_at(which, offset)

    def _look_at(self, which, offset):
        """Scan a block. Most pages are blank or have only destroyed keys, and need no second
        scan."""
        page = self._page
        self._flash.readblocks(self._blocks[which], page, offset)
        if page == _BLANK:
            return
        first = offset // _KEY
        if page == _DESTROYED:
            self._used[which] = first + _PAGE // _KEY
            return
        for slot in range(max(first, 1), first + _PAGE // _KEY):
            held = page[(slot - first) * _KEY : (slot - first + 1) * _KEY]
            if held != _BLANK[:_KEY]:
                self._used[which] = slot + 1
                if any(held):
                    self.live.append(which * _SLOTS + slot)
        wipe(page)

    def key(self, slot):
        key = bytearray(_KEY)
        self._flash.readblocks(self._blocks[slot // _SLOTS], key, slot % _SLOTS * _KEY)
        return key

    def add(self):
        """Return a slot and its new key, durable."""
        key = bytearray(sha256(os.urandom(64)).digest()[:_KEY])
        while True:
            which = self._with_room()
            slot = which * _SLOTS + self._used[which]
            self._used[which] += 1
            self.live.append(slot)
            if self._put(slot, key):
                return slot, key
            self._destroy(slot)  # it was not completely blank, or is worn
            self.live.pop()

    def destroy_all_but(self, kept):
        for slot in self.live:
            if slot != kept:
                self._destroy(slot)
        self.live = [kept] if kept else []

    def _destroy(self, slot):
        if not self._put(slot, bytes(_KEY)):
            raise OSError(5)  # a flash that cannot erase keys must not be used

    def _put(self, slot, content):
        """Program one page, of which only the slot changes; return whether that succeeded."""
        at = slot * _KEY % _PAGE
        self._page[:] = _BLANK
        self._page[at : at + _KEY] = content
        block = self._blocks[slot // _SLOTS]
        self._flash.writeblocks(block, self._page, slot % _SLOTS * _KEY - at)
        self._page[at : at + _KEY] = bytes(_KEY)
        return equal(self.key(slot), content)

    def _with_room(self):
        """Return a file with blank slots; if there is none, rewrite the file without the current
        key.

        (Removing it first was measured: the wear is then less even.)
        """
        for which in (0, 1):
            if self._blocks[which] is None:
                self._make(which)
        for which in (0, 1):
            if self._used[which] < _SLOTS:
                return which
        which = 1 if self.live and self.live[0] < _SLOTS else 0
        self._make(which)
        return which

    def _make(self, which):
        """Create a file in a block chosen by littlefs: it is too long to be stored inline."""
        marker = os.urandom(_KEY)
        with open(self._path + str(which), "wb") as file:
            file.write(marker + _BLANK[_KEY:])
            for _ in range(_PAGE, _BLOCK, _PAGE):
                file.write(_BLANK)
        self._find_blocks([marker if which == each else None for each in (0, 1)])
        if self._blocks[which] is None:
            raise OSError(5)
        self._used[which] = 1

    def _find_blocks(self, markers):
        """Find the blocks that begin with these markers, in one pass: the entire flash takes 15 ms.

        A marker found twice is ignored, because the file's own block cannot be determined.
        """
        times = [0, 0]
        head = bytearray(_KEY)
        read = self._flash.readblocks
        for which in (0, 1):
            if markers[which] is not None:
                self._blocks[which] = None
        for block in range(self._flash.ioctl(4, 0) if any(markers) else 0):
            read(block, head, 0)
            if head in markers:
                which = markers.index(head)
                times[which] += 1
                self._blocks[which] = block if times[which] == 1 else None
