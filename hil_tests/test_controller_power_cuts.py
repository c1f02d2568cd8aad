"""Cut the power at every single program and erase of the flash while prizes are drawn.

After each restart no prize is lost, changed or drawn twice: a recorded prize is shown again, an
unrecorded one was not drawn, and the host's repeated command returns the same prize.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cutcard.bench.client import Bench
from cutcard.prizes.draw import Draw
from cutcard_firmware.core.jackpot import draws
from cutcard_firmware.core.schema import messages
from hil_tests.conftest import PRIZES
from hil_tests.power_cut import (
    TORN,
    Evening,
    evening_with_a_cut,
    some_writes,
    writes_of_an_evening,
)

WAGERS = sha256(b"1 1 0\n1 2 0\n1 3 0\n").digest()
Key = tuple[int, ...]  # kind, table, round, box, attempt


class JackpotEvening(Evening):
    """Draws for two tables: pressed by hand, pressed by the host, selected."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.public_key = self.line.ask("signer")["public"]
        self.drawn: dict[Key, Draw] = {}  # by press
        self.offers_lost = 0

    def live(self) -> None:
        for table in (1, 2):
            self.command("prizes", table, PRIZES.encode())
        self.press_by_hand(1, 1, 3)
        self.press_by_hand(1, 1, 5)
        self.press_by_host(2, 1, 1)
        self.press_by_host(1, 1, 3)  # repeated: the same prize
        self.select(2, 1)
        self.press_by_hand(1, 2, 3)

    # Actions of host and player, repeated until they succeed

    def press_by_hand(self, table: int, round: int, box: int) -> None:
        key = (messages.PRIZE, table, round, box, 0)
        while key not in self.drawn:
            self.command("button", table, round, box, 0, 0, 500)
            if key not in self.drawn and self.panel(table)["offered"]:
                assert not self.shown(table)
                self.bench.do("press", table=table)
                self.rest()
        assert self.shown(table) == self.drawn[key].amount

    def press_by_host(self, table: int, round: int, box: int) -> None:
        self.command("press", table, round, box, 0, 0, 500)
        assert self.shown(table) == self.drawn[messages.PRIZE, table, round, box, 0].amount

    def select(self, table: int, round: int) -> None:
        self.command("select", table, round, 0, 3, WAGERS)
        assert self.drawn[messages.SELECTION, table, round, 0, 0].digest == WAGERS

    # Implementation

    def command(self, name: str, *arguments: int | bytes) -> None:
        """Send the command until the count shows that the device received it."""
        identity = self.line.ask("status")["last_command"] + 1
        while self.line.ask("status")["last_command"] < identity:
            self.send(name, *arguments, identity=identity)

    def recover(self) -> None:
        status = self.line.ask("status")
        if status["mode"] == messages.MODES.index("fault"):
            assert messages.FAULTS[status["fault"]] == "power-lost"
            self.offers_lost += 1
            self.line.ask("resume", 0, identity=status["last_command"] + 1)
            self.bench.settle()

    def on_event(self, payload: bytes) -> None:
        if payload[0] == messages.EVENT_CODE["prize"]:
            self.keep(Draw.unpacked(payload[1:]))

    def keep(self, draw: Draw) -> None:
        kind = messages.SELECTION if draw.kind == "selection" else messages.PRIZE
        key = (kind, draw.table, draw.round, draw.box, draw.attempt)
        assert self.drawn.setdefault(key, draw) == draw, "a prize has changed"

    # Checks

    def panel(self, table: int) -> dict[str, int]:
        return self.line.ask("panel", table)

    def shown(self, table: int) -> int | None:
        self.bench.settle()
        found = self.bench.status()["tables"][table - 1]
        assert found["meter"] == found["panel"]
        amount: int | None = found["meter"]
        return amount

    def check_restart(self) -> None:
        """Check that each recorded draw is shown again, and each displayed prize was drawn."""
        for table in (1, 2):
            panel = self.panel(table)
            shown = self.shown(table)
            assert (shown is None) == (panel["shown"] == 0)
            if panel["shown"]:
                kept = self.kept()
                assert shown == next(d.amount for d in kept if d.counter == panel["shown"])

    def kept(self) -> list[Draw]:
        count = self.line.ask("draws", 0)["kept"]
        return [Draw.unpacked(self.line.ask("draws", place)["draw"]) for place in range(count)]

    def check_chain(self) -> None:
        """Check that all draws were reported, with consecutive numbers and valid signatures."""
        everything = sorted(self.drawn.values(), key=lambda draw: draw.counter)
        assert [draw.counter for draw in everything] == list(range(1, len(everything) + 1))
        chain = bytes(32)
        for draw in everything:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(draw.signature, draw.message)
            assert draw.previous == chain
            chain = draw.record_digest
        identity = self.line.ask("signer")
        assert (identity["draws"], identity["chain"]) == (len(everything), chain)
        assert identity["public"] == self.public_key

    def end(self) -> None:
        assert len(self.drawn) == 5
        self.check_chain()
        super().end()


def test_power_cut_at_a_write_of_an_evening(fresh_bench: Callable[..., Bench]) -> None:
    """The progress of the interrupted write varies from cut to cut."""
    writes = writes_of_an_evening(JackpotEvening, fresh_bench("controller-4", 1))
    assert writes > 20
    for turn, at in enumerate(some_writes(writes)):
        assert evening_with_a_cut(
            JackpotEvening, fresh_bench("controller-4", 1), at, TORN[turn % 3]
        )


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("torn", TORN)
def test_power_cut_at_every_write_however_far_it_got(
    fresh_bench: Callable[..., Bench], torn: float
) -> None:
    writes = writes_of_an_evening(JackpotEvening, fresh_bench("controller-4", 1))
    for at in range(1, writes + 1):
        evening_with_a_cut(JackpotEvening, fresh_bench("controller-4", 1), at, torn)


def test_cut_between_record_and_display_shows_the_prize_afterwards(
    fresh_bench: Callable[..., Bench],
) -> None:
    """The power fails at the command to the displays, which follows the record."""
    bench = fresh_bench("controller-4", 1)
    evening = JackpotEvening(bench)
    evening.command("prizes", 1, PRIZES.encode())
    evening.command("button", 1, 1, 3, 0, 0, 500)
    bench.settle()  # the offer was displayed too
    bench.do("power", how="cut", after=1, step="show")
    bench.do("press", table=1)
    bench.settle()
    status = bench.status()
    assert (status["power"], status["tables"][0]["meter"]) == ("off", None)
    evening.rest()
    [draw] = evening.drawn.values()
    assert evening.shown(1) == draw.amount
    assert not evening.offers_lost
    assert len(evening.kept()[0].signature) == draws.SIGNATURE
    evening.check_chain()
    evening.line.close()
