"""A journal keeps all confirmed records, and reveals every change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.journal import Journal, JournalDamagedError, JournalNewerError, read
from cutcard.journal.file import JournalInUseError


def filled(path: Path, records: int = 3) -> Path:
    with Journal(path) as journal:
        for number in range(records):
            journal.append("card", {"card": "Th", "order": number})
    return path


def test_records_are_read_unchanged(tmp_path: Path) -> None:
    path = filled(tmp_path / "table.journal")
    assert [(r.number, r.kind, r.data["order"]) for r in read(path)] == [
        (1, "card", 0),
        (2, "card", 1),
        (3, "card", 2),
    ]


def test_journal_resumes_at_its_end(tmp_path: Path) -> None:
    path = filled(filled(tmp_path / "table.journal"))
    assert [record.number for record in read(path)] == [1, 2, 3, 4, 5, 6]


def test_torn_last_line_is_dropped_and_reported(tmp_path: Path) -> None:
    path = filled(tmp_path / "table.journal")
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    with Journal(path):
        pass
    assert [(r.number, r.kind) for r in read(path)] == [(1, "card"), (2, "card"), (3, "torn")]


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.integers(min_value=0), bit=st.integers(min_value=0, max_value=7))
def test_any_flipped_bit_before_the_last_line_is_refused(
    tmp_path: Path, place: int, bit: int
) -> None:
    path = tmp_path / "table.journal"
    path.unlink(missing_ok=True)
    filled(path)
    content = bytearray(path.read_bytes())
    last = content.rindex(b"\n", 0, -1)
    content[place % last] ^= 1 << bit
    path.write_bytes(bytes(content))
    # A bit of the format's number may turn it into a newer format, which is refused as well.
    with pytest.raises((JournalDamagedError, JournalNewerError)):
        list(read(path))


def test_removed_line_is_damage_at_its_place(tmp_path: Path) -> None:
    path = filled(tmp_path / "table.journal")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    with pytest.raises(JournalDamagedError) as damage:
        list(read(path))
    assert damage.value.line == 2


def test_damaged_journal_is_not_written_to(tmp_path: Path) -> None:
    path = filled(tmp_path / "table.journal")
    content = path.read_bytes().replace(b'"order":1', b'"order":9')
    path.write_bytes(content)
    with pytest.raises(JournalDamagedError):
        Journal(path)
    assert path.read_bytes() == content


def test_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    with Journal(path), pytest.raises(JournalInUseError, match="another program"):
        Journal(path)


def test_verify_reports_bytes_after_the_last_record(tmp_path: Path) -> None:
    """They are not a record, but the file has changed."""
    path = filled(tmp_path / "table.journal")
    asked = ["journal", "verify", str(path)]
    assert "incomplete record" not in CliRunner().invoke(app, asked).stdout
    with path.open("ab") as file:
        file.write(b'{"n":4,"kind":"paid"')
    result = CliRunner().invoke(app, asked)
    assert (
        result.exit_code,
        "20 bytes of an incomplete record" in result.stdout,
    ) == (
        3,
        1,
    )
    assert json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["unfinished_bytes"] == 20
