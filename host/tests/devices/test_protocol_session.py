"""Decode the session in docs/reference/wire-protocol.md with only the page, without our code."""

from __future__ import annotations

import hashlib
import hmac
import re
import struct
import zlib
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from docs.site.sections import between
from docs.site.wire_protocol import PAGE

KEY = bytes(range(32))
HELLO, WELCOME, AUTH, ACCEPT, COMMAND = 1, 2, 3, 4, 0x10


@dataclass
class Frame:
    by: str
    line: bytes
    description: str  # the page's text about it

    @property
    def body(self) -> bytes:
        """Remove COBS and CRC as the page describes."""
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
        description = "\n".join(line.strip() for line in lines if line.startswith("      "))
        found.append(
            Frame("host" if head.startswith("host") else "device", bytes.fromhex(data), description)
        )
    return found


def mac(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


@dataclass
class Handshake:
    first: bytes  # transcript covered by the host's proof
    transcript: bytes  # transcript of the session
    secret: bytes  # S
    host_proof: bytes
    device_proof: bytes


def handshake(frames: list[Frame]) -> Handshake:
    """Return the handshake from the last payload of each kind and the secret number on the page."""
    last = {frame.body[0]: frame for frame in frames}
    payload = {kind: frame.body[5:] for kind, frame in last.items()}
    entropy_and_public, host_proof = payload[AUTH][:64], payload[AUTH][64:]
    public, device_proof = payload[ACCEPT][:32], payload[ACCEPT][32:]
    first = hashlib.sha256(payload[HELLO] + payload[WELCOME] + entropy_and_public).digest()
    transcript = hashlib.sha256(first + public).digest()
    description = re.search("secret_h ([0-9a-f]{64})", last[AUTH].description)
    assert description
    own = X25519PrivateKey.from_private_bytes(bytes.fromhex(description[1]))
    assert own.public_key().public_bytes_raw() == payload[AUTH][32:64]
    shared = own.exchange(X25519PublicKey.from_public_bytes(public))
    secret = mac(KEY, b"session", transcript, shared)
    return Handshake(first, transcript, secret, host_proof, device_proof)


def test_frames_have_at_most_256_bytes() -> None:
    frames = session()
    assert len(frames) > 20
    assert max(len(frame.line) for frame in frames) <= 256


def test_proofs_follow_from_the_key() -> None:
    found = handshake(session())
    assert found.host_proof == mac(KEY, b"host", found.first)
    assert found.device_proof == mac(found.secret, b"device", found.transcript)


def test_devices_key_without_a_secret_number_does_not_open_the_session() -> None:
    """An attacker has all bytes of the line and the key, but not the shared secret."""
    found = handshake(session())
    frame = next(frame for frame in session() if frame.body[0] >= COMMAND)
    head, sealed, tag = frame.body[:5], frame.body[5:-16], frame.body[-16:]
    for transcript in (found.first, found.transcript):
        for key in (KEY, mac(KEY, b"session", transcript)):
            assert tag != mac(mac(key, frame.by.encode(), b" tag", transcript), head, sealed)[:16]


def test_tags_are_valid_and_payloads_match_the_page() -> None:
    frames = session()
    found = handshake(frames)
    inside = [frame for frame in frames if frame.body[0] >= COMMAND]
    assert inside
    for frame in inside:
        side = frame.by.encode()
        head, secret, tag = frame.body[:5], frame.body[5:-16], frame.body[-16:]
        assert tag == mac(mac(found.secret, side, b" tag", found.transcript), head, secret)[:16]
        cipher = mac(found.secret, side, b" cipher", found.transcript)
        blocks = range(len(secret) // 32 + 1)
        stream = b"".join(mac(cipher, head[1:5], struct.pack("<I", block)) for block in blocks)
        payload = bytes(a ^ b for a, b in zip(secret, stream, strict=False))
        assert f"payload {payload.hex()}\n" in frame.description


def test_repeated_call_gets_the_same_reply_and_no_second_card() -> None:
    frames = session()
    calls = [at for at, frame in enumerate(frames) if "(deal)" in frame.description]
    first, second = calls
    assert frames[first].line == frames[second].line
    assert frames[first + 1].line == frames[second + 1].line
    assert sum("(card)" in frame.description for frame in frames) == 1
