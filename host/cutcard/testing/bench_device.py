"""A device, its driver, and the simulated person next to it."""

from __future__ import annotations

import warnings
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from cutcard.bench.client import Bench
from cutcard.devices import Event, FaultRaised, Recovered, Shoe, Shuffler, Status, Tap
from cutcard.devices.card_device import CardDevice
from cutcard.devices.device import TALK_SECONDS, Device
from cutcard.devices.log import UnloggedDeviceWarning
from cutcard.renamed import renamed_members

RETRY_SECONDS = 0.1  # a bench answers in milliseconds; a lost frame is repeated after this
# The allowed difference between two measurements of one device's heap. Its last frames have
# different lengths, it caches recent rows and layouts of the schema, and the largest drum has a row
# of 416 numbers once it was loaded (832 bytes). A leak is some bytes per command, and every test
# sends many.
HEAP_TOLERANCE = 2048

D = TypeVar("D", bound=Device)
# Filled machines that later tests restore, by machine name and filling: the events until then, the
# host's randomness, and the first measurement of the heap.
Fillings = dict[tuple[str, str], tuple[list[Event], tuple[Any, ...], tuple[int, int]]]


class PointedShoe(Shoe):
    """A shoe with a pointer that turns and shows a depth.

    The hand knows from the command whether to cut or to place, and acts when the pointer has
    stopped.
    """

    person: Bench

    def cut(self, depth: int, low: int, high: int, deadline: float = TALK_SECONDS) -> None:
        super().cut(depth, low, high, deadline)
        self.person.settle()
        self.person.do("cut")

    def place(self, depth: int, low: int, high: int, deadline: float = TALK_SECONDS) -> None:
        super().place(depth, low, high, deadline)
        self.person.settle()
        self.person.do("place")


