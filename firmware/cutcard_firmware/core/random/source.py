"""A device's random source: noise, tested, conditioned into a Hash_DRBG, drawn by rejection.

`docs/explanation/random-source.md` defines every byte of this, so that a host can repeat it.
"""

from hashlib import sha256

from .drbg import BLOCK_BYTES, HashDrbg, wipe
from .health import NoiseFailure

REQUEST_BYTES = 256  # one request of the generator, and the output buffer
CHUNK_SAMPLES = 64  # samples that are taken and tested at once, between rounds and at the start
PIECE_SAMPLES = 320  # the same for an entropy input, which takes most of the time of a start
START_UP_SAMPLES = 1088  # a whole window of each test; the lag test's begins 32 later
SEED_BYTES = 32
RESEED_INTERVAL = 1024  # requests between reseeds from noise
LIMIT = 1 << 32

START_UP = "start-up"
KNOWN_ANSWER = "known-answer"


class RandomSource:
    """A device's random source. It gives no output until `restart` has passed its tests.

    Power-up and recovery use the same `restart`.

    `noise.fill(buf)` fills a bytearray with raw samples, one per byte. `seed.read()` returns the
    bytes last stored by `seed.write(bytes)`, or None; a write is durable when it returns.
    `personalization` is the device's serial number and boot counter.
    """

    def __init__(
        self,
        noise,
        seed,
        health,
        personalization: bytes,
        entropy_samples: int,
        reseed_interval: int = RESEED_INTERVAL,
        prediction_resistance: bool = False,
    ):
        self._noise = noise
        self._seed = seed
        self._health = health
        self._personalization = personalization
        self._entropy_samples = entropy_samples
        self._prediction_resistance = prediction_resistance
        self._drbg = HashDrbg(reseed_interval)
        self._samples = bytearray(CHUNK_SAMPLES)
        self._buffer = bytearray(REQUEST_BYTES)
        self._at = REQUEST_BYTES  # the next byte of the buffer; at its end it is empty
        self._starts = 0
        self._empty_pool()
        self.failed = START_UP

    def restart(self, first: bytearray | None = None) -> None:
        """Test the noise, instantiate again, and replace the carried seed before any output.

        The samples of the start-up test are appended to the bytearray `first`, for a laboratory.
        """
        self._forget(START_UP)
        self._starts += 1
        from .known_answer import generator_works  # a device unloads it afterwards

        if not generator_works():
            self._forget(KNOWN_ANSWER)
            raise NoiseFailure(KNOWN_ANSWER)
        self._health.reset()
        for _ in range(0, START_UP_SAMPLES, CHUNK_SAMPLES):
            self._noise.fill(self._samples)
            if first is not None:
                first.extend(self._samples)
            if not self._health.test(self._samples):
                raise NoiseFailure(START_UP)
        wipe(self._samples)
        carried = self._seed.read() or b""
        self._drbg.instantiate(
            self._entropy(self._entropy_samples),
            # A nonce needs half of the strength: 128 + 64 bits, where an input has 256 + 64.
            self._entropy(self._entropy_samples * 3 // 5),
            bytes((len(carried),))
            + carried
            + self._starts.to_bytes(4, "big")
            + self._personalization,
            self._prediction_resistance,
        )
        self._carry()
        self.failed = ""

    def below(self, n: int) -> int:
        """Return a uniform number of 0 .. n-1, for n of 1 to 2^32."""
        self._require_healthy()
        if not 1 <= n <= LIMIT:
            raise ValueError("below() takes 1 to 2^32")
        if n == 1:
            return 0
        size = 2 if n <= 0x100 else 3 if n <= 0x10000 else 4 if n <= 0x1000000 else 5
        share = (1 << 8 * size) // n
        while True:
            number = self._take(size) // share
            if number < n:
                return number

    def take(self, size: int) -> int:
        """Return bytes of output as a number: the laboratory's data instead of draws."""
        self._require_healthy()
        return self._take(size)

    def sample(self) -> bytearray:
        """Return the next chunk of raw noise, tested; the next call overwrites it."""
        self._take_noise(self._samples)
        return self._samples

    def mix(self, entropy: bytes) -> None:
        """Reseed from fresh noise, with the host's bytes as additional input."""
        self._require_healthy()
        self._wipe_buffer()
        self._drbg.reseed(self._entropy(self._entropy_samples), entropy)

    def cycle(self) -> None:
        """Between rounds: drop the buffer and a block of output, and pool a chunk of noise.

        The pool reseeds the generator when it has the noise of an entropy input. A chunk alone
        would add so little that a thief of the state could try all its values.
        """
        self._require_healthy()
        self._wipe_buffer()
        self._pool.update(self.sample())
        wipe(self._samples)
        self._pooled += CHUNK_SAMPLES
        if self._pooled >= self._entropy_samples:
            self._drbg.reseed(self._pool.digest())
            self._empty_pool()
        block = bytearray(BLOCK_BYTES)
        self._request(block)
        wipe(block)

    def carry(self) -> None:
        """Replace the stored seed by one of the present state, as before a planned power-off."""
        self._require_healthy()
        self._carry()

    def _carry(self) -> None:
        seed = bytearray(SEED_BYTES)
        self._request(seed)
        self._seed.write(bytes(seed))
        wipe(seed)

    def _take(self, size: int) -> int:
        """Return the next bytes of output, big-endian, each erased as it is read."""
        buffer = self._buffer
        number = 0
        for _ in range(size):
            if self._at == REQUEST_BYTES:
                self._request(buffer)
                self._at = 0
            number = number << 8 | buffer[self._at]
            buffer[self._at] = 0
            self._at += 1
        return number

    def _request(self, out: bytearray) -> None:
        if self._prediction_resistance:
            self._drbg.generate(out, b"", self._entropy(self._entropy_samples))
            return
        if self._drbg.reseed_due:
            self._drbg.reseed(self._entropy(self._entropy_samples))
        self._drbg.generate(out)

    def _entropy(self, least: int) -> bytes:
        """Fresh noise, at least this many samples, tested and hashed to 256 bits."""
        digest = sha256()
        piece = bytearray(PIECE_SAMPLES)
        for _ in range(0, least, PIECE_SAMPLES):
            self._take_noise(piece)
            digest.update(piece)
        wipe(piece)
        return digest.digest()

    def _take_noise(self, samples: bytearray) -> None:
        """Fill with tested noise. Raises NoiseFailure."""
        self._noise.fill(samples)
        if not self._health.test(samples):
            wipe(samples)
            self._forget(self._health.failed)
            raise NoiseFailure(self.failed)

    def _empty_pool(self) -> None:
        self._pool = sha256()
        self._pooled = 0

    def _forget(self, failed: str) -> None:
        self.failed = failed
        self._empty_pool()
        self._wipe_buffer()
        wipe(self._samples)
        self._drbg.uninstantiate()

    def _wipe_buffer(self) -> None:
        if self._at != REQUEST_BYTES:  # bytes already read are already erased
            wipe(self._buffer)
            self._at = REQUEST_BYTES

    def _require_healthy(self) -> None:
        if self.failed:
            raise NoiseFailure(self.failed)
