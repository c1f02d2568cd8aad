"""Raw noise of the chip's ring oscillator, read from a register, one sample in each byte.

`os.urandom` is already conditioned, so no health test could ever fail on it.

`memory` is `machine.mem32`, `look` is the function of `oscillator`. Register facts: RP2350
datasheet 12.12.
"""

TRNG = 0x400F0000
RNG_ICR = TRNG + 0x108  # write ones: clear the results
TRNG_VALID = TRNG + 0x110  # 1: the holding registers are full
EHR_DATA0 = TRNG + 0x114  # six words; reading the last one starts the next collection
RND_SOURCE_ENABLE = TRNG + 0x12C
SAMPLE_CNT1 = TRNG + 0x130  # system clocks from one sample to the next
TRNG_DEBUG_CONTROL = TRNG + 0x138
_RAW = 0xE  # bypass balancer, repetition test and autocorrelation test: our tests replace them
_EHR_WORDS = 6
_LEAST_CLOCKS = 17  # the datasheet's minimum, with the balancer bypassed
_PATIENCE = 1000  # reads of TRNG_VALID before the block counts as dead


class RingOscillator:
    """RP2040: one bit of the free-running oscillator, read every `interval` microseconds."""

    def __init__(self, look, interval):
        self.look = look
        self.interval = interval

    def fill(self, buf):
        self.look(buf, len(buf), self.interval)


class Trng:
    """RP2350: the generator's oscillator with its own conditioning and tests bypassed.

    A block that never becomes valid gives zeros, which the repetition count test detects.
    """

    def __init__(self, memory, sleep_us, interval, megahertz):
        self.memory = memory
        self.sleep_us = sleep_us
        self.clocks = max(interval * megahertz, _LEAST_CLOCKS)
        self.pause = max(interval * 32 * _EHR_WORDS // 8, 1)
        self.halves = bytearray(4 * _EHR_WORDS)
        self.left = 0  # unused bits of the last collection

    def fill(self, buf):
        for at in range(len(buf)):
            if not self.left:
                self._collect()
            self.left -= 1
            buf[at] = self.halves[self.left >> 3] >> (self.left & 7) & 1

    def _collect(self):
        memory = self.memory
        memory[SAMPLE_CNT1] = self.clocks
        memory[TRNG_DEBUG_CONTROL] = _RAW
        memory[RND_SOURCE_ENABLE] = 1
        memory[RNG_ICR] = 0xF
        looks = _PATIENCE
        while looks and not memory[TRNG_VALID] & 1:
            self.sleep_us(self.pause)
            looks -= 1
        for word in range(_EHR_WORDS):
            value = memory[EHR_DATA0 + 4 * word] if looks else 0
            for part in range(4):
                self.halves[4 * word + part] = value >> 8 * part & 0xFF
        self.left = 8 * len(self.halves)


def source(chip, memory, sleep_us, interval, megahertz, look):
    """Return the noise of the chip, by the chip's name at the end of
    `sys.implementation._machine`."""
    if "RP2350" in chip:
        return Trng(memory, sleep_us, interval, megahertz)
    if "RP2040" in chip:
        return RingOscillator(look, interval)
    raise ValueError("no noise is known on " + chip)
