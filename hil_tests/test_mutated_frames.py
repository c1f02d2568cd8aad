"""Frames with flipped, lost, doubled or joined bytes: the device rejects and survives them all."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from cutcard.bench.client import Bench
from cutcard_firmware.core.link import frame as frames
from cutcard_firmware.core.schema import messages as m
from hil_tests.line import RawLine

FRAMES = 20_000
SOAK_FRAMES = 1_000_000
AT_ONCE = 16  # frames between two checks that the device still replies


def originals(line: RawLine) -> list[bytes]:
    """Return bodies that the device would obey if unchanged.

    These are the next commands of this session, each with the right number, and unencrypted frames.
    """
    identity = line.next_id()
    commands = [
        ("deal", (5,)),
        ("unload", ()),
        ("round", (1, b"")),
        ("load", (1, 52)),
        ("disarm", ()),
    ]
    found = []
    for name, arguments in commands:
        found.append(frames.decode(line.seal(name, *arguments, identity=identity).strip(b"\0")))
        line.sent -= 1
    clear = [(m.HELLO, 25), (m.AUTH, 64), (m.PROVISION, 32), (m.ACCEPT, 32), (m.REPLY, 40)]
    found += [bytes((kind, 0, 0, 0, 0)) + bytes(size) for kind, size in clear]
    return found


def turn_bits(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def lose_bytes(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + data[at + random.randint(1, 8) :]


def insert_bytes(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + random.randbytes(random.randint(1, 8)) + data[at:]


def cut_short(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(len(data))]


def all_new(random: Random, data: bytes) -> bytes:
    return random.randbytes(random.randrange(1, 249))


MUTATIONS: list[Callable[[Random, bytes], bytes]] = [
    turn_bits,
    lose_bytes,
    insert_bytes,
    cut_short,
    all_new,
]


def mutated(random: Random, body: bytes) -> bytes:
    """Return a changed body with a valid CRC, or a frame changed after its encoding."""
    mutate = random.choice(MUTATIONS)
    if random.random() < 0.5:
        changed = mutate(random, body)[: frames.MAX_BODY]
        if changed == body or not changed:
            changed = body + b"!"
        return bytes(frames.encode(changed[: frames.MAX_BODY]))
    changed = mutate(random, frames.encode(body))
    if any(frames.decode(piece) == body for piece in changed.split(b"\0")):
        return all_new(random, body)  # only bytes around the frame were changed
    return changed


def volley(random: Random, bodies: list[bytes]) -> bytes:
    """Return several frames in a row, without any valid frame.

    The end of one and the start of the next form a valid frame once in some millions; that volley
    is replaced.
    """
    while True:
        sent = b"".join(mutated(random, random.choice(bodies)) for _ in range(AT_ONCE)) + b"\0"
        if not any(frames.decode(piece) in bodies for piece in sent.split(b"\0")):
            return sent


def bombard(line: RawLine, count: int, seed: int) -> None:
    """Send `count` frames, with status checks in between in the attacked session."""
    random = Random(seed)
    line.begin()
    before = line.ask("status")
    counted = line.ask("counters")
    for start in range(0, count, AT_ONCE):
        bodies = originals(line)
        line.write(volley(random, bodies))
        status = line.ask("status")
        assert status == before, f"a mutated frame was believed, seed {seed}, frame {start}"
    refused = line.ask("counters")
    grown = {name: refused[name] - counted[name] for name in ("crc", "forged", "malformed")}
    assert all(grown.values())
    # Nearly every frame is counted: two joined frames count once, and a hello gets a reply.
    assert sum(grown.values()) > count // 2


@pytest.mark.timeout(600)
def test_twenty_thousand_mutated_frames_are_refused(line: RawLine) -> None:
    bombard(line, FRAMES, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_million_mutated_frames_are_refused(line: RawLine) -> None:
    for seed in range(50):
        bombard(line, SOAK_FRAMES // 50, seed)


def test_mutated_frames_move_no_card(fresh_bench: Callable[..., Bench]) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.put(1)
    bench.settle()
    line = RawLine.to_bench(bench)
    line.begin()
    line.ask("load", 1, 52, identity=line.next_id())
    bench.settle()
    before = bench.cards()
    bombard(line, 2000, seed=2)
    bench.settle()
    assert bench.cards() == before
    line.check()
    line.close()
