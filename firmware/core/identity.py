"""Who a device is and what it may run: one small file, written whole, or not at all.

Its key, the slot that starts, the version that may not go down, the keys that may sign images,
and the fault of a changed image are one record on purpose. A device cannot lose the count of
its versions, or the list of its revoked keys, without losing its own key: then no host talks
to it any more, and somebody looks.
"""

import os
import struct
from binascii import crc32

from . import manifest as mf

FILE = "/cutcard/identity"
# The slot comes first: main.py, which never changes, reads that byte.
_HEAD = "<BIIBH32sB32sB"  # slot, changed, version, production, history, chain, keyed, key, keys
_SIZE = struct.calcsize(_HEAD)
_KEY = "<HB32s"
_KEY_SIZE = struct.calcsize(_KEY)
REVOKED = 2  # beside manifest.DEVELOPMENT, a key's flags
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
        self.keys = {}  # number: (flags, public key)

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

    def take_root(self, link):
        """The first key of all, from whoever flashed the blank device."""
        serial, what, flags, number, public, _, _ = mf.unpack_link(link)
        if serial or what != mf.ADD or not number:
            raise mf.Refused("link", serial)
        self.keys = {number: (flags & mf.DEVELOPMENT, public)}
        self.chain = mf.chain(bytes(32), link)
        self.history = 0


def unpacked(data):
    """The record. Raises Refused where it is not one."""
    if data is None or len(data) < _SIZE + 4:
        raise mf.Refused("identity")
    if struct.unpack("<I", data[-4:])[0] != crc32(data[:-4]):
        raise mf.Refused("identity")
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
        raise mf.Refused("identity")
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


def learn(identity, data, head, verify, feed):
    """Follow the image's key history from where the device is. Each link counts once, in its
    order, and only by a key that the device trusts: the list goes forward, never back."""
    for link in mf.links(data, head):
        serial, what, flags, number, public, signer, signature = mf.unpack_link(link)
        if serial <= identity.history:
            continue
        if serial != identity.history + 1:
            raise mf.Refused("link", serial)
        trusted(identity, signer)
        if not verify(identity.keys[signer][1], mf.link_message(identity.chain, link), signature):
            raise mf.Refused("link", serial)
        feed()
        if what == mf.ADD and number > max(identity.keys):
            identity.keys[number] = (flags & mf.DEVELOPMENT, public)
        elif what == mf.REVOKE and number in identity.keys and number < signer:
            known = identity.keys[number]
            identity.keys[number] = (known[0] | REVOKED, known[1])
        else:
            raise mf.Refused("link", serial)
        identity.chain = mf.chain(identity.chain, link)
        identity.history = serial


def trusted(identity, number):
    """Raises Refused unless what that key signs is believed."""
    if number not in identity.keys:
        raise mf.Refused("unknown-key", number)
    flags = identity.keys[number][0]
    if flags & REVOKED:
        raise mf.Refused("revoked-key", number)
    if flags & mf.DEVELOPMENT and identity.production:
        raise mf.Refused("development-key", number)


def check_signature(identity, data, head, signature, verify, feed):
    """The manifest is signed by a key that this device trusts, and may say what it says."""
    if signature == bytes(mf.SIGNATURE):
        raise mf.Refused("unsigned")
    learn(identity, data, head, verify, feed)
    trusted(identity, head.key)
    flags, public = identity.keys[head.key]
    if head.flags & mf.DEVELOPMENT != flags & mf.DEVELOPMENT:
        raise mf.Refused("development-key", head.key)
    if head.flags & mf.OPEN_CONSOLE and not flags & mf.DEVELOPMENT:
        raise mf.Refused("console")
    if not verify(public, mf.message(data, head), signature):
        raise mf.Refused("signature", head.key)
    feed()


def check_fits(head, implementation):
    """The image is for this chip and this MicroPython. `implementation` is sys.implementation."""
    if not head.boards & board(implementation):
        raise mf.Refused("board", head.boards)
    mpy = getattr(implementation, "_mpy", 0)
    if (
        tuple(implementation[1][:2]) < head.micropython
        or mpy & 0xFF != head.mpy
        or mpy >> 8 & 3 < head.mpy_sub
    ):
        raise mf.Refused("micropython", head.micropython[0] << 8 | head.micropython[1])


def board(implementation):
    """The bit of manifest.BOARDS that this is."""
    name = getattr(implementation, "_machine", "")
    return 1 if "RP2040" in name else 2 if "RP2350" in name else 4


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
    except mf.Refused:
        return b""
    return found.key if found else b""


def version(root):
    """Of the image that starts; 0 without one."""
    try:
        found = read(root)
    except mf.Refused:
        return 0
    return found.version if found else 0


def give_key(root, new):
    found = read(root) or Identity()
    found.key = new
    write(found, root)
