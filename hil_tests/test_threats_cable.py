"""Attackers with access to the cable: on a bench or, with --port, on a real board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cutcard.bench.client import Bench
from cutcard.devices import Shuffler
from cutcard.devices.channel import clear
from cutcard_firmware.core.schema import messages as m
from hil_tests.line import RawLine

PROMPT = (
    b"\x03",
    b"\x03\x03",
    b"\x04",
    b"\r\x03\x03\r\x01",
    b"\x02",
    b"\x05A\x01",
    b"import os\r\n",
)
HELLOS = 1000


def test_no_byte_reaches_a_prompt(line: RawLine) -> None:
    """Bytes that interrupt MicroPython, open its raw prompt or restart it cause no reply and no
    reset."""
    line.begin()
    before = line.ask("status")
    for said in PROMPT:
        line.write(said + b"\0")
        assert line.silent()
    assert line.ask("status") == before


def test_thousand_hellos_do_not_end_a_session(line: RawLine) -> None:
    line.begin()
    line.ask("status")
    for number in range(HELLOS):
        line.hello(number.to_bytes(16, "little"))
    line.ask("status")


def test_stranger_on_the_same_line_does_not_end_the_drivers_session(
    fresh_bench: Callable[..., Bench],
) -> None:
    """The stranger has no key, and the driver receives the device's replies to the stranger: no
    session, a wrong proof, another message table."""
    bench = fresh_bench("carousel-38", 1)
    hello = bytes((m.VERSION,)) + m.fingerprint() + bytes(16)
    with Shuffler.open(bench.port, key=bench.key) as driver:
        _, channel = driver._connection._live()
        for _ in range(20):
            channel.send(clear(m.AUTH, bytes(96)))
            channel.send(clear(m.HELLO, hello))
            channel.send(clear(m.AUTH, bytes(96)))
            channel.send(clear(m.HELLO, hello[:1] + b"othertab" + bytes(16)))
            assert driver.status().mode == "empty"
        assert driver.reconnections == 0


class TappedLine(RawLine):
    """A line that records every byte sent by the host."""

    def __init__(self, bench: Bench) -> None:
        self.recorded: list[bytes] = []
        super().__init__(bench.port, bench.key, bench)

    def write(self, data: bytes) -> None:
        self.recorded.append(data)
        super().write(data)

    def play_back(self) -> None:
        for data in self.recorded:
            super().write(data)


def test_replayed_evening_deals_no_card(
    fresh_bench: Callable[..., Bench],
) -> None:
    """All bytes of the host are sent again, in the same order."""
    bench = fresh_bench("carousel-38", 1)
    bench.put(1)
    bench.settle()
    line = TappedLine(bench)
    line.begin()
    line.ask("load", 1, 52, identity=line.next_id())
    bench.settle()
    for _ in range(3):
        line.ask("deal", 1, identity=line.next_id())
        bench.settle()
    before = bench.cards()
    line.play_back()
    bench.settle()
    assert bench.cards() == before
    line.check()
    line.close()


def test_recorded_handshake_opens_no_session_with_a_device_that_lost_its_state(
    fresh_bench: Callable[..., Bench],
) -> None:
    """The flash is restored, the clock starts at the same time, and the host's bytes are sent
    again.

    No session opens, so no key stream is used twice.
    """
    bench = fresh_bench("carousel-38", 1)
    image = Path(bench.folder) / "flash.img"
    bench.cut_power()
    as_it_was = image.read_bytes()
    bench.restore_power()
    line = TappedLine(bench)
    line.begin()
    line.ask("round", 1, b"", identity=line.next_id())
    bench.cut_power()
    image.write_bytes(as_it_was)
    bench.restore_power()
    line.play_back()
    heard = set()
    while (body := line.body(0.5)) is not None:
        heard.add(body[0])
    assert heard == {m.WELCOME, m.REFUSE}
    line.close()
