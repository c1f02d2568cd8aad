"""A killed table with a jackpot resumes: each wager is entered once and paid once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

from cutcard.bench.client import Bench
from cutcard.devices import Controller
from cutcard.engine.state import Table
from cutcard.journal import read
from cutcard.meters import Meters
from cutcard.meters.groups import NOTICE
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.jackpot.interface import Jackpot
from cutcard.table.jackpot.metered import JackpotMeter, WagerPicker
from cutcard.table.plan.players import Player
from cutcard.table.replay.replay_log import ReplayLog
from hil_tests.jackpots.meter_table import PLACE, Clock, opened_meters
from hil_tests.resume.killing import KilledTable, Points
from hil_tests.resume.test_killed import killed_by_chance

BET = "supernova"
PLAYERS = (
    Player("Ana", 1, 2000, ((BET, 500),)),
    Player("Ben", 3, 5000, ((BET, 500),)),
)


def test_meters_and_controller_give_the_same_answer_to_the_same_key(
    fresh_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    benches = fresh_bench("carousel-38", 1), fresh_bench("controller-4", 1)
    benches[0].put(6)
    meters, managers, chip = opened_meters(BET, tmp_path)
    meters.close()

    def equip(memory: ReplayLog, points: Points, stack: ExitStack) -> Sequence[Jackpot]:
        controller = Controller.open(
            benches[1].port,
            key=benches[1].key,
            randomness=Random(1).randbytes,
            log=memory.log("controller"),
            deadline=60,
            tap=lambda frame: points.reach(),
        )
        stack.callback(controller._connection._hang_up)
        opened = stack.enter_context(_meters(tmp_path))
        picks = WagerPicker(controller, PLACE, one_in=2)
        return [JackpotMeter(opened, "T3", BET, managers, picks)]

    with _meters(tmp_path) as before:
        seeds = JackpotMeter(before, "T3", BET, managers).seeds()
    book = open_rulebook("crown-melbourne-26", ("blackjack",))
    table = Table(
        book,
        6,
        "continuous",
        minimum=1000,
        maximum=100_000,
        offers={BET: ""},
        seeds=seeds,
        chip=chip,
    )
    killed = KilledTable(benches[0], tmp_path, table, {}, 2, players=PLAYERS, equip=equip)
    assert killed_by_chance(killed, seed=2, furthest=120) > 5
    killed.check()
    _check_meters(tmp_path, list(read(killed.path))[-1].number)


def _meters(folder: Path) -> Meters:
    clock = Clock()
    clock.now += 2 * NOTICE
    return Meters.open(str(folder / "meters.sqlite"), clock)


def _check_meters(folder: Path, records: int) -> None:
    """Check that the meters recorded each wager of each round once, and no round waits for
    settlement."""
    with _meters(folder) as meters:
        assert not meters.waiting("T3", 1)
        assert not meters.waiting("T3", 2)
        stakes = [
            (entry.detail.get("round"), entry.detail.get("box"))
            for entry in meters.history()
            if entry.kind == "wager"
        ]
    assert records
    assert len(stakes) == len(set(stakes))
