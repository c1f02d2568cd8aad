"""Checks of below(n): the mapping from bytes to numbers, its limits, and its uniformity."""

from core.random.drbg import HashDrbg
from doubles import Noise, Seed, raised, started

LIMITS = (2, 3, 6, 38, 52, 255, 256, 257, 312, 416, 65535, 65536, 65537, 1 << 24, (1 << 24) + 1)
LARGE = ((1 << 31) - 1, (1 << 31) + 1, (1 << 32) - 1, 1 << 32)


class Replay:
    """A replacement for the generator that returns given bytes, request by request."""

    reseed_due = False

    def __init__(self, data):
        self._data = data

    def generate(self, out, additional=b""):
        out[:] = self._data[: len(out)]
        self._data = self._data[len(out) :]


def source_of(data):
    """Return a source with these bytes as output."""
    random = started()
    random._drbg = Replay(data + bytes(256))
    return random


def stream(size):
    drbg = HashDrbg()
    drbg.instantiate(bytes(range(32)), bytes(range(16)))
    out = bytearray(size)
    drbg.generate(out)
    return bytes(out)


def expected_numbers(data, n, count):
    """The mapping by its definition: shares of 256^k in order, the remainder rejected."""
    k = 2
    while 256 ** (k - 1) < n:
        k += 1
    share = 256**k // n
    at = 0
    numbers = []
    while len(numbers) < count:
        v = int.from_bytes(data[at : at + k], "big")
        at += k
        if v < share * n:
            numbers.append(v // share)
    return numbers


def test_the_mapping_is_the_one_written_down():
    data = stream(2048)
    for n in LIMITS + LARGE:
        random = source_of(data)
        assert [random.below(n) for _ in range(250)] == expected_numbers(data, n, 250), n


def test_the_worked_example_of_the_documentation():
    # n = 52: two bytes, a share of 1260; 65520 and above are drawn again.
    random = source_of(b"\x00\x00" + b"\x04\xec" + b"\xff\xf0" + b"\xff\xef" + b"\x12\x34")
    assert [random.below(52) for _ in range(4)] == [0, 1, 51, 3]


def test_one_consumes_nothing():
    random = source_of(b"\x80\x00")
    assert [random.below(1) for _ in range(10)] == [0] * 10
    assert random.below(2) == 1


def test_bytes_used_for_each_size():
    for n, size in ((2, 2), (256, 2), (257, 3), (65536, 3), (65537, 4), (1 << 24, 4), (1 << 32, 5)):
        random = source_of(bytes(256))
        random.below(n)
        assert random._at == size, n


def test_a_number_may_span_two_requests():
    random = source_of(bytes(255) + b"\x01" + b"\x02\x03" + bytes(254))
    for _ in range(85):
        random.below(65536)
    assert random.below(65536) == 0x0102
    assert random._at == 2


def test_the_ends_of_the_range_are_reached_and_not_passed():
    for n in LIMITS + LARGE:
        k = 2
        while 256 ** (k - 1) < n:
            k += 1
        last = (256**k // n * n - 1).to_bytes(k, "big")
        random = source_of(bytes(k) + last)
        assert random.below(n) == 0
        assert random.below(n) == n - 1


def test_out_of_range_is_refused():
    random = started()
    for n in (0, -1, (1 << 32) + 1):
        raised(ValueError, random.below, n)


def chi_square(n, draws):
    random = started(Noise("chi-square"), Seed())
    counts = [0] * n
    for _ in range(draws):
        counts[random.below(n)] += 1
    expected = draws / n
    return sum((count - expected) ** 2 for count in counts) / expected


def test_fifty_two_cards_are_uniform():
    # 51 degrees: 99.9 % below 87.97 and above 25.4. The seed is fixed, so this never flickers.
    assert 25.4 < chi_square(52, 5200) < 87.97


def test_thirty_eight_bins_are_uniform():
    # 37 degrees: 0.1 % below 16.2 and above 69.35.
    assert 16.2 < chi_square(38, 3800) < 69.35


def test_three_hundred_and_twelve_cards_are_uniform():
    # 311 degrees, three bytes a draw: 0.1 % below 239 and above 393 (normal approximation).
    assert 239 < chi_square(312, 6240) < 393
