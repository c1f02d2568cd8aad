"""The shared codec in the driver: frames survive any garbage between them."""

from __future__ import annotations

from itertools import chain, pairwise

from hypothesis import given
from hypothesis import strategies as st

from cutcard.devices.channel import Channel
from cutcard.devices.deadline import Deadline
from cutcard.devices.ports import Line
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages

bodies = st.binary(min_size=1, max_size=frame.MAX_BODY)
noise = st.binary(max_size=600)


class Recording(Line):
    """A line that plays recorded bytes, in pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces
        self.written = b""

    def read(self, timeout: float) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        pass


def received(data: bytes, cuts: list[int]) -> list[bytes]:
    """Return the bodies that a channel finds in the data when it arrives in those pieces."""
    marks = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    pieces = [data[a:b] for a, b in pairwise(marks)]
    channel = Channel(Recording(pieces))
    found = []
    while (body := channel.receive(Deadline(0))) is not None:
        found.append(body)
    return found


@given(bodies)
def test_frame_fits_the_line_and_has_no_zero_inside(body: bytes) -> None:
    data = frame.encode(body)
    assert len(data) <= 256
    assert data[0] == data[-1] == 0
    assert 0 not in data[1:-1]
    assert frame.decode(data[1:-1]) == body


@given(st.lists(st.tuples(noise, bodies), max_size=8), noise, st.lists(st.integers(0, 5000)))
def test_every_frame_is_found_between_any_garbage(
    sent: list[tuple[bytes, bytes]], tail: bytes, cuts: list[int]
) -> None:
    data = b"".join(chain.from_iterable((before, frame.encode(body)) for before, body in sent))
    found = received(data + tail, cuts)
    wanted = [body for _, body in sent]
    for body in wanted:
        assert found.pop(0) == body  # a CRC of 32 bits keeps garbage out of a run this short
    assert found == []


@given(bodies, st.integers(0, 255), st.integers(1, 255))
def test_damaged_frame_is_dropped(body: bytes, place: int, damage: int) -> None:
    data = bytearray(frame.encode(body))
    data[1 + place % (len(data) - 2)] ^= damage
    assert body not in received(bytes(data), [])


@given(
    st.binary(min_size=32, max_size=32),
    st.integers(0, 255),
    st.integers(1, 2**32 - 1),
    st.binary(max_size=228),
)
def test_frame_sealed_by_one_side_is_opened_by_the_other(
    key: bytes, kind: int, counter: int, payload: bytes
) -> None:
    said = bytes(32)
    body = session_keys.Session(key, said, b"host").seal(kind, counter, payload)
    assert session_keys.Session(key, said, b"host").unseal(body) == (kind, counter, payload)
    assert session_keys.Session(key, said, b"device").unseal(body) is None
    assert frame.decode(frame.encode(body)[1:-1]) == body


@given(st.binary(min_size=1, max_size=60), st.integers(0, 10_000), st.integers(1, 255))
def test_changed_byte_breaks_the_tag(payload: bytes, place: int, damage: int) -> None:
    session = session_keys.Session(bytes(32), bytes(32), b"device")
    body = bytearray(session.seal(0x12, 9, payload))
    body[place % len(body)] ^= damage
    assert session.unseal(bytes(body)) is None


def test_command_names_are_unique() -> None:
    names = [row[0] for _, row in messages.COMMANDS.items()]
    assert len(set(names)) == len(names)