class BenchDevice(Generic[D]):
    """A device on the bench: `device` is its driver, `bench` the simulated person.

    `events` has its events in order. `end` fails if the firmware crashed or leaked heap.
    """

    if not TYPE_CHECKING:  # a type checker rejects the old name
        __getattr__ = renamed_members("BenchDevice", {"told": "events_of"})

    def __init__(
        self,
        bench: Bench,
        kind: type[D],
        entropy: int = 0,
        retry: float = RETRY_SECONDS,
        fillings: Fillings | None = None,
        tap: Tap | None = None,
    ) -> None:
        self.bench = bench
        self._fillings = fillings
        self._tap = tap
        self._entropy_seed = entropy
        self.kind = kind
        self._retry = retry
        self._entropy = Random(entropy)  # the host's share of the randomness, always the same
        self.events: list[Event] = []  # in order, each once, as in a journal
        self.device = self.open()
        self._first_heap = self.heap()

    # Host

    def open(self) -> D:
        """Open another driver for the device, which appends the events it receives to `events`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnloggedDeviceWarning)  # a bench proves nothing
            device = self.kind.open(
                self.bench.port,
                key=self.bench.key,
                after=self.events[-1].number if self.events else None,
                record=self.events.append,
                randomness=self._entropy.randbytes,
                retry=self._retry,
                tap=self._tap,
            )
        if isinstance(device, PointedShoe):
            device.person = self.bench
        return device

    def reopen(self) -> None:
        """Open the driver again, like a new start of the table's program: it resumes after its last
        event."""
        self.device.close()
        self.device = self.open()

    def status(self) -> Status:
        """Return the status that the device reports."""
        return self.device.status()

    def take_events(self) -> list[Event]:
        """Return all events so far, after waiting until the machine is at rest."""
        self.bench.settle()
        self.device.status()
        list(self.device.events(deadline=0))
        return self.events

    def events_of(self, kind: type[Event]) -> list[Any]:
        """Return the events of one type so far, after waiting until the machine is at rest."""
        return [event for event in self.take_events() if isinstance(event, kind)]

    # Person

    def fill(self, decks: int = 1, pack: int = 52) -> Self:
        """Have the device take decks in; on an emulated board, restore a device filled before."""
        if self._fillings is None or self.bench.do("touched")["touched"]:
            return self.put_in(decks, pack)
        name = f"{self.bench.seed} {self._entropy_seed} {decks} {pack}"
        if (self.bench.machine, name) in self._fillings:
            self._come_back_to(name)
        else:
            self.put_in(decks, pack)
            self._keep_as(name)
        return self

    def _keep_as(self, name: str) -> None:
        assert self._fillings is not None
        self.take_events()
        self.bench.do("keep", name=name)
        state = list(self.events), self._entropy.getstate(), self._first_heap
        self._fillings[self.bench.machine, name] = state

    def _come_back_to(self, name: str) -> None:
        """Open another driver, which resumes after the last event of the previous one."""
        assert self._fillings is not None
        self.device.close()
        self.bench.do("recall", name=name)
        self.events[:], chance, self._first_heap = self._fillings[self.bench.machine, name]
        self._entropy.setstate(chance)
        self.device = self.open()

    def put_in(self, decks: int = 1, pack: int = 52) -> Self:
        """Put decks in and have the device take them, card by card."""
        self.bench.put(decks, pack)
        self.bench.settle()
        if isinstance(self.device, Shuffler):
            self.device.load(decks, pack)
        elif isinstance(self.device, Shoe):
            self.device.stack(decks, pack)
        return self

    def do(self, word: str, **arguments: Any) -> dict[str, Any]:
        """Do an action of docs/how-to/bench.md, for example `do("jam", where="entry", after=3)`."""
        return self.bench.do(word, **arguments)

    def counts(self) -> dict[str, int]:
        """Return the number of cards in each place, as the person sees them."""
        found: dict[str, int] = self.bench.status()["cards"]
        return found

    def inside(self) -> int:
        """Return the number of playing cards in the machine, as the person sees it."""
        cards = self.bench.cards()
        return sum(
            card["card"] != "cutting"
            for place, row in cards.items()
            if place in ("chute", "stack", "exit") or place.startswith("bin")
            for card in row
        )

    def outside(self) -> int:
        """Return the number of cards outside, as a person would count them."""
        return self.status().pack - self.inside()

    def whole(self) -> Counter[int]:
        """Return every card by its number: each must exist exactly once."""
        return Counter(card["number"] for row in self.bench.cards().values() for card in row)

    def check_counts(self) -> None:
        """Check that the device's counts match the person's, and that no card is lost or
        doubled."""
        self.bench.settle()
        status = self.status()
        assert set(self.whole().values()) <= {1}
        assert status.inside == self.inside()
        assert status.inside + status.outside == status.pack

    # Faults

    def expect_fault(self, name: str) -> FaultRaised:
        """Assert that the device latched and reported this fault and stopped its motors."""
        self.bench.settle()
        status = self.status()
        assert (status.mode, status.fault) == ("fault", name)
        assert not any(self.bench.status()["motors"].values())
        assert self.bench.status()["gate"] == "shut"
        raised: FaultRaised = self.events_of(FaultRaised)[-1]
        assert (raised.fault, raised.detail) == (name, status.detail)
        return raised

    def recover(self) -> Recovered:
        """Recover with the true number of cards outside; check that the recovery ends in a verified
        count."""
        assert isinstance(self.device, CardDevice)
        recovered = self.device.recover(self.outside())
        self.bench.settle()
        assert self.status().fault is None
        self.check_counts()
        return recovered

    # End

    def heap(self) -> tuple[int, int]:
        """Return (start of the device, bytes free after a collection)."""
        return self.status().boots, self.device.counters().free_heap

    def check_heap(self) -> None:
        """Check that as much is free as at the beginning, or as before the last restart."""
        boots, free = self.heap()
        if boots != self._first_heap[0]:
            self._first_heap = boots, free
            for _ in range(50):
                self.device.status()
                self.device.counters()
            boots, free = self.heap()
        assert self._first_heap[1] - free <= HEAP_TOLERANCE, "the device leaks heap"

    def end(self) -> None:
        """Check that no memory leaked and the firmware did not crash, and close the port."""
        try:
            self._check_no_crash()
            self.check_heap()
            self._check_no_crash()
        finally:
            self.device.close()

    def _check_no_crash(self) -> None:
        assert self.bench.status()["crashes"] == 0, self.do("stderr")["stderr"]
        assert not self.do("stderr")["stderr"]
