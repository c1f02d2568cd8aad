"""A table at any moment of the evening."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cutcard.console.pit import Pit
from cutcard.console.table_view import TableView
from cutcard.console.watched_table import NoSuchMomentError, WatchedTable
from cutcard.journal import Record, read
from cutcard.table.running import JOURNAL


@pytest.fixture
def watched(played: Path) -> WatchedTable:
    pit = Pit([played])
    pit.catch_up()
    return pit.tables["seven"]


def test_every_moment_equals_a_replay_from_the_beginning(watched: WatchedTable) -> None:
    view = TableView.of(watched.path)
    for record in read(watched.path):
        view.take(record)
        if record.number % 7 == 0 or record.kind in ("round", "settled", "device"):
            assert watched.at(record.number).picture() == view.picture()


def test_cards_are_not_shown_before_they_are_dealt(watched: WatchedTable) -> None:
    first = next(r.number for r in read(watched.path) if r.kind == "event")
    before, after = (watched.at(n).picture()["round"] for n in (first - 1, first))
    lying = [
        [hand["cards"] for box in r["boxes"] for hand in box["hands"]] for r in (before, after)
    ]
    assert [sum(map(len, each)) for each in lying] == [0, 1]


def test_fault_is_shown_until_the_count_matches(watched: WatchedTable) -> None:
    kinds = {r.kind: r.number for r in read(watched.path) if r.kind in ("device", "recovered")}
    stopped = watched.at(kinds["device"]).picture()
    assert stopped["machine"]["fault"] == "jam on exit"
    assert "free it" in stopped["machine"]["hint"]
    assert watched.at(kinds["recovered"]).picture()["machine"]["fault"] == ""


def test_journal_is_unwitnessed_until_a_witness_answers(played: Path) -> None:
    view = TableView.of(played / "seven" / JOURNAL)
    for number, (kind, data) in enumerate(
        (
            ("unwitnessed", {"since": "2026-11-19T20:15:00.000Z", "why": "does not answer"}),
            ("unwitnessed", {"witness": "b", "since": "2026-11-19T20:16:00.000Z", "why": ""}),
            ("witnessed", {}),
        ),
        start=1,
    ):
        view.take(Record(number, kind, {"witness": "a", "size": 9, **data}, hash=""))
        found = [each["witness"] for each in view.picture()["unwitnessed"]]
        assert found == [["a"], ["a", "b"], ["b"]][number - 1]


def test_open_choices_name_rule_and_title(watched: WatchedTable) -> None:
    moments = [watched.at(number).picture() for number in range(1, watched.view.number + 1)]
    rounds = [each["round"] for each in moments if each["round"]]
    choice = next(each["choices"][0] for each in rounds if each["choices"])
    assert choice["on"] == "malfunction"
    assert {option["ruling"] for option in choice["options"]} >= {"void-round", "void-hands"}
    assert all(option["rules"] and option["title"] for option in choice["options"])


def test_money_and_cards_add_up_at_the_end(watched: WatchedTable) -> None:
    picture = watched.view.picture()
    assert picture["house"] == -sum(picture["cents"].values())
    assert picture["played"] == 4
    machine = picture["machine"]
    assert machine["inside"] + machine["outside"] == machine["pack"] == 312
    assert picture["closed"]


def test_nonexistent_moment_is_refused(watched: WatchedTable) -> None:
    with pytest.raises(NoSuchMomentError, match="records 1 to"):
        watched.at(watched.view.number + 1)
    with pytest.raises(NoSuchMomentError, match="no round 9"):
        watched.round(9)


def test_damaged_journal_is_shown_up_to_the_damage(evening: Path) -> None:
    path = evening / "seven" / "table.journal"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[99] = lines[99].replace(b'"n":100', b'"n":999')
    path.write_bytes(b"".join(lines))
    pit = Pit([evening])
    pit.catch_up()
    assert pit.tables["seven"].view.number == 99
    assert "line 100" in pit.tables["seven"].damage


def test_journal_of_a_newer_version_is_refused_with_a_sentence(evening: Path) -> None:
    path = evening / "seven" / "table.journal"
    newer = re.sub(rb'"v":\d+', b'"v":99', path.read_bytes())
    path.write_bytes(newer)
    pit = Pit([evening])
    pit.catch_up()
    assert "The file was not changed" in pit.tables["seven"].damage
    assert path.read_bytes() == newer
