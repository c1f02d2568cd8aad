"""Forgeries that were tried after the first five; the page on the live table lists them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from cutcard.journal import TableKey
from cutcard.table.play.live import LiveTable
from cutcard.table.running import JOURNAL
from tests.forgeries.forging import Forger
from tests.forgeries.test_forged_evenings import (
    ROUNDS,
    cutcard,
    evening,
    key_of,
    make_ana_win,
    round_of,
    table,
    verdicts,
    verified,
    witness_of,
)

__all__ = ["evening", "table"]  # fixtures


def stopped_after(table: Path, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restart the evening, and kill it after `rounds` settled rounds."""
    original = LiveTable.bring_back_discards

    def kill(live: LiveTable) -> None:
        if live.played == rounds:
            raise KeyboardInterrupt
        original(live)

    (table / JOURNAL).unlink()
    shutil.rmtree(table / "cards")
    with monkeypatch.context() as patched:
        patched.setattr(LiveTable, "bring_back_discards", kill)
        assert cutcard("table", "run", str(table))[0] == 130


@pytest.mark.parametrize("place", ["table.key", "table.toml"])
def test_a_table_does_not_resume_with_a_key_that_was_put_into_its_folder(
    table: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Without the table's key: the balances of a settled round are signed with another one."""
    stopped_after(table, 3, monkeypatch)
    forger = Forger(table / JOURNAL)
    settled = forger.of_kind("settled")[-1]
    make_ana_win([settled])
    planted = TableKey.generate()
    settled["data"]["state"]["table"]["key"] = planted.public
    forger.write_tail(forger.bodies.index(settled), planted)
    planted.store(table / "planted.key")
    if place == "table.key":
        (table / "planted.key").rename(table / place)
    else:
        plan = (table / place).read_text()
        (table / place).write_text(f'key = "{table / "planted.key"}"\n{plan}')
    (table / "table.public").write_text(planted.public + "\n")
    before = (table / JOURNAL).read_bytes()
    code, said = cutcard("table", "run", str(table))
    assert (code, "The folder was changed" in " ".join(said.split())) == (1, True), said
    assert (table / JOURNAL).read_bytes() == before


def test_unsigned_records_of_an_older_format_contradict_a_signed_journal(table: Path) -> None:
    """Without the key: an exchange of the machine, in a format without signatures."""
    forger = Forger(table / JOURNAL)
    end = len(forger.bodies)
    serial, witness = witness_of(table)
    device = {"role": "cards", "serial": serial, "firmware": 0}
    forger.append("exchanged", {"from": serial, "to": serial}, device)["v"] = 2
    forger.append("epoch", {"witness": [witness.count, witness.value.hex()]}, device)["v"] = 2
    forger.write_tail(end)
    code, said = verified(table)
    assert code == 1
    assert any("has format 2 after format 5" in each for each in said["problems"])


def test_a_claimed_exchange_does_not_prove_the_rounds_before_it(table: Path) -> None:
    """With the table's key: the machine is "exchanged" for itself, to hide witnessed records."""
    forger = Forger(table / JOURNAL)
    serial, witness = witness_of(table)
    forger.drop(lambda body: body["kind"] in ("closed", "statement"))
    device = {"role": "cards", "serial": serial, "firmware": 0}
    person = {"by": "Kim Lee", "title": "casino-operator", "reason": "in repair"}
    forger.append("exchanged", {"from": serial, "to": serial, **person}, device)
    forger.append("epoch", {"witness": [witness.count, witness.value.hex()]}, device)
    forger.write(key_of(table))
    code, said = verified(table)
    assert (code, verdicts(said)) == (3, [(1, ROUNDS, "not provable")])
    assert "Kim Lee" in said["ranges"][0]["why"]
    assert "claimed" in said["ranges"][0]["why"]


def test_a_segment_that_hides_the_end_of_a_journal_stops_the_table(table: Path) -> None:
    """Without the key: a file `table.journal.2` with one genuine line takes over."""
    forger = Forger(table / JOURNAL)
    at = forger.bodies.index(round_of(forger, 3)[-1])
    lines = (table / JOURNAL).read_bytes().splitlines(keepends=True)
    (table / f"{JOURNAL}.2").write_bytes(lines[at])
    code, said = cutcard("table", "run", str(table))
    assert (code, "records of this table are missing" in " ".join(said.split())) == (1, True), said
    assert verified(table)[0] == 1


def test_the_first_rounds_cannot_be_hidden_behind_a_tree_record(table: Path) -> None:
    """With the table's key: three rounds are "in a journal before this one"."""
    forger = Forger(table / JOURNAL)
    kept = forger.bodies.index(round_of(forger, 4)[0])
    before = forger.of_kind("settled")[2]["data"]["state"]
    opening = [body for body in forger.bodies[:kept] if body["kind"] in ("table", "opened")]
    serial, _ = witness_of(table)
    device = {"role": "cards", "serial": serial, "firmware": 0}
    forger.bodies[:kept] = opening
    epoch: dict[str, Any] = {
        "witness": before["devices"]["cards"]["witness"],
        "sent": before["devices"]["cards"]["sent"],
    }
    forger.bodies.insert(len(opening), {**opening[0], "kind": "epoch", "data": epoch})
    forger.bodies[len(opening)]["device"] = device
    forger.bodies.insert(0, {**opening[0], "kind": "tree", "data": before["tree"]})
    for body in forger.of_kind("settled"):
        body["data"]["state"].pop("tree")
    forger.write(key_of(table))
    code, said = verified(table)
    assert code == 1
    assert any("they are not the same ones" in each for each in said["problems"])
