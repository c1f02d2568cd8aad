"""Checks of laboratory mode: its output, and its independence of later output."""

from core.devices import laboratory
from core.random.drbg import HashDrbg
from doubles import Noise, started


class CheckedDevice:
    """The part of a device that laboratory mode needs."""

    def __init__(self, **settings):
        self.noise = Noise()
        self.source = started(self.noise, **settings)
        self.first_noise = b""
        self.left = 0

    def left_laboratory(self):
        self.left += 1


def copied(drbg):
    """Return a copy of the generator, of an attacker that knows its entire state."""
    twin = HashDrbg()
    twin._v[:] = drbg._v
    twin._c[:] = drbg._c
    twin._counter = drbg._counter
    return twin


def output(device, size):
    out = b""
    while len(out) < size:
        out += bytes(laboratory.output(device, size - len(out))[1])
    return out


def test_output_is_what_draws_take():
    raw, drawing = CheckedDevice(), CheckedDevice()
    given = output(raw, 64)
    _, data = laboratory.draws(drawing, 256, 32)
    assert bytes(data) == bytes(given[i] for i in range(0, 64, 2))


def test_draws_take_as_many_bytes_as_their_range_needs():
    for span, width in ((2, 1), (256, 1), (257, 2), (65536, 2), (65537, 4), (0, 4)):
        assert len(laboratory.draws(CheckedDevice(), span, 10)[1]) == 10 * width


def test_pieces_say_what_came_before_them():
    device = CheckedDevice()
    first, data = laboratory.output(device, 100)
    assert laboratory.output(device, 100)[0] == first + len(data)


def test_noise_is_the_samples_in_their_order():
    device, expected = CheckedDevice(), Noise()
    expected.fill(bytearray(device.noise.taken))
    samples = bytearray(128)
    expected.fill(samples)
    _, packed = laboratory.noise(device, 16)
    assert [packed[i // 8] >> 7 - i % 8 & 1 for i in range(128)] == list(samples)


def test_the_first_samples_of_a_start_come_before_fresh_ones():
    device = CheckedDevice()
    first = bytearray()
    noise = Noise("again")
    device.source._noise = noise
    device.source.restart(first)
    expected = bytearray(1088)
    Noise("again").fill(expected)
    assert first == expected
    device.first_noise = first
    taken = noise.taken
    for at in range(0, 1088, 8):
        if at % 64 == 0:
            packed = laboratory.noise(device, 8)[1]
        byte = 0
        for bit in expected[at : at + 8]:
            byte = byte << 1 | bit
        assert packed[at % 64 // 8] == byte
    assert noise.taken == taken
    laboratory.noise(device, 8)
    assert noise.taken == taken + 64


def test_noise_that_was_given_out_has_no_part_in_the_output():
    asked, silent = CheckedDevice(), CheckedDevice()
    laboratory.noise(asked, 192)
    assert output(asked, 300) == output(silent, 300)


def test_no_reply_is_longer_than_a_frame_holds():
    device = CheckedDevice()
    assert len(laboratory.output(device, 255)[1]) == laboratory.MOST_BYTES
    assert len(laboratory.noise(device, 255)[1]) <= laboratory.MOST_BYTES
    assert len(laboratory.draws(device, 0, 255)[1]) <= laboratory.MOST_BYTES


def test_who_knows_the_whole_state_knows_what_comes_next_in_the_laboratory():
    # The next test would be empty if this one did not hold.
    device = CheckedDevice()
    output(device, 256)
    known = copied(device.source._drbg)
    guess = bytearray(256)
    known.generate(guess)
    assert output(device, 256) == bytes(guess)


def test_who_knows_the_whole_state_knows_nothing_after_it_was_left():
    device = CheckedDevice()
    output(device, 256)
    known = copied(device.source._drbg)
    taken = device.noise.taken
    laboratory.leave(device)
    assert device.left == 1
    assert device.noise.taken - taken == 1088 + 2 * 640
    dealt = output(device, 512)
    for _ in range(8):
        guess = bytearray(256)
        known.generate(guess)
        for start in range(0, 256, 8):
            assert bytes(guess[start : start + 8]) not in dealt


def test_the_seed_in_flash_is_another_after_it_was_left():
    device = CheckedDevice()
    before = device.source._seed.stored
    laboratory.leave(device)
    assert device.source._seed.stored != before
