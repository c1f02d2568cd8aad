"""Computations of both ends of the wire with a device's key: proofs, session keys, tags, cipher.

The host imports this module too, so there is no second version that could disagree.
"""

import struct
from hashlib import sha256

from ..byte_ops import difference, mix, wipe
from .mac import Mac

TAG = 16
HEAD = 5  # bytes of a frame before its payload: kind and counter


def equal(a, b):
    """Compare in a time that does not reveal the position of the first difference."""
    return len(a) == len(b) and not difference(a, b, 0, len(a))


def transcript(*said):
    """Return a hash over the payloads so far, so that a proof is valid only for this session."""
    digest = sha256()
    for part in said:
        digest.update(part)
    return digest.digest()


def proof(key, role, said):
    """Return the proof of one side. `role` is b"host" or b"device", so it cannot be reflected."""
    mac = Mac(key)
    digest = mac.digest(role, said)
    mac.wipe()
    return digest


def session_secret(key, said, shared):
    """Return the secret from which all keys of a session are derived.

    `shared` is the result of X25519, erased with the session: a later holder of the device's key
    cannot compute this again.
    """
    return proof(key, b"session", said + shared)


class Session:
    """The keys of one session, separate for each direction: tags and ciphers for `sender`.

    `key` is the session's secret.

    A board seals and opens a frame for every question, so little garbage may remain on the heap,
    and no function on the way has more than eleven arguments, variables and temporary values. With
    more, MicroPython allocates memory for each call, and the search for it takes longer than the
    call.
    """

    def __init__(self, key, said, sender):
        mac = Mac(key)
        self.tags = Mac(mac.digest(sender, b" tag", said))
        self.cipher = Mac(mac.digest(sender, b" cipher", said))
        mac.wipe()
        self._counter = -1  # of the frame whose stream begins with `ahead`
        self.ahead = bytearray(32)
        # position in a frame's stream: its counter, and a block's number
        self._place = bytearray(8)
        self.hashed = bytearray(32)

    def look_ahead(self, counter):
        """Compute the key stream of a future frame in advance, to shorten the wait for it."""
        self._counter = counter
        self._stream(counter, 0, self.ahead)

    def wipe(self):
        """End the session: erase all keys, so that recorded frames cannot be decrypted any more."""
        self._counter = -1
        wipe(self.ahead)
        wipe(self.hashed)
        self.tags.wipe()
        self.cipher.wipe()

    def seal(self, kind, counter, payload):
        """Return the body of a frame (without its CRC): kind, counter, encrypted payload, tag."""
        body = bytearray(HEAD + len(payload) + TAG)
        body[0] = kind
        self.seal_into(body, counter, payload)
        return bytes(body)

    def seal_into(self, body, counter, payload):
        """Seal into the zeros after the kind in `body`, which has the right length."""
        end = HEAD + len(payload)
        struct.pack_into("<I", body, 1, counter)
        mix(body, HEAD, end, payload)
        self._crypt(body, HEAD, end, counter)
        self.tags.over(body, end, self.hashed)
        mix(body, end, end + TAG, self.hashed)

    def unseal(self, body):
        """Return (kind, counter, payload), or None if the tag is invalid."""
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
