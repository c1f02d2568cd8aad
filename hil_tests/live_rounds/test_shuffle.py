"""A cutting card leaves the shoe: the round is completed, and then the cards are shuffled."""

from __future__ import annotations

from pathlib import Path

from cutcard.journal import read
from cutcard.table.plan.table_file import plan_from
from cutcard.table.running import JOURNAL, run

PLAN = """
rulebook = "{rulebook}"
decks = 4
shuffler = "shoe"
rounds = 13
players = [
  {{ name = "Ana", box = 1, wager = 20 }},
  {{ name = "Ben", box = 3, wager = 50 }},
  {{ name = "Cleo", box = 5, wager = 10 }},
]
[table]
min = 10
max = 1000
"""


def test_shuffle_at_the_end_of_the_round_is_carried_out(tmp_path: Path) -> None:
    plan = plan_from(PLAN.format(rulebook="crown-melbourne-26"), tmp_path / "plan.toml")
    lines: list[str] = []
    balance = run(plan, tmp_path / "table", lines.append, seed=1)
    assert balance.adds_up
    records = list(read(tmp_path / "table" / JOURNAL))
    cut = next(r for r in records if r.data.get("fault") == "cut-card")
    settled = next(r for r in records if r.kind == "settled" and r.number > cut.number)
    shuffled = next(r for r in records if r.kind == "shuffled")
    assert cut.number < settled.number < shuffled.number
    assert shuffled.data == {"cards": 208}
    assert balance.outside < 100  # the cards of the rounds since, and the burned card
