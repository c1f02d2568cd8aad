"""Cut the power at every single program and erase of the flash while a deck is loaded, dealt and
returned.

After each restart no card is lost, doubled or dealt again, and the count matches.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.bench.client import Bench
from cutcard.cards import Card
from cutcard.machines import find
from cutcard_firmware.core.schema import messages as m
from hil_tests.power_cut import (
    TORN,
    Evening,
    evening_with_a_cut,
    some_writes,
    writes_of_an_evening,
)

PACK = 52


class PackEvening(Evening):
    """One deck: loaded, dealt from, returned, dealt again, unloaded."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.dealt: list[str] = []  # cards reported since the table was last cleared

    def live(self) -> None:
        self.load()
        self.deal(5)
        self.put_back()
        self.deal(3)
        self.unload()

    # Actions of the host, repeated until they succeed

    def load(self) -> None:
        self.bench.put(1)
        self.bench.settle()
        while self.mode() != "ready":
            if self.mode() == "empty":
                self.bench.return_cards()
                self.bench.settle()
                self.command("load", 1, PACK)
            elif self.mode() == "loading" and self.on_table():
                self.bench.return_cards()
                self.rest()
            else:
                self.rest()

    def deal(self, cards: int) -> None:
        """Deal cards one after the other; each is reported once.

        Only a card in the mouth at the power cut, or one ejected for a count, may be on the table
        without a report.
        """
        for _ in range(cards):
            dealt, table, cuts = len(self.dealt), self.on_table(), self.cuts
            self.command("deal", 1)
            if self.cuts == cuts:
                assert (len(self.dealt), self.on_table()) == (dealt + 1, table + 1)
            assert len(self.dealt) <= dealt + 1
            assert self.on_table() >= table

    def put_back(self) -> None:
        """Return the cards; a batch machine takes cards back only when empty, so there the deal
        continues."""
        if not find(self.bench.machine).continuous:
            return
        self.dealt.clear()
        self.bench.return_cards()
        self.rest()
        while self.status()["outside"]:
            self.bench.return_cards()
            self.rest()

    def unload(self) -> None:
        while self.mode() != "empty":
            self.command("unload")

    # Implementation

    def command(self, name: str, *arguments: int) -> None:
        """Send the command once. After a power cut, the count shows whether the device received
        it."""
        self.send(name, *arguments, identity=self.status()["last_command"] + 1)

    def recover(self) -> None:
        while self.status()["mode"] == m.MODES.index("fault"):
            self.check_cards()
            self.bench.do("clear")
            self.bench.settle()
            outside = self.status()["pack"] - self.inside()
            self.line.ask("recover", outside, identity=self.status()["last_command"] + 1)
            self.bench.settle()
            assert self.status()["fault"] != m.FAULT["count-mismatch"]
        self.check_counts()

    def on_event(self, payload: bytes) -> None:
        if payload[0] == m.EVENT_CODE["card"]:
            self.dealt.append(str(Card.from_code(payload[1])))

    def take_events(self) -> None:
        """Collect the stored events; a dealt card is reported once and is on the table."""
        super().take_events()
        on_table = [card["card"] for card in self.bench.cards().get("outside", [])]
        assert len(set(self.dealt)) == len(self.dealt), "dealt again"
        assert set(self.dealt) <= set(on_table), "reported and not dealt"

    # Checks

    def status(self) -> dict[str, int]:
        return self.line.ask("status")

    def mode(self) -> str:
        return str(m.MODES[self.status()["mode"]])

    def on_table(self) -> int:
        return int(self.bench.status()["cards"]["outside"])

    def inside(self) -> int:
        cards = self.bench.status()["cards"]
        return int(cards["bins"] + cards["chute"] + cards["exit"])

    def check_cards(self) -> None:
        numbers = [card["number"] for row in self.bench.cards().values() for card in row]
        assert sorted(numbers) == list(range(PACK))

    def check_counts(self) -> None:
        self.check_cards()
        status = self.status()
        assert status["inside"] == self.inside()
        assert status["inside"] + status["outside"] == status["pack"]

    def end(self) -> None:
        self.check_counts()
        super().end()


def test_power_cut_at_a_write_of_an_evening(fresh_bench: Callable[..., Bench]) -> None:
    """The progress of the interrupted write varies from cut to cut."""
    writes = writes_of_an_evening(PackEvening, fresh_bench("carousel-38", 1))
    assert writes > 50
    for turn, at in enumerate(some_writes(writes)):
        assert evening_with_a_cut(PackEvening, fresh_bench("carousel-38", 1), at, TORN[turn % 3])


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("machine", ["carousel-38", "drum-60", "shelves-10"])
@pytest.mark.parametrize("torn", TORN)
def test_power_cut_at_every_write_however_far_it_got(
    fresh_bench: Callable[..., Bench], machine: str, torn: float
) -> None:
    writes = writes_of_an_evening(PackEvening, fresh_bench(machine, 1))
    for at in range(1, writes + 1):
        evening_with_a_cut(PackEvening, fresh_bench(machine, 1), at, torn)
