"""A device's identity: its key, slot, version and trusted keys in one small file.

Its key, the slot that starts, the digest of each slot's manifest as it was when its signature was
checked, the version that may not go down, the keys that may sign images, and the fault of a
changed image are one record on purpose. A device cannot lose the count of
its versions, or the list of its revoked keys, without losing its own key: then no host talks
to it any more, and somebody looks. `trust` is what follows from the record; this is loaded at
each start, that only where an image is looked at.
"""

import os
import struct
from binascii import crc32

from .refused import Refused

FILE = "/cutcard/identity"
# Slot and digests come first: main.py, which never changes, reads those.
# slot, digests of a and b, changed, version, production, history, chain, keyed, key, keys
_HEAD = "<B32s32sIIBH32sB32sB"
_SIZE = struct.calcsize(_HEAD)
_FORMAT = 2  # where the checksum begins to count, so that no record of format 1 is taken for one
# Format 1 had no digests and its checksum began at 0. A bench's folder may still hold one.
_DIGESTS = 64  # bytes, behind the slot
_KEY = "<HB32s"
_KEY_SIZE = struct.calcsize(_KEY)
NO_SLOT = 45  # "-": started from a folder, without an image


class Identity:
    def __init__(self):
        self.slot = NO_SLOT
        self.digests = [bytes(32), bytes(32)]  # of the manifests in /image/a and /image/b
        self.changed = 0  # detail of the latched fault
        self.version = 0
        self.production = 0  # 1: has run what a production key signed; never goes back
        self.history = 0  # serial of the last link of the key history that it knows
        self.chain = bytes(32)
        self.key = b""  # the device's own
        self.keys = {}  # number: (flags, public key); `trust` knows what they mean

    def packed(self):
        data = struct.pack(
            _HEAD,
            self.slot,
            self.digests[0],
            self.digests[1],
            self.changed,
            self.version,
            self.production,
            self.history,
            self.chain,
            1 if self.key else 0,
            self.key or bytes(32),
            len(self.keys),
        )
        for number in sorted(self.keys):
            flags, public = self.keys[number]
            data += struct.pack(_KEY, number, flags, public)
        return data + struct.pack("<I", crc32(data, _FORMAT))


def unpacked(data):
    """The record in these bytes. Raises Refused if it is none."""
    if len(data) < 4:
        raise Refused("identity")
    checksum = struct.unpack("<I", data[-4:])[0]
    if checksum == crc32(data[:-4]):
        data = data[:1] + bytes(_DIGESTS) + data[1:]
    elif checksum != crc32(data[:-4], _FORMAT):
        raise Refused("identity")
    if len(data) < _SIZE + 4:
        raise Refused("identity")
    found = Identity()
    (
        found.slot,
        found.digests[0],
        found.digests[1],
        found.changed,
        found.version,
        found.production,
        found.history,
        found.chain,
        keyed,
        key,
        keys,
    ) = struct.unpack(_HEAD, data[:_SIZE])
    if len(data) != _SIZE + keys * _KEY_SIZE + 4:
        raise Refused("identity")
    found.key = key if keyed else b""
    for at in range(_SIZE, len(data) - 4, _KEY_SIZE):
        number, flags, public = struct.unpack(_KEY, data[at : at + _KEY_SIZE])
        found.keys[number] = (flags, public)
    return found


def place(slot):
    """The offset of the digest of a slot's manifest; `slot` is its letter's code."""
    return 1 if slot == ord("b") else 0


def read(root=""):
    """The record of this device, or None where it has none."""
    try:
        with open(root + FILE, "rb") as file:
            data = file.read()
    except OSError:
        return None
    return unpacked(data)


def write(identity, root=""):
    """Write the record: after a power cut it is the old one or the new one."""
    path = root + FILE
    with open(path + ".new", "wb") as file:
        file.write(identity.packed())
    os.rename(path + ".new", path)


def key_and_version(root):
    """The device's own key, b"" where it has none or its record cannot be read; and the version of
    the image that starts, 0 without one."""
    try:
        found = read(root)
    except Refused:
        found = None
    return (found.key, found.version) if found else (b"", 0)


def give_key(root, new):
    found = read(root) or Identity()
    found.key = new
    write(found, root)
