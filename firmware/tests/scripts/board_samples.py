"""Samples of all pins become edges with times; a late read of the ring misses no edge, or fails."""

from array import array

from board_doubles import pending, under_locked_heap
from core.devices.sensors import ENTRY, MOUTH, READ, TRAY, WRAP, Edges
from doubles import raised
from reader import Reader
from samples import Samples

SIZE = 1024
GPIOS = [11, 12, 13, 14, 15, 16, 17, 18, 19, None]  # a machine without a stall line
ENTRY_BIT = 1 << 12
MOUTH_BIT = 1 << 16
FIRST = 3  # the ring begins somewhere within its array


class Ring:
    """A ring that writes like the hardware: a word a millisecond, cyclically."""

    def __init__(self, at=0, now=1000):
        self.words = array("I", bytes(4 * (SIZE + 8)))
        self.edges = Edges()
        self.reader = Reader(self.edges)
        self.samples = Samples(self.words, FIRST, SIZE, GPIOS, self.edges, self.reader)
        self.at = at
        self.now = now
        self.samples.begin(0, at, now)

    def write(self, *words):
        for word in words:
            self.words[FIRST + self.at] = word
            self.at = (self.at + 1) % SIZE
            self.now = (self.now + 1) % WRAP

    def drain(self):
        self.samples.drain(self.at, self.now)
        return pending(self.edges)


def test_an_edge_is_dated_by_its_sample():
    ring = Ring()
    ring.write(0, 0, ENTRY_BIT, ENTRY_BIT, 0)
    assert ring.drain() == [(1003, ENTRY, 1), (1005, ENTRY, 0)]


def test_a_card_that_passes_during_an_erase_is_seen_with_its_length():
    ring = Ring()
    ring.write(*([0] * 200 + [ENTRY_BIT] * 85 + [0] * 115))
    assert ring.drain() == [(1201, ENTRY, 1), (1286, ENTRY, 0)]


def test_two_sensors_in_one_sample_are_two_edges():
    ring = Ring()
    ring.write(ENTRY_BIT | MOUTH_BIT)
    assert ring.drain() == [(1001, ENTRY, 1), (1001, MOUTH, 1)]


def test_pins_without_a_sensor_are_ignored():
    ring = Ring()
    ring.write(1 << 2, 1 << 28, 0)
    assert ring.drain() == []


def test_reading_wraps_at_the_end_of_the_ring():
    ring = Ring(at=SIZE - 2)
    ring.write(0, ENTRY_BIT, ENTRY_BIT, 0)
    assert ring.drain() == [(1002, ENTRY, 1), (1004, ENTRY, 0)]


def test_edges_before_the_clock_wrapped_keep_their_time():
    ring = Ring(now=WRAP - 2)
    ring.write(ENTRY_BIT, ENTRY_BIT, 0)
    assert ring.drain() == [(WRAP - 1, ENTRY, 1), (1, ENTRY, 0)]


def test_initial_levels_are_the_first_sample():
    ring = Ring()
    ring.samples.begin(1 << 11, 0, 1000)
    levels = ring.samples.levels()
    assert levels[TRAY] == 1
    assert sum(levels) == 1


def test_a_face_precedes_the_end_of_its_cards_passage():
    ring = Ring()
    for byte in b"\xca\x01\x0b\x24" * 2:
        ring.reader.feed(byte)
    bounce = [MOUTH_BIT, 0, MOUTH_BIT]
    passage = bounce + [MOUTH_BIT] * 110 + [0, MOUTH_BIT, 0] + [0] * 100
    ring.write(*(passage + passage))
    seen = [(sensor, value) for _, sensor, value in ring.drain()]
    first = seen[: len(seen) // 2]
    assert first == seen[len(seen) // 2 :]
    assert first.count((READ, 11)) == 1
    assert first.index((READ, 11)) == 3  # up, down, up, read, and then down


def test_a_face_is_kept_while_the_mouth_is_covered():
    ring = Ring()
    for byte in b"\xca\x01\x0b\x24":
        ring.reader.feed(byte)
    ring.write(*([MOUTH_BIT] * 60))
    assert ring.drain() == [(1001, MOUTH, 1)]
    ring.reader.report_all(ring.now)
    assert pending(ring.edges) == [(1060, READ, 11)]


def test_an_overrun_of_the_ring_is_detected():
    ring = Ring()
    ring.write(*([0] * (SIZE - 20)))
    ring.drain()
    assert ring.edges.unseen == 0
    ring.write(*([0] * (SIZE + 5)))
    ring.drain()
    assert ring.edges.unseen == 1


def test_a_stopped_sampler_is_detected():
    ring = Ring()
    for _ in range(20):
        ring.write(0)
        ring.drain()
    assert not ring.samples.stand_still()
    for _ in range(20):
        ring.now += 4
        ring.drain()
    assert ring.samples.stand_still()


def test_a_main_loop_that_was_long_away_does_not_look_like_a_dead_sampler():
    ring = Ring()
    ring.write(*([0] * 900))
    ring.drain()
    assert not ring.samples.stand_still()


def test_reading_the_ring_allocates_nothing():
    ring = Ring(now=WRAP - 300)
    all_pins = (1 << 29) - 1
    ring.write(*([0, all_pins, ENTRY_BIT, MOUTH_BIT] * 8 + [0] * 600))
    under_locked_heap(ring.samples.drain, ring.at, ring.now)
    assert ring.edges.pop() is not None


def test_allocation_under_a_locked_heap_raises():
    try:
        import micropython  # noqa: F401
    except ImportError:
        return
    raised(MemoryError, under_locked_heap, bytearray, 100)
