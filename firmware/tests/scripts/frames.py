"""Frames on the line: after any bytes, the next zero begins a new frame."""

from core.link.frame import MAX_BODY, Splitter, decode, encode
from doubles import raised


def bodies():
    """Return short and long bodies, without zeros, all zeros, and with runs around COBS' limit."""
    yield b"\x01"
    yield b"\x00"
    yield bytes(MAX_BODY)
    yield b"\xff" * MAX_BODY
    for size in (1, 100, 244, 245, 246, 247, 248):
        yield b"\x11" * size + b"\x00"
        yield b"\x00" + b"\x11" * size


def test_every_body_is_equal_after_decoding():
    for body in bodies():
        framed = encode(body)
        assert framed[0] == framed[-1] == 0
        assert 0 not in framed[1:-1]
        assert len(framed) <= 256
        assert decode(framed[1:-1]) == body


def test_a_body_too_long_is_not_framed():
    raised(ValueError, encode, bytes(MAX_BODY + 1))


def test_one_bit_wrong_is_no_frame():
    framed = encode(b"four cards")
    for at in range(1, len(framed) - 1):
        for bit in range(8):
            wrong = bytearray(framed[1:-1])
            wrong[at - 1] ^= 1 << bit
            assert decode(wrong) is None


def test_bytes_may_arrive_one_by_one():
    splitter = Splitter()
    found = []
    for byte in encode(b"one") + encode(b"two"):
        found += splitter.feed(bytes((byte,)))
    assert found == [b"one", b"two"]
    assert splitter.dropped == 0


def test_garbage_does_not_affect_later_frames():
    splitter = Splitter()
    assert splitter.feed(b"garbage" + encode(b"card") + b"more\x00") == [b"card"]
    assert splitter.dropped == 2


def test_an_endless_line_without_a_zero_is_one_dropped_frame():
    splitter = Splitter()
    for _ in range(50):
        assert splitter.feed(b"\x55" * 100) == []
    assert splitter.feed(encode(b"card")) == [b"card"]
    assert splitter.dropped == 1


def test_two_zeros_in_a_row_are_no_frame():
    splitter = Splitter()
    assert splitter.feed(bytes(10)) == []
    assert splitter.dropped == 0
