"""Hash_DRBG with SHA-256, exactly as in SP 800-90A Rev. 1 section 10.1.1.

The working state is in two bytearrays that are changed in place, so that `uninstantiate` really
erases it and a request allocates only the objects of `hashlib`. Names in brackets are the
standard's.
"""

from hashlib import sha256

from ..crypto.session_keys import wipe
from ..byte_ops import add, mix

SEED_BYTES = 55  # seedlen: 440 bits
BLOCK_BYTES = 32  # outlen: 256 bits
MOST_BYTES = 1 << 16  # max_number_of_bits_per_request: 2^19 bits
RESEED_INTERVAL = 1 << 48  # the most requests that one seed may serve


class ReseedRequired(Exception):
    """The seed has served its maximum of requests: reseed, then repeat the request."""


class HashDrbg:
    """One instance, 256 bits of security. Unusable until `instantiate`."""

    def __init__(self, reseed_interval: int = RESEED_INTERVAL):
        if not 1 <= reseed_interval <= RESEED_INTERVAL:
            raise ValueError("reseed interval must be 1 to 2^48 requests")
        self._interval = reseed_interval
        self._v = bytearray(SEED_BYTES)  # [V]
        self._c = bytearray(SEED_BYTES)  # [C]
        self._data = bytearray(SEED_BYTES)  # Hashgen's running copy of V
        self._counter = 0  # [reseed_counter]; 0 is "not instantiated"
        self._prediction_resistance = False

    def instantiate(
        self,
        entropy: bytes,
        nonce: bytes,
        personalization: bytes = b"",
        prediction_resistance: bool = False,
    ) -> None:
        """Begin with a new seed. With `prediction_resistance` a request may bring fresh entropy."""
        _require(entropy, 32, "entropy")
        _require(nonce, 16, "nonce")
        _derive(self._v, entropy, nonce, personalization)
        self._prediction_resistance = prediction_resistance
        self._begin()

    def reseed(self, entropy: bytes, additional: bytes = b"") -> None:
        self._require_instance()
        _require(entropy, 32, "entropy")
        _derive(self._v, b"\x01", self._v, entropy, additional)
        self._begin()

    @property
    def reseed_due(self) -> bool:
        """Return whether the next request would raise ReseedRequired."""
        return self._counter > self._interval

    def generate(self, out: bytearray, additional: bytes = b"", entropy: bytes = b"") -> None:
        """Fill `out`. Fresh `entropy` makes it a request with prediction resistance."""
        self._require_instance()
        if len(out) > MOST_BYTES:
            raise ValueError("a request is at most 65536 bytes (2^19 bits)")
        if entropy:
            if not self._prediction_resistance:
                raise ValueError("not instantiated for prediction resistance")
            self.reseed(entropy, additional)
            additional = b""
        if self.reseed_due:
            raise ReseedRequired
        v = self._v
        if additional:
            add(v, _hash(b"\x02", v, additional))
        self._fill(out)
        add(v, _hash(b"\x03", v))
        add(v, self._c)
        add(v, self._counter.to_bytes(8, "big"))
        self._counter += 1

    def uninstantiate(self) -> None:
        """Erase the state."""
        for secret in (self._v, self._c, self._data):
            wipe(secret)
        self._counter = 0

    def _begin(self) -> None:
        _derive(self._c, b"\x00", self._v)
        self._counter = 1

    def _fill(self, out: bytearray) -> None:
        """[Hashgen]: concatenate the hashes of V, V + 1, V + 2 ..."""
        data = self._data
        data[:] = self._v
        wipe(out)
        start = 0
        while start < len(out):
            start += mix(out, start, len(out), sha256(data).digest())  # into zeros: a copy
            add(data, b"\x01")
        wipe(data)

    def _require_instance(self) -> None:
        if not self._counter:
            raise RuntimeError("the generator is not instantiated")


def _require(given: bytes, least: int, name: str) -> None:
    if len(given) < least:
        raise ValueError("%s must be at least %d bytes" % (name, least))  # noqa: UP031


def _hash(*parts: bytes) -> bytes:
    digest = sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def _derive(out: bytearray, *parts: bytes) -> None:
    """[Hash_df] to 440 bits. Both hashes are computed before `out`, which may be a part,
    changes."""
    first = _hash(b"\x01\x00\x00\x01\xb8", *parts)
    second = _hash(b"\x02\x00\x00\x01\xb8", *parts)
    out[:BLOCK_BYTES] = first
    out[BLOCK_BYTES:] = second[: SEED_BYTES - BLOCK_BYTES]
