"""A table resumes only with its own journal, and uses each answer from it once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from cutcard.cards import Card
from cutcard.devices import CardDealt, FaultRaised, InFaultError, Intent, Recovered, Started
from cutcard.devices.event_codec import KINDS, from_plain, plain
from cutcard.devices.events import Event, UnknownEvent
from cutcard.devices.handshake import Welcome
from cutcard.engine.state import Table
from cutcard.journal import Journal, JournalDamagedError, TableKey, read
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.machine.dealing_device import TableDevice
from cutcard.table.replay import opening_record
from cutcard.table.replay.opening_record import sign_of
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.replay.role_log import CARDS, CannotResumeError

TABLE = Table(open_rulebook("nz-division-2"), 6, "continuous", minimum=1000)


def begun(path: Path, table: Table = TABLE) -> Path:
    with Journal(path) as journal:
        memory = ReplayLog(journal, table)
        memory.write("round", {"number": 1})
        assert memory.ask("answer", "how many", lambda: 7) == 7
    return path


def test_recorded_answer_is_not_requested_again(tmp_path: Path) -> None:
    path = begun(tmp_path / "table.journal")
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        assert memory.resuming
        memory.write("round", {"number": 1})
        assert memory.ask("answer", "how many", lambda: pytest.fail("asked again")) == 7
        assert not memory.resuming
        assert memory.ask("answer", "and now", lambda: 8) == 8
    kinds = [record.kind for record in read(path)]
    assert kinds == ["table", "round", "answer", "resumed", "answer"]


def test_course_that_differs_from_the_journal_is_refused(tmp_path: Path) -> None:
    path = begun(tmp_path / "table.journal")
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        with pytest.raises(CannotResumeError, match="this program comes to round"):
            memory.write("round", {"number": 2})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (replace(TABLE, blackjack="6:5"), "the sign of the table was"),
        (replace(TABLE, decks=8), "the number of decks was 6 and is 8"),
        (
            replace(TABLE, book=open_rulebook("nz-division-2", (), date(2013, 4, 1))),
            "the day of the rulebook's text was not said and is 2013-04-01",
        ),
    ],
)
def test_different_table_is_refused_with_a_sentence(
    tmp_path: Path, table: Table, said: str
) -> None:
    path = begun(tmp_path / "table.journal")
    with Journal(path) as journal, pytest.raises(CannotResumeError, match=said):
        ReplayLog(journal, table)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("__version__", "9.9.9", "cutcard was 0.2.0 and is 9.9.9"),
        ("digest", lambda source: "f" * 64, "the text of the rulebook was .* and is ffffffffffff"),
    ],
)
def test_different_version_or_rulebook_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: Any, said: str
) -> None:
    path = begun(tmp_path / "table.journal")
    monkeypatch.setattr(opening_record, name, value)
    with Journal(path) as journal, pytest.raises(CannotResumeError, match=said):
        ReplayLog(journal, TABLE)


def test_journal_of_an_older_version_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        journal.append("settled", {"round": "complete", "results": []})
    with Journal(path) as journal, pytest.raises(CannotResumeError, match="older cutcard"):
        ReplayLog(journal, TABLE)


def test_table_resumes_only_with_the_key_on_its_sign(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    key = TableKey.at(tmp_path / "table.key")
    with Journal(path, key=key) as journal:
        ReplayLog(journal, TABLE).settled({"number": 1, "results": []}, {})
    with Journal(path, key=key) as journal:
        assert ReplayLog(journal, TABLE).sign["key"] == key.public
        journal.append("settled", {"state": {"table": {**sign_of(TABLE, "00" * 32)}}})
    with (
        Journal(path, key=key) as journal,
        pytest.raises(CannotResumeError, match="the table's key was 000000000000 and is"),
    ):
        ReplayLog(journal, TABLE)


def test_request_to_a_meter_without_an_answer_is_repeated(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    made: list[int] = []

    def fails() -> int:
        made.append(1)
        raise KeyboardInterrupt

    with Journal(path) as journal, pytest.raises(KeyboardInterrupt):
        ReplayLog(journal, TABLE).effect("meter", {"round": 1}, fails)
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        assert memory.effect("meter", {"round": 1}, lambda: 5, lambda n: n, lambda n: n) == 5
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        unasked = pytest.fail
        assert memory.effect("meter", {"round": 1}, unasked, lambda n: n, lambda n: n) == 5
    assert made == [1]


@pytest.mark.parametrize(
    "event",
    [
        CardDealt(4, Card.parse("Th"), uncalled=False, first_of_round=True),
        CardDealt(5, None, uncalled=True, first_of_round=False),
        FaultRaised(6, "simultaneous-draw", 258, (Card.parse("2c"), None), order_known=True),
        Started(7, 3, "power"),
        UnknownEvent(8, 25, b"\x2c\x01"),
    ],
)
def test_event_is_restored_as_the_device_sent_it(event: Event) -> None:
    assert from_plain(event.number, plain(event)) == event


def test_every_event_of_the_devices_can_be_stored() -> None:
    assert {kind.__name__ for kind in Event.__subclasses__()} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "data", "device"),
    [
        ("told", {}, {"role": "dealer"}),
        ("told", {"event": "card"}, {"role": "cards", "event": 1}),
        ("epoch", {"witness": 5}, {"role": "cards"}),
        ("epoch", {"witness": [1, "no digits"]}, {"role": "cards"}),
        ("command", {"id": 1, "name": "round", "arguments": ["xy"], "after": 0}, {"role": "cards"}),
        ("outcome", {"handled": 7}, {"role": "cards"}),
        ("opened", {}, {"role": ["cards"]}),
    ],
)
def test_invalid_record_about_a_device_is_named(
    tmp_path: Path, kind: str, data: dict[str, Any], device: dict[str, Any]
) -> None:
    path = begun(tmp_path / "table.journal")
    with Journal(path) as journal:
        journal.append(kind, data, device)
    with Journal(path) as journal, pytest.raises(JournalDamagedError, match=f"line 4: .*'{kind}'"):
        ReplayLog(journal, TABLE)


class FaultyShuffler:
    """A shuffler that fails the first comparison of a count, and ejects eight cards during it."""

    KIND = "shuffler"
    is_logged = True

    def __init__(self, memory: ReplayLog, *answers: Recovered | InFaultError) -> None:
        self.log = memory.log(CARDS)
        self.log.greeted(Welcome(1, b"", "shuffler", True, b"serial", 1, "peer-1", b"", b""))
        self.answers = list(answers)

    def recover(self, outside: int) -> Recovered:
        self.log.begin(Intent((self.log.last_command or 0) + 1, "recover", (outside,), 0))
        answer = self.answers.pop(0)
        if isinstance(answer, InFaultError):
            raise answer
        self.log.record(answer, b"")
        return answer


def test_cards_ejected_before_a_restart_of_the_table_are_put_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table.journal"
    mismatch = InFaultError("recover", "count-mismatch", 40, came_out=8)
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        machine = TableDevice(cast(Any, FaultyShuffler(memory, mismatch)), memory)
        with pytest.raises(InFaultError):
            machine.recover(3, 52)
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        found = Recovered(1, inside=40, outside=12)
        machine = TableDevice(cast(Any, FaultyShuffler(memory, found)), memory)
        with pytest.raises(InFaultError):
            machine.recover(3, 52)
        recovered = machine.recover(12, 52)
    assert recovered.came_out == 8
    assert recovered.next_step.startswith("8 cards came out")
