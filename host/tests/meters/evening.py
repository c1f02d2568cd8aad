"""An evening as a script: every operation of the meters, which can be killed at any point.

Each step is requested with its key. After a kill the script starts again from the first step and
repeats every request, as a table's computer does that does not know the recorded ones.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

from cutcard.meters import Meters
from cutcard.meters.database import Database
from cutcard.meters.groups import NOTICE, SignChange
from tests.meters.floor import JACKPOTS, SUPERNOVA

Step = Callable[[Meters], object]

SPADES, TENTH = "suited-aces-spades", "suited-aces"
OPENING: list[Step] = [
    lambda m: m.create("city", JACKPOTS),
    lambda m: m.create("east", JACKPOTS),
    lambda m: m.create("nova", SUPERNOVA),
    lambda m: m.notice(SignChange("join", "city", "T1"), "1"),
    lambda m: m.notice(SignChange("join", "city", "T2"), "2"),
    lambda m: m.notice(SignChange("join", "nova", "T3"), "3"),
]
PLAY: list[Step] = [
    lambda m: m.carry_out("1"),
    lambda m: m.carry_out("2"),
    lambda m: m.carry_out("3"),
    lambda m: m.deposit("ana", 5000, "ana 1"),
    lambda m: m.deposit("ben", 2000, "ben 1"),
    lambda m: m.wager("T1", 1, 1, "ana"),
    lambda m: m.wager("T1", 1, 2, "ben"),
    lambda m: m.wager("T2", 1, 5, "ana"),
    lambda m: m.settle("T1", 1, {1: TENTH, 2: TENTH}),  # two winners share a tenth
    lambda m: m.pick("T2", 1, 5),  # Lucky Player, in addition to the hand
    lambda m: m.settle("T2", 1, {5: SPADES}),
    lambda m: m.wager("T1", 2, 1, "ana"),
    lambda m: m.wager("T1", 2, 2, "ben"),
    lambda m: m.retract("T1", 2, 2),
    lambda m: m.settle("T1", 2, {}),
    lambda m: m.wager("T2", 2, 5, "ben"),
    lambda m: m.void("T2", 2),
    lambda m: m.wager("T3", 1, 1),
    lambda m: m.wager("T3", 1, 2),
    lambda m: m.pick("T3", 1, 2),
    lambda m: m.settle("T3", 1, {1: "minor", 2: "major"}),
    lambda m: m.notice(SignChange("move", "city", "T2", "east"), "4"),
    lambda m: m.notice(SignChange("close", "city"), "5"),
]
CLOSING: list[Step] = [
    lambda m: m.carry_out("4"),
    lambda m: m.carry_out("5", {"east": Fraction(1)}),
    lambda m: m.wager("T2", 3, 5, "ana"),
    lambda m: m.settle("T2", 3, {5: SPADES}),
    lambda m: m.cash_out("ben", "ben 2", 500),
    lambda m: m.cash_out("ana", "ana 2"),
]


class Clockwork:
    """A clock with a fixed time for every step, so that the same evening makes the same ledger."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 16, 20, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def play(meters: Meters, clock: Clockwork) -> None:
    for part in (OPENING, PLAY, CLOSING):
        for step in part:
            clock.now += timedelta(seconds=1)
            step(meters)
        clock.now += NOTICE


class KilledAtCommit(Database):
    """A database in a process that dies at one of its commits; it records each one reached.

    Point 2n is before the n-th commit, 2n + 1 after it.
    """

    reached = 0
    die_at = -1
    log: Path

    def commit(self) -> None:
        self._point()
        super().commit()
        self._point()

    def _point(self) -> None:
        with self.log.open("a") as log:
            log.write(f"{KilledAtCommit.reached}\n")
        if KilledAtCommit.reached == KilledAtCommit.die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        KilledAtCommit.reached += 1


def process(where: str, log: Path, die_at: int) -> None:
    """Run the evening in a separate process, which dies there."""
    KilledAtCommit.log, KilledAtCommit.die_at = log, die_at
    clock = Clockwork()
    with Meters(KilledAtCommit.open(where, create=True), clock) as meters:
        play(meters, clock)
