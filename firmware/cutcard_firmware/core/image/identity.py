"""A device's identity: its key, slot, version and trusted keys in one small file.

The record contains the device's key, the slot that starts, the digest of each slot's verified
manifest, the version that may not decrease, the keys that may sign images, and the fault of a
changed image. These are deliberately in one record: a device cannot lose its version counter or its
list of revoked keys without losing its own key. Then no host accepts it any more, and a person must
check it. `trust` applies the record. This module is loaded at each start, `trust` only when an
image is checked.
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
_FORMAT = 2  # first byte of the checksum, chosen so that no record of format 1 is accepted
# Format 1 had no digests and its checksum began at 0. A bench's folder may still hold one.
_DIGESTS = 64  # bytes, after the slot
_KEY = "<HB32s"
_KEY_SIZE = struct.calcsize(_KEY)
NO_SLOT = 45  # "-": started from a folder, without an image


class Identity:
    def __init__(self):
        self.slot = NO_SLOT
        self.digests = [bytes(32), bytes(32)]  # of the manifests in /image/a and /image/b
        self.changed = 0  # detail of the latched fault
        self.version = 0
        self.production = 0  # 1: has run an image signed by a production key; never reset
        self.history = 0  # serial of the last accepted link of the key history
        self.chain = bytes(32)
        self.key = b""  # the device's own
        self.keys = {}  # number: (flags, public key); `trust` interprets them

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
    """Return the record in these bytes. Raises Refused if they are invalid."""
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
    """Return the offset of the digest of a slot's manifest; `slot` is its letter's code."""
    return 1 if slot == ord("b") else 0


def read(root=""):
    """Return the record of this device, or None if it has no record."""
    try:
        with open(root + FILE, "rb") as file:
            data = file.read()
    except OSError:
        return None
    return unpacked(data)


def write(identity, root=""):
    """Write the record atomically: after a power cut it is the old one or the new one."""
    path = root + FILE
    with open(path + ".new", "wb") as file:
        file.write(identity.packed())
    os.rename(path + ".new", path)


def key_and_version(root):
    """Return the device's own key and the version of the image that starts.

    The key is b"" without a readable record; the version is 0 without an image.
    """
    try:
        found = read(root)
    except Refused:
        found = None
    return (found.key, found.version) if found else (b"", 0)


def give_key(root, new):
    found = read(root) or Identity()
    found.key = new
    write(found, root)
