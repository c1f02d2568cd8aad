"""An evening on the bench in which the power fails once, at a write to flash."""

from __future__ import annotations

import random
from collections.abc import Callable

from cutcard.bench.client import Bench
from hil_tests.line import RawLine

TORN = (0.0, 0.5, 1.0)  # the part of the cut write that reaches the flash
ONE_IN = 16


class Evening:
    """The work of a host that loses its device once, and resumes by the device's events and status.

    A subclass defines the work, the recovery and the checks for its kind of device.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.line = RawLine.to_bench(bench)
        self.line.begin()
        self.cuts = 0
        self.events: dict[int, bytes] = {}  # payloads by event number, as a journal stores them

    def live(self) -> None:
        """Do all of the work, whenever the power fails."""
        raise NotImplementedError

    def end(self) -> None:
        """Check the final state of the device and close the line."""
        self.line.check()
        self.line.close()
        assert self.bench.status()["crashes"] == 0, self.bench.do("stderr")["stderr"]

    def send(self, name: str, *arguments: int | bytes, identity: int) -> None:
        """Send a command once, and require `ok` unless the power failed."""
        acknowledged = max(self.events, default=0)
        self.line.write(self.line.seal(name, *arguments, identity=identity, ack=acknowledged))
        self.bench.settle()
        if self.bench.status()["power"] == "on":
            assert self.line.reply()[0] == "ok"
        self.rest()

    def rest(self) -> None:
        """Wait until the device is idle; restore the power, collect events and recover."""
        self.bench.settle()
        if self.bench.status()["power"] == "off":
            self.cuts += 1
            self.bench.restore_power()
            self.bench.settle()
            self.line.begin()
            self.check_restart()
        self.take_events()
        self.recover()

    def take_events(self) -> None:
        """Collect the stored events; an event number is unique, without gaps, and never changes."""
        self.line.ask("resend", 0)
        for event in self.line.events:
            number, payload = int.from_bytes(event[:4], "little"), event[4:]
            if number not in self.events:
                self.on_event(payload)
            assert self.events.setdefault(number, payload) == payload
        self.line.events.clear()
        assert sorted(self.events) == list(range(1, len(self.events) + 1))

    def on_event(self, payload: bytes) -> None:
        """Record the first delivery of an event: its code, then its fields."""
        raise NotImplementedError

    def recover(self) -> None:
        """Bring the device out of the fault that the power cut caused."""
        raise NotImplementedError

    def check_restart(self) -> None:
        """Check the device right after a restart; by default there is nothing to check."""


def evening_with_a_cut(
    begin: Callable[[Bench], Evening], bench: Bench, at: int, torn: float
) -> bool:
    """Run an evening with a power cut; return whether it happened.

    It does not happen if `at` is past the last write.
    """
    evening = begin(bench)
    bench.do("flash", what="cut", at=at, torn=torn)
    evening.live()
    evening.end()
    return evening.cuts == 1


def some_writes(writes: int) -> range:
    """Return every n-th write, from a start that the seed of the run chooses.

    `make soak` cuts at all writes.
    """
    return range(random.randint(1, ONE_IN), writes + 1, ONE_IN)


def writes_of_an_evening(begin: Callable[[Bench], Evening], bench: Bench) -> int:
    evening = begin(bench)
    before = bench.do("flash", what="wear")["operations"]
    evening.live()
    evening.end()
    return int(bench.do("flash", what="wear")["operations"] - before)
