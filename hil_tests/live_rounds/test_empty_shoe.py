"""A shoe that runs empty during a round: the discards complete it, as the rulebook requires."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cutcard.bench.client import Bench
from cutcard.cases.runner import run_file
from cutcard.devices import CommandRefusedError, Shoe
from cutcard.engine.state import Table
from cutcard.journal import Journal, read
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.machine.dealing_device import ROLE, TableDevice
from cutcard.table.machine.floor import BenchFloor
from cutcard.table.play.evening import write_cases
from cutcard.table.play.live import LiveTable
from cutcard.table.replay.replay_log import ReplayLog
from hil_tests.resume.killing import PLAYERS

DECKS = 4
LEFT = 5  # cards in the shoe at the start of the round: too few for three boxes and the dealer


@pytest.mark.parametrize(
    ("rulebook", "rule"),
    [("nz-division-2", "16.7"), ("crown-melbourne-26", "9.11"), ("mbs-free-bet-3", "5.19")],
)
def test_discards_complete_the_round(
    fresh_bench: Callable[..., Bench], tmp_path: Path, rulebook: str, rule: str
) -> None:
    bench = fresh_bench("shoe-8", 1)
    bench.put(DECKS)
    bench.settle()
    table = Table(open_rulebook(rulebook), DECKS, minimum=1000, maximum=100_000)
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        memory = ReplayLog(journal, table)
        with Shoe.open(bench.port, key=bench.key, log=memory.log(ROLE)) as shoe:
            TableDevice(shoe, memory).fill(DECKS, 52)
            memory.command(ROLE, lambda: shoe.burn(DECKS * 52 - LEFT)[-1])
            live = LiveTable(table, shoe, memory, BenchFloor(bench), lambda line: None)
            live.play([bet for player in PLAYERS for bet in player.bets()])
            status = shoe.status()
    assert status.inside + status.outside == DECKS * 52
    records = list(read(path))
    (refilled,) = [record for record in records if record.kind == "refilled"]
    assert refilled.data == {"cards": DECKS * 52 - LEFT}
    assert rule in [r for each in live.round.story for r in each.rules]
    assert write_cases(path, tmp_path / "cases") == 1
    assert all(run_file(case).ok for case in (tmp_path / "cases").glob("*.toml"))


class Hasty(BenchFloor):
    """People who confirm the discards too early, or leave the door open."""

    def __init__(self, bench: Bench, mishap: str) -> None:
        super().__init__(bench)
        self.mishap = mishap

    def riffle(self, cards: int) -> bool:
        mishap, self.mishap = self.mishap, ""
        if mishap == "too early":
            return True
        done = super().riffle(cards) if mishap or not self._is_in() else True
        if mishap == "door":
            self.bench.do("door", how="open")
            self.bench.settle()
        return done

    def _is_in(self) -> bool:
        return bool(self.bench.cards().get("stack"))


@pytest.mark.parametrize("mishap", ["too early", "door"])
def test_mishap_while_inserting_discards_does_not_void_the_round(
    fresh_bench: Callable[..., Bench], tmp_path: Path, mishap: str
) -> None:
    bench = fresh_bench("shoe-8", 1)
    bench.put(DECKS)
    bench.settle()
    table = Table(open_rulebook("nz-division-2"), DECKS, minimum=1000, maximum=100_000)
    with Journal(tmp_path / "table.journal") as journal:
        memory = ReplayLog(journal, table)
        with Shoe.open(bench.port, key=bench.key, log=memory.log(ROLE)) as shoe:
            TableDevice(shoe, memory).fill(DECKS, 52)
            memory.command(ROLE, lambda: shoe.burn(DECKS * 52 - LEFT)[-1])
            live = LiveTable(table, shoe, memory, Hasty(bench, mishap), lambda line: None)
            live.play([bet for player in PLAYERS for bet in player.bets()])
            status = shoe.status()
    assert status.inside + status.outside == DECKS * 52
    assert live.machine.reported_outside == status.outside


def test_shoe_takes_discards_only_when_empty_and_only_if_they_complete_its_pack(
    fresh_bench: Callable[..., Bench],
) -> None:
    bench = fresh_bench("shoe-8", 1)
    bench.put(1)
    bench.settle()
    with Shoe.open(bench.port, key=bench.key) as shoe:
        shoe.stack(1)
        shoe.burn(52)
        with pytest.raises(CommandRefusedError, match="refill"):
            shoe.refill(10, 42)
        shoe.unload()
        with pytest.raises(CommandRefusedError, match="tray"):
            shoe.refill(10, 42)
        bench.do("return", count="10", shuffled=True)
        bench.settle()
        with pytest.raises(CommandRefusedError, match="refill"):
            shoe.refill(10, 43)
        assert shoe.refill(10, 42).cards == 10
        assert (shoe.status().inside, shoe.status().outside) == (10, 42)
        shoe.deal()
