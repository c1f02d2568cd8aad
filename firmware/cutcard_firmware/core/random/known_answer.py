"""The known-answer test that SP 800-90A section 11.3 requires before a generator is used.

One published vector (NIST CAVP, Hash_DRBG, SHA-256) passes through every function: instantiate,
reseed, and two requests with additional input.
"""

from binascii import unhexlify
from hashlib import sha256

from .drbg import HashDrbg

_ENTROPY = "6c623aea73bc8a59e28c6cd9c7c7ec8ca2e75190bd5dcae5978cf0c199c23f4f"
_NONCE = "e55db067a0ed537e66886b7cda02f772"
_PERSONALIZATION = "1e59d798810083d1ff848e90b25c9927e3dfb55a0888b0339566a9f9ca7542dc"
_RESEED = "9ab40164744c7d00c78b4196f6f917ec33d70030a0812cd4606c5a25387568a9"
_RESEED_ADDITIONAL = "4e8bead7cbba7a7bc9ae1e1617222c4139661347599950e7225d1e2faa5d57f5"
_ADDITIONAL = (
    "dcb22a5d9f149858636f3ede2253e419816fb7b1103194451ed6a573a8fe6271",
    "8f9d5c78cdabc32e71ac3b3c49239caddf96053250f4fd92056efbd0be487d36",
)
_RETURNED_SHA256 = "f8260b034ec85c0ee9af769c30b32a55599ca550a1fca88a0309f41fb25bae88"


def generator_works() -> bool:
    """Return whether this interpreter, as compiled and flashed, computes the published answer."""
    drbg = HashDrbg()
    drbg.instantiate(unhexlify(_ENTROPY), unhexlify(_NONCE), unhexlify(_PERSONALIZATION))
    drbg.reseed(unhexlify(_RESEED), unhexlify(_RESEED_ADDITIONAL))
    out = bytearray(128)
    for additional in _ADDITIONAL:
        drbg.generate(out, unhexlify(additional))
    return sha256(out).digest() == unhexlify(_RETURNED_SHA256)
