"""Measure the size of a journal and the speed with which it is verified, on real evenings."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cutcard.journal import read
from cutcard.table.plan.table_file import plan_from
from cutcard.table.replay.proof import Proof
from cutcard.table.replay.verdict import judge
from cutcard.table.running import JOURNAL, run

Add = Callable[[str, str, str, float, bool], None]

ROUNDS = 60  # that are played
VERIFIED = 10_000  # rounds, to which the time is scaled
SECONDS = 5.0
PLAN = f"""
name = "Table 7"
rulebook = "nz-division-2"
decks = 6
shuffler = "continuous"
rounds = {ROUNDS}
players = [{{ name = "Ana", box = 1, wager = 20 }}]
[table]
min = 10
max = 1000
"""


def journal(add: Add) -> None:
    """Play an evening at a table of one player, and verify its journal."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "table"
        run(plan_from(PLAN, folder / "table.toml"), folder, lambda line: None, seed=1)
        size = (folder / JOURNAL).stat().st_size
        taken = min(_seconds(folder / JOURNAL) for _ in range(5))
    add("journal of a round with one player", f"{size / ROUNDS:,.0f} bytes", "", 0, True)
    seconds = taken / ROUNDS * VERIFIED
    add(
        f"verifying {VERIFIED:,} rounds, scaled from {ROUNDS}: processor time",
        f"{seconds:.1f} s",
        f"{SECONDS:.0f} s",
        seconds / SECONDS,
        seconds <= SECONDS,
    )


def _seconds(path: Path) -> float:
    began = time.process_time()
    proof = Proof()
    for record in read(path):
        proof.take(record)
    proof.end()
    judge(proof)
    return time.process_time() - began
