"""Who a device is and what it may run: one small file, written whole, or not at all.

Its key, the slot that starts, the version that may not go down, the keys that may sign images,
and the fault of a changed image are one record on purpose. A device cannot lose the count of
its versions, or the list of its revoked keys, without losing its own key: then no host talks
to it any more, and somebody looks. `trust` is what follows from the record; this is loaded at
each start, that only where an image is looked at.
"""

import os
import struct
from binascii import crc32

from .refused import Refused

FILE = "/cutcard/identity"
# The slot comes first: main.py, which never changes, reads that byte.
_HEAD = "<BIIBH32sB32sB"  # slot, changed, version, production, history, chain, keyed, key, keys
_SIZE = struct.calcsize(_HEAD)
_KEY = "<HB32s"
_KEY_SIZE = struct.calcsize(_KEY)
NO_SLOT = 45  # "-": started from a folder, without an image


class Identity:
    def __init__(self):
        self.slot = NO_SLOT
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
        return data + struct.pack("<I", crc32(data))


def unpacked(data):
    """The record. Raises Refused where it is not one."""
    if data is None or len(data) < _SIZE + 4:
        raise Refused("identity")
    if struct.unpack("<I", data[-4:])[0] != crc32(data[:-4]):
        raise Refused("identity")
    found = Identity()
    (
        found.slot,
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


def read(root=""):
    """The record of this device, or None where it has none."""
    try:
        with open(root + FILE, "rb") as file:
            data = file.read()
    except OSError:
        return None
    return unpacked(data)


def write(identity, root=""):
    """The old record or the new one survives a cut, never neither."""
    path = root + FILE
    with open(path + ".new", "wb") as file:
        file.write(identity.packed())
    os.rename(path + ".new", path)


def key(root):
    """The device's own key, or b"" where it has none or its record cannot be read."""
    try:
        found = read(root)
    except Refused:
        return b""
    return found.key if found else b""


def version(root):
    """Of the image that starts; 0 without one."""
    try:
        found = read(root)
    except Refused:
        return 0
    return found.version if found else 0


def give_key(root, new):
    found = read(root) or Identity()
    found.key = new
    write(found, root)
