"""Somebody with a cable in his hand: on a bench or, with --port, on a real board."""

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
    """What interrupts a MicroPython, opens its raw prompt or restarts it: no answer, no reset."""
    line.begin()
    before = line.ask("status")
    for said in PROMPT:
        line.write(said + b"\0")
        assert line.silent()
    assert line.ask("status") == before


def test_a_thousand_hellos_do_not_end_a_session(line: RawLine) -> None:
    line.begin()
    line.ask("status")
    for number in range(HELLOS):
        line.hello(number.to_bytes(16, "little"))
    line.ask("status")


def test_a_stranger_beside_the_driver_does_not_end_its_session(
    fresh_bench: Callable[..., Bench],
) -> None:
    """He has no key, and what the device tells him the driver hears: that there is no session,
    that a proof is wrong, that a table is another one."""
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
    """Every byte that the host says is written down."""

    def __init__(self, bench: Bench) -> None:
        self.recorded: list[bytes] = []
        super().__init__(bench.port, bench.key, bench)

    def write(self, data: bytes) -> None:
        self.recorded.append(data)
        super().write(data)

    def play_back(self) -> None:
        for data in self.recorded:
            super().write(data)


def test_an_evening_that_is_played_back_deals_nothing(
    fresh_bench: Callable[..., Bench],
) -> None:
    """Every byte that the host has said, once more, in its order."""
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


def test_a_recorded_handshake_is_worth_nothing_to_a_device_that_lost_its_state(
    fresh_bench: Callable[..., Bench],
) -> None:
    """Its flash is put back to what it was, its clock begins where it began, and everything that
    the host said then is said again: no session opens, and so no key stream comes twice."""
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
