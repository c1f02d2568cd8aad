"""`cutcard journal`: its output for people and scripts."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pypdfium2
import pytest
from typer.testing import CliRunner

from cutcard.cards import Card
from cutcard.cases.writing import result_of, step_of, wager_of
from cutcard.cli.main import app
from cutcard.engine.events import Act, Deal, Irregularity, Ruling, Settled
from cutcard.engine.results import came_to, results
from cutcard.engine.round import finish, start, step
from cutcard.engine.state import Placed, Table
from cutcard.journal import Journal, read
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.replay.opening_record import sign_of
from cutcard.table.reports import journal_text


def asked(*words: str) -> tuple[int, str]:
    answer = CliRunner().invoke(app, ["journal", *words])
    return answer.exit_code, answer.output


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Return the journal of one round with a power failure between two cards."""
    path = tmp_path / "table.journal"
    table = Table(open_rulebook("nz-division-2"), 6, blackjack="6:5")
    placed = Placed(1, "Ana", "main", 1050)
    played = start(table, [placed])
    with Journal(path, "Table 7", clock=lambda: "2026-11-16T20:15:00.000Z") as record:
        record.append("table", sign_of(table))
        record.append("round", {"number": 1, "wagers": [wager_of(placed)]})
        for event in (
            Deal(Card.parse("9s")),
            Deal(Card.parse("7c")),
            Irregularity("power-failure"),
            Ruling("continue", by="casino-operator"),
            Deal(Card.parse("Kd")),
            Settled("interim"),
            Act("stand"),
            Deal(Card.parse("Ts")),
        ):
            if isinstance(event, Irregularity):
                fault = {"fault": "power-lost", "cards": [], "stage": "initial deal"}
                record.append("device", fault)
            played = step(played, event)
            record.append("event", step_of(event))
        played = finish(played)
        settled = [result_of(line) for line in results(played)]
        record.append("settled", {"number": 1, "round": came_to(played), "results": settled})
        record.append("closed", {})
    return path


def test_fault_between_two_cards_is_shown_between_them(journal: Path) -> None:
    code, said = asked("show", str(journal))
    assert code == 0
    places = [said.index(text) for text in ("Dealer: 7c", "The machine stops", "Box 1: Kd")]
    assert places == sorted(places)
    assert all(len(line) <= 80 for line in said.splitlines())


def test_faults_option_shows_only_faults_and_rulings(journal: Path) -> None:
    _, said = asked("show", str(journal), "--faults")
    assert "The machine stops: power lost" in said
    assert "Box 1" not in said


def test_round_and_time_options_select_records(journal: Path) -> None:
    assert asked("show", str(journal), "--round", "1")[0] == 0
    assert "Ana" not in asked("show", str(journal), "--from", "2026-11-16T20:16")[1]
    assert "Ana" in asked("show", str(journal), "--to", "2026-11-16T20:16")[1]


def test_story_is_exported_as_csv_and_json(journal: Path) -> None:
    rows = list(csv.reader(io.StringIO(asked("show", str(journal), "--csv")[1])))
    assert rows[0] == ["record", "time", "table", "round", "text", "rules"]
    lines = [json.loads(line) for line in asked("show", str(journal), "--json")[1].splitlines()]
    assert [row[4] for row in rows[1:]] == [line["text"] for line in lines]
    assert {line["table"] for line in lines} == {"Table 7"}


def test_replay_reports_differences(journal: Path) -> None:
    assert asked("replay", str(journal))[0] == 0
    records = list(read(journal))
    other = journal.with_name("other.journal")
    with Journal(other) as copy:
        for record in records:
            data = record.data
            if record.kind == "settled":
                data = data | {"results": [data["results"][0] | {"net": 99}]}
            copy.append(record.kind, data)
    code, said = asked("replay", str(other))
    assert (code, "expected win $99" in said or "expected" in said) == (1, True)


@pytest.mark.parametrize(("cents", "code"), [(1050, 0), (1051, 1)])
def test_stored_balances_must_follow_from_the_rounds(journal: Path, cents: int, code: int) -> None:
    other = journal.with_name("other.journal")
    with Journal(other) as copy:
        for record in read(journal):
            kept = {"state": {"played": 1, "cents": {"Ana": cents}}}
            copy.append(record.kind, record.data | (kept if record.kind == "settled" else {}))
    found, said = asked("replay", str(other))
    assert found == code
    assert ("goes on from 1 rounds and the balances {'Ana': 1051}" in said) == bool(code)


def test_export_writes_case_files_and_a_shift_report(journal: Path, tmp_path: Path) -> None:
    cases, shift = tmp_path / "cases", tmp_path / "shift.csv"
    assert asked("export", str(journal), "--cases", str(cases), "--shift", str(shift))[0] == 0
    assert len(list(cases.glob("*.toml"))) == 1
    [heading, row] = csv.reader(shift.open())
    assert dict(zip(heading, row, strict=True))["net"] == "10.50"
    # existing files are not replaced
    assert asked("export", str(journal), "--cases", str(cases))[0] == 2


def test_printed_shift_report_has_the_balance_and_the_hash(journal: Path, tmp_path: Path) -> None:
    report = tmp_path / "shift.pdf"
    assert asked("export", str(journal), "--shift", str(report))[0] == 0
    text = pypdfium2.PdfDocument(report)[0].get_textpage().get_text_range()
    *_, last = read(journal)
    assert "Shift report: Table 7" in text
    assert "House -10.50" in text.replace("\r\n", " ")
    assert last.hash in text


