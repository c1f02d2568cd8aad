"""Frames of the card reader between random noise."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cutcard_firmware.core.devices.sensors import FOREIGN, Edges
from firmware.tests.pin_rig import AT_ONE_MOMENT, Reader, crc8
from firmware.tests.pin_rig import FRAME as START

MOST = 8  # codes of a frame
CODES = [*range(52), FOREIGN, 255]
NOISE = st.lists(
    st.one_of(st.just(START), st.integers(0, 9), st.integers(0, 255)), max_size=12
).map(bytes)
GAP = None


@st.composite
def frames(draw: st.DrawFn) -> bytes:
    codes = draw(st.lists(st.sampled_from(CODES), min_size=1, max_size=MOST))
    return framed(bytes([len(codes) | draw(st.sampled_from([0, AT_ONE_MOMENT])), *codes]))


def framed(body: bytes) -> bytes:
    return bytes([START]) + body + bytes([crc8(body, len(body))])


def is_frame(data: bytes) -> bool:
    """Return whether `data` is one valid frame."""
    if len(data) < 4 or data[0] != START:
        return False
    count = data[1] & 0x7F
    if not 1 <= count <= MOST or len(data) != count + 3:
        return False
    return set(data[2:-1]) <= set(CODES) and data == framed(data[1:-1])


def completes_noise(before: bytes) -> bool:
    """Return whether the START of a frame after `before` is the CRC of a frame made of noise."""
    return any(is_frame(before[at:] + bytes([START])) for at in range(len(before)))


def read(parts: list[bytes | None]) -> list[bytes]:
    """Return the bodies that the reader keeps; None is a pause on the line."""
    reader = Reader(Edges())
    bodies = []
    for part in parts:
        if part is GAP:
            reader.forget()
            continue
        for byte in part:
            reader.feed(byte)
            if reader.used:
                bodies.append(bytes(reader.kept[: reader.used]))
                reader.used = 0
    return bodies


def scanned(data: bytes) -> list[bytes]:
    """Return the bodies of valid frames, from left to right and without overlap."""
    bodies, at = [], 0
    while at < len(data):
        for end in range(at + 4, min(at + MOST + 4, len(data) + 1)):
            if is_frame(data[at:end]):
                bodies.append(data[at + 1 : end - 1])
                at = end
                break
        else:
            at += 1
    return bodies


@settings(max_examples=400, deadline=None)
@given(parts=st.lists(st.tuples(NOISE, frames(), st.booleans()), min_size=1, max_size=5))
@example(parts=[(bytes([START]), framed(b"\x01\x0b"), False)])
@example(parts=[(bytes([START, 8]), framed(b"\x01\x0b"), False)])
def test_valid_frame_after_a_pause_or_ordinary_noise_is_read(
    parts: list[tuple[bytes, bytes, bool]],
) -> None:
    line: list[bytes | None] = []
    due: list[bytes] = []
    before = b""
    for noise, frame, pause in parts:
        before += noise
        line += [noise, *([GAP] if pause else []), frame]
        if pause or not completes_noise(before):
            due.append(frame[1:-1])
        before = b"" if pause else before + frame
    found = iter(read(line))
    assert all(body in found for body in due), "a frame is missing, or out of order"


@settings(max_examples=600, deadline=None)
@given(parts=st.lists(st.one_of(NOISE, frames()), max_size=12))
def test_reader_finds_the_same_frames_as_a_search_of_the_line(parts: list[bytes]) -> None:
    assert read(list(parts)) == scanned(b"".join(parts))


def test_frame_is_lost_only_if_its_start_completes_a_frame_of_noise() -> None:
    """A pause before the frame prevents that."""
    noise = next(bytes([START, 1, code]) for code in CODES if crc8(bytes([1, code]), 2) == START)
    frame = framed(b"\x01\x0b")
    assert completes_noise(noise)
    assert read([noise, frame]) == [noise[1:]]
    assert read([noise, GAP, frame]) == [b"\x01\x0b"]
