"""Test doubles for a random source: programmable noise, and a seed store that records calls."""

from hashlib import sha256

from core.random.health import HealthTests
from core.random.source import RandomSource

# For a claim of 0.5 bits a sample and false alarms of 2^-30 (docs/explanation/random-source.md).
# The machines claim less; here a bad noise must be found soon.
REPETITION_CUTOFF = 61
PROPORTION_CUTOFF = 810
LAG_CUTOFF = 819
ENTROPY_SAMPLES = 640


class Noise:
    """Bits from a counter through SHA-256. On average, `ones` of 256 samples are ones.

    After `good_for` samples the bits stick at one. All returned samples are counted.
    """

    def __init__(self, name="noise", ones=128, good_for=1 << 29):
        self._name = name.encode()
        self._ones = ones
        self._good_for = good_for
        self._block = b""
        self._blocks = 0
        self.taken = 0

    def fill(self, buf):
        for i in range(len(buf)):
            buf[i] = 1 if self.taken >= self._good_for else self._bit()
            self.taken += 1

    def repair(self):
        self._good_for = 1 << 29

    def _bit(self):
        if not self._block:
            self._block = sha256(self._name + self._blocks.to_bytes(4, "big")).digest()
            self._blocks += 1
        byte = self._block[0]
        self._block = self._block[1:]
        return 1 if byte < self._ones else 0


class Seed:
    """A store for one seed that records the order of its calls."""

    def __init__(self, stored=None):
        self.stored = stored
        self.log = []

    def read(self):
        self.log.append("read")
        return self.stored

    def write(self, seed):
        self.log.append("write")
        self.stored = seed


def health_tests():
    return HealthTests(REPETITION_CUTOFF, PROPORTION_CUTOFF, LAG_CUTOFF)


def source(noise=None, seed=None, personalization=b"serial 1 boot 1", **settings):
    """Return a source that has not started."""
    return RandomSource(
        noise or Noise(),
        seed or Seed(),
        health_tests(),
        personalization,
        ENTROPY_SAMPLES,
        **settings,
    )


def started(noise=None, seed=None, personalization=b"serial 1 boot 1", **settings):
    fresh = source(noise, seed, personalization, **settings)
    fresh.restart()
    return fresh


def numbers(random, count=16, n=1 << 32):
    return [random.below(n) for _ in range(count)]


def raised(error, function, *arguments):
    """Return the error of this class that the call raised; otherwise the test fails."""
    try:
        function(*arguments)
    except error as caught:
        return caught
    raise AssertionError("did not raise " + error.__name__)
