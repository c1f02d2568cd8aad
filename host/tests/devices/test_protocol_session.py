"""The session in docs/wire-protocol.md, read by somebody who has the page and not our code."""

from __future__ import annotations

import hashlib
import hmac
import re
import struct
import zlib
from dataclasses import dataclass

from tests.devices.protocol_page import PAGE, between

KEY = bytes(range(32))
HELLO, WELCOME, AUTH, ACCEPT, COMMAND = 1, 2, 3, 4, 0x10


@dataclass
class Frame:
    by: str
    line: bytes
    told: str  # what the page says about it

    @property
    def body(self) -> bytes:
        """Take COBS and CRC off, as the page says it."""
        assert self.line[0] == self.line[-1] == 0
        stuffed, runs = self.line[1:-1], []
        while stuffed:
            length = stuffed[0]
            runs.append(stuffed[1:length])
            stuffed = stuffed[length:]
        plain = b"\0".join(runs)
        assert zlib.crc32(plain[:-4]) == struct.unpack("<I", plain[-4:])[0]
        return plain[:-4]


def session() -> list[Frame]:
    text = between(PAGE.read_text(), "session")
    found = []
    for part in text.removeprefix("```\n").removesuffix("\n```").split("\n\n"):
        head, *lines = part.split("\n")
        data = "".join(line.strip() for line in lines if re.match("    [0-9a-f]", line))
        told = "\n".join(line.strip() for line in lines if line.startswith("      "))
        found.append(
            Frame("host" if head.startswith("host") else "device", bytes.fromhex(data), told)
        )
    return found


def mac(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def handshake(frames: list[Frame]) -> tuple[bytes, bytes, bytes]:
    """The transcript of the session, and both proofs, from the last payload of each kind."""
    last = {frame.body[0]: frame.body[5:] for frame in frames}
    entropy, host_proof = last[AUTH][:32], last[AUTH][32:]
    transcript = hashlib.sha256(last[HELLO] + last[WELCOME] + entropy).digest()
    return transcript, host_proof, last[ACCEPT]


def test_no_frame_is_longer_than_256_bytes() -> None:
    frames = session()
    assert len(frames) > 20
    assert max(len(frame.line) for frame in frames) <= 256


def test_the_proofs_follow_from_the_key() -> None:
    transcript, host_proof, device_proof = handshake(session())
    assert host_proof == mac(KEY, b"host", transcript)
    assert device_proof == mac(KEY, b"device", transcript)


def test_every_tag_holds_and_every_payload_is_what_the_page_says() -> None:
    frames = session()
    transcript, _, _ = handshake(frames)
    inside = [frame for frame in frames if frame.body[0] >= COMMAND]
    assert inside
    for frame in inside:
        side = frame.by.encode()
        head, secret, tag = frame.body[:5], frame.body[5:-16], frame.body[-16:]
        assert tag == mac(mac(KEY, side, b" tag", transcript), head, secret)[:16]
        cipher = mac(KEY, side, b" cipher", transcript)
        blocks = range(len(secret) // 32 + 1)
        stream = b"".join(mac(cipher, head[1:5], struct.pack("<I", block)) for block in blocks)
        payload = bytes(a ^ b for a, b in zip(secret, stream, strict=False))
        assert f"payload {payload.hex()}\n" in frame.told


def test_the_repeated_call_gets_the_same_reply_and_no_second_card() -> None:
    frames = session()
    calls = [at for at, frame in enumerate(frames) if "(deal)" in frame.told]
    first, second = calls
    assert frames[first].line == frames[second].line
    assert frames[first + 1].line == frames[second + 1].line
    assert sum("(card)" in frame.told for frame in frames) == 1
