"""Two real devices that differ only in secrets send the same replies, including free memory.

The core's own twins (firmware/tests/twins.py) cover every mode and every fault; here the firmware
runs in MicroPython, so values that only an interpreter has are compared too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from cutcard.bench.client import Bench
from cutcard.devices.channel import read_clear
from cutcard_firmware.core.link.frame import encode
from cutcard_firmware.core.schema import messages as m
from firmware.tests.twins import Frame, arguments
from hil_tests.line import RawLine

KEY = bytes(range(32))
DEALT = ("As", "7d", "Kh", "2c", "9s", "2s")
# Output of laboratory mode by design, or background work whose progress depends on time.
NOT_COMPARED = ("raw_noise", "raw_output", "scaled_draws", "attested", "spared")
ENDS_THE_MODE = ("load", "stack", "unload", "recover", "laboratory")


class Curious(RawLine):
    """A host with the key that stores every decrypted frame with its length."""

    def __init__(self, bench: Bench) -> None:
        self.heard: list[Frame] = []
        super().__init__(bench.port, KEY, bench)

    def everything(self) -> None:
        """Send every command in this mode: with fitting, extreme and too many arguments."""
        for op in (*sorted(m.COMMANDS), 255):
            if op not in m.COMMANDS or m.COMMANDS[op][0] not in ENDS_THE_MODE:
                for given in reversed(arguments(op)):
                    self.command(op, given)

    def command(self, op: int, given: bytes) -> None:
        identity = 0 if m.is_question(op) else self.next_id()
        payload = struct.pack("<IBI", identity, op, len(self.heard_events())) + given
        self.sent += 1
        self.write(bytes(encode(self.own.seal(m.COMMAND, self.sent, payload))))
        self.hear(op)

    def heard_events(self) -> list[Frame]:
        return [frame for frame in self.heard if frame.kind == m.EVENT]

    def hear(self, op: int) -> None:
        """Read frames until the reply."""
        while True:
            body = self.body()
            assert body is not None
            assert read_clear(body) is None
            kind, _, payload = self.device.unseal(body)
            self.heard.append(Frame(kind, len(body), payload, op if kind == m.REPLY else 0))
            if kind == m.REPLY:
                return

    def next_id(self) -> int:
        self.sent += 1
        ask = struct.pack("<IBI", 0, m.OP["status"], len(self.heard_events()))
        self.write(bytes(encode(self.own.seal(m.COMMAND, self.sent, ask))))
        self.hear(m.OP["status"])
        fields = m.COMMANDS[m.OP["status"]][3]
        return int(m.unpack(fields, self.heard[-1].payload[5:])["last_command"]) + 1


@pytest.fixture
def twins(request: pytest.FixtureRequest) -> Iterator[tuple[Bench, Bench]]:
    """Provide two benches with the same machine, serial number and key, but other noise and faces.

    A carousel gets the same noise: other draws would put other groups of cards into its chute,
    whose size is reported. (In the core's twins, cards go to other bins but in the same groups.)
    """
    if request.config.getoption("port") != "bench":
        pytest.skip("compares two starts that are alike but for their noise: only a bench has them")
    with (
        Bench.start(request.param, seed=5, provision=False) as first,
        Bench.start(request.param, seed=5, provision=False) as second,
    ):
        if request.param != "carousel-38":
            second.do("noise", how="biased", value=0.5)
        for bench in (first, second):
            # The memory layout depends on the zeros in a sealed frame: use the same in both.
            bench.do("chance", how="fixed")
        yield first, second


def life(bench: Bench, other_faces: bool) -> list[Frame]:
    """Run a device through empty, ready, dealing and fault, with every command in each."""
    line = Curious(bench)
    line.say(m.PROVISION, KEY)
    assert line.answer()[0] == "provisioned"
    line.begin()
    line.everything()
    bench.put(1)
    shoe = bench.status()["machine"].startswith("shoe")
    word, place = ("stack", "stack") if shoe else ("load", "tray")
    if other_faces:
        for index, card in enumerate(reversed(bench.cards()[place])):
            bench.do("swap", with_=card["card"], where=place, index=index)
    bench.settle()
    line.command(m.OP[word], bytes((1, 52)))
    bench.settle()
    bench.do("hand", on=False)
    line.everything()
    draw(bench, line)
    for cards in (1, 2):
        line.command(m.OP["deal"], bytes((cards,)))
        draw(bench, line)
        line.everything()
        draw(bench, line)
    bench.do("door", how="open")
    bench.settle()
    line.everything()
    line.close()
    return line.heard


def draw(bench: Bench, line: Curious) -> None:
    """Draw the cards called: the same number in both twins, not known to the device before."""
    bench.settle()
    shoe = bench.status()["machine"].startswith("shoe")
    while bench.status()["gate"] == "open":
        drawn = bench.status()["steps"]["draw"]
        bench.do("swap", with_=DEALT[drawn % len(DEALT)], where="stack" if shoe else "chute")
        bench.do("draw")
        bench.settle()
    line.next_id()


@pytest.mark.parametrize("twins", ["drum-60", "shoe-8", "carousel-38"], indirect=True)
def test_devices_that_differ_in_secrets_send_the_same_frames(twins: tuple[Bench, Bench]) -> None:
    first, second = life(twins[0], False), life(twins[1], True)
    hidden = [faces(bench) for bench in twins]
    assert hidden[0] != hidden[1]
    assert {m.OP["chains"], m.OP["signed"]} <= {frame.op for frame in first}
    left_out = [m.OP[name] for name in NOT_COMPARED]
    for kind in (m.REPLY, m.EVENT):
        one = [frame for frame in first if frame.kind == kind and frame.op not in left_out]
        two = [frame for frame in second if frame.kind == kind and frame.op not in left_out]
        for number, (said, twin_said) in enumerate(zip(one, two, strict=False)):
            assert said == twin_said, f"{m.FRAMES[kind][0]} {number} distinguishes the twins"
        assert len(one) == len(two)
        assert len(one) > 5


def faces(bench: Bench) -> list[str]:
    """Return the faces in chute or stack, from the front."""
    cards = bench.cards()
    return [card["card"] for place in ("chute", "stack") for card in cards.get(place, [])]
