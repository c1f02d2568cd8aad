"""Wagers below the minimum: settled once, then returned, also after a restart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cutcard.journal import read
from cutcard.table.plan.table_file import plan_from
from cutcard.table.running import JOURNAL, run

PLAN = """
rulebook = "crown-melbourne-26"
decks = 8
shuffler = "shoe"
rounds = 1
players = [
  { name = "Ana", box = 1, wager = 20, side = { perfect-pairs = 2 } },
  { name = "Ben", box = 3, wager = 5 },
]
[table]
min = 10
max = 1000
offers = { perfect-pairs = "" }
side_min = { perfect-pairs = 5 }
"""


def test_wager_below_the_minimum_is_settled_once_and_then_returned(tmp_path: Path) -> None:
    plan = plan_from(PLAN, tmp_path / "plan.toml")
    for rounds in (1, 2):  # the second round runs in a new program
        run(replace(plan, rounds=rounds), tmp_path / "table", lambda line: None, seed=1)
    first, second = (
        {(line["player"], line["bet"]): line for line in record.data["results"]}
        for record in read(tmp_path / "table" / JOURNAL)
        if record.kind == "settled"
    )
    for wager in (("Ana", "perfect-pairs"), ("Ben", "main")):
        assert first[wager]["result"] != "void"
        assert (second[wager]["result"], second[wager]["net"]) == ("void", 0)
        assert "6.2.1" in second[wager]["rules"]
    assert second["Ana", "main"]["result"] != "void"
