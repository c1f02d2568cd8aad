"""HMAC-SHA256 under one key.

This version runs anywhere. An image contains the board's own version instead, in its processor's
own instructions (`boards/rp2/core/crypto/mac.py`).
"""

from hashlib import sha256

from ..byte_ops import mix, wipe


class Mac:
    """HMAC-SHA256 with one key (32 bytes); its two pads are computed once."""

    def __init__(self, key):
        self.inner = bytearray(b"\x36" * 64)
        self.outer = bytearray(b"\x5c" * 64)
        mix(self.inner, 0, 64, key)
        mix(self.outer, 0, 64, key)

    def digest(self, *parts):
        inner = sha256(self.inner)
        for part in parts:
            inner.update(part)
        outer = sha256(self.outer)
        outer.update(inner.digest())
        return outer.digest()

    def over(self, data, size, out):
        """Write the HMAC of the first `size` bytes into a bytearray of 32."""
        out[:] = self.digest(memoryview(data)[:size])

    def wipe(self):
        wipe(self.inner)
        wipe(self.outer)