def test_printed_round_cites_a_rule_for_each_event(journal: Path, tmp_path: Path) -> None:
    page = tmp_path / "dispute.html"
    assert asked("export", str(journal), "--round", "1", "--page", str(page))[0] == 0
    text = page.read_text()
    assert "<h1>Table 7, round 1</h1>" in text
    assert text.index("Box 1: 9s.") < text.index("power lost") < text.index("Kd")
    last = [record.hash for record in read(journal)][-2]
    assert f"cutcard journal verify table.journal --holds {last}" in text
    assert asked("verify", str(journal), "--holds", last)[0] == 3


def test_names_on_a_page_are_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    wager = {"box": 1, "player": "<script>x()</script>", "bet": "main", "amount": 10}
    with Journal(path, "Table <7>") as record:
        record.append("table", sign_of(Table(open_rulebook("nz-division-2"), 6)))
        record.append("round", {"number": 1, "wagers": [wager]})
    page = tmp_path / "page.html"
    assert asked("export", str(path), "--round", "1", "--page", str(page))[0] == 0
    assert "<script" not in page.read_text()
    assert "Table &lt;7&gt;" in page.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--page", "p.html"), "name it with --round"),
        (("--page", "p.html", "--round", "7"), "no round 7; there are 1 to 1"),
        (("--shift", "shift.txt"), "must end in .csv or .pdf"),
        (("--cases", "c", "--round", "1"), "is for --page"),
        ((), "choose an output"),
    ],
)
def test_impossible_export_is_reported(
    journal: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(journal.parent)
    code, output = asked("export", str(journal), *words)
    assert code != 0
    assert said in output.replace("\n", " ")


def test_empty_journal_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "empty.journal"
    path.touch()
    code, said = asked("verify", str(path))
    assert (code, "it has no records" in " ".join(said.split())) == (1, True)


def test_file_that_is_no_journal_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("no line")
    code, said = asked("show", str(path))
    assert (code, "it has no records" in said) == (1, True)


def test_missing_round_is_reported(journal: Path) -> None:
    assert "no record matches the options" in asked("show", str(journal), "--round", "9")[1]


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_invalid_time_is_refused(journal: Path, option: str) -> None:
    code, said = asked("show", str(journal), option, "yesterday")
    assert (code, "write a time such as" in said) == (2, True)


# Each kind of record with parsed fields, once without fields and once with wrong ones.
KINDS = [*journal_text.SAID, "table", "round", "entered", "event", "settled"]


@pytest.mark.parametrize("command", [["show"], ["replay"], ["export", "--shift", "shift.csv"]])
@pytest.mark.parametrize("data", [{}, {"wagers": 5, "results": [7], "sign": [], "variant": 1}])
def test_record_with_wrong_fields_causes_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], data: dict[str, object]
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind in KINDS:
        path = tmp_path / f"{kind}.journal"
        with Journal(path) as record:
            record.append(kind, data)
        (tmp_path / "shift.csv").unlink(missing_ok=True)
        answer = CliRunner().invoke(app, ["journal", command[0], str(path), *command[1:]])
        assert answer.exception is None or isinstance(answer.exception, SystemExit), kind


def test_open_wager_has_no_net_in_a_shift_report(tmp_path: Path) -> None:
    path, shift = tmp_path / "table.journal", tmp_path / "shift.csv"
    wager = {"box": 1, "player": "Ana", "bet": "main", "result": "open", "net": None, "rules": []}
    with Journal(path) as record:
        record.append("settled", {"number": 1, "round": "open", "results": [wager]})
    assert asked("export", str(path), "--shift", str(shift))[0] == 0
    [heading, row] = csv.reader(shift.open())
    assert dict(zip(heading, row, strict=True))["net"] == ""


def test_player_name_that_is_a_formula_is_text_in_a_shift_report(tmp_path: Path) -> None:
    path, shift = tmp_path / "table.journal", tmp_path / "shift.csv"
    name = '=HYPERLINK("http://example.org","Ana")'
    wager = {"box": 1, "player": name, "bet": "main", "result": "lose", "net": -10, "rules": []}
    with Journal(path) as record:
        record.append("settled", {"number": 1, "round": "over", "results": [wager]})
    assert asked("export", str(path), "--shift", str(shift))[0] == 0
    [heading, row] = csv.reader(shift.open())
    said = dict(zip(heading, row, strict=True))
    assert (said["player"], said["net"]) == (f"'{name}", "-10.00")


def test_truncation_is_detected_by_a_noted_hash(journal: Path) -> None:
    head = list(read(journal))[-1].hash
    assert asked("verify", str(journal), "--holds", head)[0] == 3
    whole = journal.read_bytes()
    journal.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])
    assert asked("verify", str(journal))[0] == 3  # the chain cannot show it
    code, said = asked("verify", str(journal), "--holds", head)
    assert (code, "removed from its end" in said) == (1, True)


@pytest.mark.parametrize("option", ["--holds", "--public-key", "--port"])
def test_empty_proof_option_is_refused(journal: Path, option: str) -> None:
    """A script passes an empty value if its variable is empty."""
    assert asked("verify", str(journal))[0] == 3
    assert asked("verify", str(journal), option, "")[0] == 2


def test_unsigned_journal_is_not_signed_by_the_given_key(
    journal: Path,
) -> None:
    code, said = asked("verify", str(journal), "--public-key", "ab" * 32)
    assert (code, "it is not signed, not by" in said.replace("\n ", "")) == (1, True), said


def test_machine_name_in_a_journal_sends_no_control_codes_to_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        journal.append("table", {})
        device = {"role": "cards", "serial": "\x1b]0;mine\x07"}
        journal.append("epoch", {"witness": [0, bytes(32).hex()]}, device)
    code, said = asked("verify", str(path))
    assert (code, "\x1b" in said, r"\x1b]0;mine\x07" in said) == (3, False, True)
