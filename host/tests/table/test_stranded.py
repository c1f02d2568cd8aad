"""A round that cannot be resumed: its rulebook lists the allowed rulings."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.cards import Card
from cutcard.cases.writing import step_of, wager_of
from cutcard.engine import Deal, Placed, Table
from cutcard.journal import Journal
from cutcard.rulebooks import open_rulebook
from cutcard.table.replay.opening_record import sign_of
from cutcard.table.reports.abandoned_round import ways_out


def open_round(path: Path, rulebook: str, *, settled: bool = False) -> Path:
    """Write a round with two cards out."""
    table = Table(open_rulebook(rulebook), 6, "continuous")
    with Journal(path, "Table 7") as journal:
        journal.append("table", sign_of(table))
        wagers = [wager_of(Placed(1, "Ana", "main", 1000))]
        journal.append("round", {"number": 1, "wagers": wagers})
        for card in ("9s", "7c"):
            journal.append("event", step_of(Deal(Card.parse(card))))
        if settled:
            journal.append("settled", {"number": 1, "round": "void", "results": []})
    return path


@pytest.mark.parametrize("rulebook", ["nz-division-2", "crown-melbourne-26", "mbs-free-bet-3"])
def test_each_ruling_is_named_with_its_role_and_rule(tmp_path: Path, rulebook: str) -> None:
    ways = ways_out(open_round(tmp_path / "table.journal", rulebook))
    assert ways
    assert all(way.endswith("]") for way in ways)


def test_settled_round_needs_no_ruling(tmp_path: Path) -> None:
    settled = open_round(tmp_path / "table.journal", "nz-division-2", settled=True)
    assert ways_out(settled) == []


def test_unreadable_journal_offers_no_rulings(tmp_path: Path) -> None:
    (tmp_path / "table.journal").write_text("{}\n")
    assert ways_out(tmp_path / "table.journal") == []
