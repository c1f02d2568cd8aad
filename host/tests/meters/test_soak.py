"""Eight tables use one meter concurrently, each in a process; some are killed at any moment."""

from __future__ import annotations

import os
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from cutcard.meters import Meters
from cutcard.meters.groups import NOTICE, SignChange
from tests.meters.floor import JACKPOTS, Watch
from tests.meters.forks import FORKS
from tests.meters.soak import TABLES, plans, play

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerProcess

ROUNDS = int(os.environ.get("CUTCARD_METER_ROUNDS", "5"))
KILLS = 3 * ROUNDS
LONGEST = 0.04  # seconds between two kills


def test_eight_tables_agree_with_kills_at_any_moment(where: str) -> None:
    _set_up(where)
    killed = _run(where)
    with Meters.open(where) as meters:
        ledger, found = meters.history(), meters.check()
    assert not found.problems, found.problems
    expected = list(plans(ROUNDS))
    wagers = Counter(
        (e.detail["table"], e.detail["round"], e.detail["box"]) for e in ledger if e.kind == "wager"
    )
    assert wagers == Counter((p.table, p.number, box) for p in expected for box in p.boxes)
    paid = Counter(
        (e.detail["table"], e.detail["round"], e.detail["box"], e.detail["hand"])
        for e in ledger
        if e.kind in ("prize", "odds")
    )
    won = [(p.table, p.number, box, hand) for p in expected for box, hand in p.hands.items()]
    won += [(p.table, p.number, p.picked, "lucky-player") for p in expected if p.picked]
    assert paid == Counter(won)
    (sums,) = found.meters.values()
    assert sums.by_kind["increment"] == wagers.total() * Fraction(15, 2)
    assert killed >= KILLS // 2, "the tables were done before they could be killed"


def _set_up(where: str) -> None:
    """Let the tables join on the day before."""
    watch = Watch()
    watch.now = datetime.now(UTC) - timedelta(days=1)
    with Meters.open(where, watch, create=True) as meters:
        meters.create("city", JACKPOTS)
        for table in TABLES:
            meters.notice(SignChange("join", "city", table), table)
        watch.wait(NOTICE)
        for table in TABLES:
            meters.carry_out(table)


def _run(where: str) -> int:
    """Run all tables to their end; return the number of killed and restarted ones."""
    seed = random.getrandbits(64)  # pytest-randomly sets and prints its seed
    print(f"seed {seed}")
    chance = Random(seed)
    running = {table: _start(where, table) for table in TABLES}
    killed = 0
    while running:
        table = chance.choice(list(running))
        process = running[table]
        process.join(timeout=chance.uniform(0, LONGEST) if killed < KILLS else None)
        if process.exitcode is None:
            process.kill()
            process.join()
            killed += 1
            running[table] = _start(where, table)
        else:
            assert process.exitcode == 0, f"{table} ended with {process.exitcode}"
            del running[table]
    return killed


def _start(where: str, table: str) -> ForkServerProcess:
    process = FORKS.Process(target=play, args=(where, table, ROUNDS))
    process.start()
    return process
