"""Raw bits of the registers are returned unchanged, and a dead source fails its health test."""

import noise
from board_doubles import Registers
from core.random.health import REPETITION_COUNT
from doubles import health_tests, raised


def nothing(microseconds):
    pass


def test_the_ring_oscillator_is_read_once_for_each_sample():
    asked = []

    def look(buf, size, interval):
        asked.append((size, interval))
        buf[:] = b"\x01\x00\x00\x01\x01"

    source = noise.source("Pico with RP2040", Registers(), nothing, 7, 125, look)
    buf = bytearray(5)
    source.fill(buf)
    assert asked == [(5, 7)]
    assert buf == b"\x01\x00\x00\x01\x01"


def trng(words, valid=1, interval=10, megahertz=150):
    reads = {noise.TRNG_VALID: valid}
    for word in range(6):
        reads[noise.EHR_DATA0 + 4 * word] = words[word]
    registers = Registers(reads)
    made = noise.source("Pico 2 with RP2350", registers, nothing, interval, megahertz, None)
    return made, registers


def test_every_bit_of_the_holding_registers_is_returned_once():
    words = (0xFFFFFFFF, 0, 1, 0x80000000, 0x0F0F0F0F, 0xDEADBEEF)
    source, _ = trng(words)
    buf = bytearray(192)
    source.fill(buf)
    # The last bit collected is the first returned; no bit is mixed or left out.
    value = 0
    for sample in buf:
        value = value << 1 | sample
    expected = 0
    for word in reversed(words):
        expected = expected << 32 | word
    assert value == expected


def test_a_new_collection_starts_when_the_last_is_used_up():
    source, registers = trng((0,) * 6)
    source.fill(bytearray(192))
    once = len(registers.written)
    source.fill(bytearray(1))
    assert len(registers.written) == 2 * once


def test_the_chips_own_conditioning_is_bypassed_and_its_clock_set():
    source, registers = trng((0,) * 6, interval=10, megahertz=150)
    source.fill(bytearray(1))
    assert (noise.TRNG + 0x138, 0xE) in registers.written
    assert (noise.TRNG + 0x130, 1500) in registers.written
    assert (noise.TRNG + 0x12C, 1) in registers.written


def test_a_block_that_never_becomes_valid_fails_the_health_test():
    source, _ = trng((0xDEADBEEF,) * 6, valid=0)
    buf = bytearray(128)
    source.fill(buf)
    tests = health_tests()
    assert not tests.test(buf)
    assert tests.failed == REPETITION_COUNT


def test_a_chip_without_known_noise_is_refused():
    raised(ValueError, noise.source, "Feather with SAMD51", Registers(), nothing, 10, 125, None)
