"""What both ends of the wire compute from a device's key: proofs, session keys, tags, cipher.

The host imports this module too; there is no second version of it to disagree with.
"""

import struct
from hashlib import sha256

from ..byte_ops import difference, mix, wipe
from .mac import Mac

TAG = 16
HEAD = 5  # bytes of a frame before its payload: kind and counter


def equal(a, b):
    """Compare without telling by the time it takes where the first difference lies."""
    return len(a) == len(b) and not difference(a, b, 0, len(a))


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
    session's secret.

    A board seals and opens a frame with every question: little is left on the heap, and no function
    on the way has more than eleven arguments, variables and values under way. With more of them
    MicroPython takes memory for each call, and to find it takes longer than the call.
    """

    def __init__(self, key, said, sender):
        mac = Mac(key)
        self.tags = Mac(mac.digest(sender, b" tag", said))
        self.cipher = Mac(mac.digest(sender, b" cipher", said))
        mac.wipe()
        self._counter = -1  # of the frame whose stream begins with `ahead`
        self.ahead = bytearray(32)
        self._place = bytearray(8)  # in the stream of a frame: its counter, and a block's number
        self.hashed = bytearray(32)

    def look_ahead(self, counter):
        """Work out now what a frame to come is encrypted with: whoever waits for it waits less."""
        self._counter = counter
        self._stream(counter, 0, self.ahead)

    def wipe(self):
        """The session is over: nobody can read what was said in it with what is left here."""
        self._counter = -1
        wipe(self.ahead)
        wipe(self.hashed)
        self.tags.wipe()
        self.cipher.wipe()

    def seal(self, kind, counter, payload):
        """Body of a frame (without its CRC): kind, counter, encrypted payload, tag."""
        body = bytearray(HEAD + len(payload) + TAG)
        body[0] = kind
        self.seal_into(body, counter, payload)
        return bytes(body)

    def seal_into(self, body, counter, payload):
        """The same into zeros behind the kind, of which there are as many as it takes."""
        end = HEAD + len(payload)
        struct.pack_into("<I", body, 1, counter)
        mix(body, HEAD, end, payload)
        self._crypt(body, HEAD, end, counter)
        self.tags.over(body, end, self.hashed)
        mix(body, end, end + TAG, self.hashed)

    def unseal(self, body):
        """(kind, counter, payload), or None where the tag does not hold."""
        end = len(body) - TAG
        if end < HEAD:
            return None
        self.tags.over(body, end, self.hashed)
        if difference(self.hashed, body, end, TAG):
            return None
        counter = struct.unpack_from("<I", body, 1)[0]
        payload = bytearray(body[HEAD:end])
        self._crypt(payload, 0, len(payload), counter)
        return body[0], counter, bytes(payload)

    def _crypt(self, data, first, end, counter):
        at = first
        while at < end:
            if at == first and self._counter == counter:
                mix(data, at, end, self.ahead)
            else:
                self._stream(counter, (at - first) // 32, self.hashed)
                mix(data, at, end, self.hashed)
            at += 32

    def _stream(self, counter, block, out):
        struct.pack_into("<II", self._place, 0, counter, block)
        self.cipher.over(self._place, 8, out)
