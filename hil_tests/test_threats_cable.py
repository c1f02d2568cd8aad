"""Somebody with a cable in his hand: on a bench or, with --port, on a real board."""

from __future__ import annotations

from collections.abc import Callable

from cutcard.bench.client import Bench
from hil_tests.line import Line

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


def test_no_byte_reaches_a_prompt(line: Line) -> None:
    """What interrupts a MicroPython, opens its raw prompt or restarts it: no answer, no reset."""
    line.begin()
    before = line.ask("status")
    for said in PROMPT:
        line.write(said + b"\0")
        assert line.silent()
    assert line.ask("status") == before


def test_a_thousand_hellos_do_not_end_a_session(line: Line) -> None:
    line.begin()
    line.ask("status")
    for number in range(HELLOS):
        line.hello(number.to_bytes(16, "little"))
    line.ask("status")


def test_an_evening_that_is_played_back_deals_nothing(
    fresh_bench: Callable[..., Bench],
) -> None:
    """Every byte that the host has said, once more, in its order."""
    bench = fresh_bench("carousel-38", 1)
    bench.put(1)
    bench.settle()
    line = Line.to_bench(bench)
    recorded: list[bytes] = []
    write = line.write

    def noted(data: bytes) -> None:
        recorded.append(data)
        write(data)

    line.write = noted  # type: ignore[method-assign]
    line.begin()
    line.ask("load", 1, 52, identity=line.next_id())
    bench.settle()
    for _ in range(3):
        line.ask("deal", 1, identity=line.next_id())
        bench.settle()
    before = bench.cards()
    for data in list(recorded):
        write(data)
    bench.settle()
    assert bench.cards() == before
    line.write = write  # type: ignore[method-assign]
    line.check()
    line.close()
