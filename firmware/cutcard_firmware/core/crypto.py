"""What both ends of the wire compute from a device's key: proofs, session keys, tags, cipher.

The host imports this module too; there is no second version of it to disagree with.
"""

import struct
from hashlib import sha256

from .loops import difference, mix

TAG = 16


class Mac:
    """HMAC-SHA256 with one key (32 bytes), its two pads worked out once."""

    def __init__(self, key):
        self.inner = bytearray(64)
        self.outer = bytearray(64)
        for i in range(64):
            byte = key[i] if i < len(key) else 0
            self.inner[i] = byte ^ 0x36
            self.outer[i] = byte ^ 0x5C

    def digest(self, *parts):
        inner = sha256(self.inner)
        for part in parts:
            inner.update(part)
        outer = sha256(self.outer)
        outer.update(inner.digest())
        return outer.digest()

    def wipe(self):
        wipe(self.inner)
        wipe(self.outer)


def wipe(secret):
    """Zero a bytearray in place."""
    try:
        secret[:] = bytes(len(secret))
    except MemoryError:  # one by one, which takes a board twenty times as long
        for i in range(len(secret)):
            secret[i] = 0


def equal(a, b):
    """Compare without telling by the time it takes where the first difference lies."""
    return len(a) == len(b) and not difference(a, b, len(a))


def transcript(*said):
    """What the two have said so far, as payload bytes: a proof speaks of this session only."""
    digest = sha256()
    for part in said:
        digest.update(part)
    return digest.digest()


def proof(key, role, said):
    """`role` is b"host" or b"device": neither can send the other's proof back."""
    mac = Mac(key)
    digest = mac.digest(role, said)
    mac.wipe()
    return digest


def session_secret(key, said, shared):
    """What all of a session follows from. `shared` is what the two agreed on by X25519, and is
    gone when the session is: who gets the device's key later cannot work this out again."""
    return proof(key, b"session", said + shared)


class Session:
    """The keys of one session, of one direction each: tags and ciphers for `sender`. `key` is the
    session's secret."""

    def __init__(self, key, said, sender):
        mac = Mac(key)
        self.tags = Mac(mac.digest(sender, b" tag", said))
        self.cipher = Mac(mac.digest(sender, b" cipher", said))
        mac.wipe()
        self._ahead = None, b""  # a counter, and the first bytes of its stream

    def look_ahead(self, counter):
        """Work out now what a frame to come is encrypted with: whoever waits for it waits less."""
        self._ahead = counter, self._stream(counter, 0)

    def wipe(self):
        """The session is over: nobody can read what was said in it with what is left here."""
        self._ahead = None, b""
        self.tags.wipe()
        self.cipher.wipe()

    def seal(self, kind, counter, payload):
        """Body of a frame (without its CRC): kind, counter, encrypted payload, tag."""
        head = struct.pack("<BI", kind, counter)
        secret = self._crypt(counter, payload)
        return head + secret + self.tags.digest(head, secret)[:TAG]

    def unseal(self, body):
        """(kind, counter, payload), or None where the tag does not hold."""
        if len(body) < 5 + TAG:
            return None
        head = body[:5]
        secret = body[5:-TAG]
        if not equal(self.tags.digest(head, secret)[:TAG], body[-TAG:]):
            return None
        kind, counter = struct.unpack("<BI", head)
        return kind, counter, self._crypt(counter, secret)

    def _crypt(self, counter, data):
        mixed = bytearray(data)
        for block in range((len(mixed) + 31) // 32):
            known, stream = self._ahead
            if block or known != counter:
                stream = self._stream(counter, block)
            mix(mixed, 32 * block, stream)
        return bytes(mixed)

    def _stream(self, counter, block):
        return self.cipher.digest(struct.pack("<II", counter, block))
