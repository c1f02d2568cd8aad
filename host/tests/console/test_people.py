"""The users of the console."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.console.people import (
    MOST_SESSIONS,
    SESSION_SECONDS,
    People,
    PersonRefusedError,
    Sessions,
)


def test_passphrase_is_recognised_and_stored_nowhere(people: People) -> None:
    passphrase = people.add("Mia", ("pit-manager",))
    assert people.file is not None
    assert passphrase not in people.file.read_text()
    assert people.file.stat().st_mode & 0o777 == 0o600
    again = People.of(people.file)
    assert again.known("Mia", passphrase) == people.persons["Mia"]
    assert again.known("Mia", passphrase[:-1]) is None
    assert again.known("Nobody", passphrase) is None


def test_file_readable_by_others_is_refused(people: People) -> None:
    people.add("Mia", ("viewer",))
    assert people.file is not None
    people.file.chmod(0o644)
    with pytest.raises(PersonRefusedError, match="chmod 600"):
        People.of(people.file)


@pytest.mark.parametrize("what", ["removed", "damaged", "opened to others"])
def test_without_a_file_of_people_all_users_are_signed_out(people: People, what: str) -> None:
    people.add("Mia", ("viewer",))
    sessions = Sessions(people)
    secret = sessions.begin(people.persons["Mia"])
    assert people.file is not None
    if what == "damaged":
        people.file.write_text("{")
    elif what == "opened to others":
        people.file.chmod(0o644)
    os.utime(people.file, (1, 1))  # changed by another program
    if what == "removed":
        people.file.unlink()
    assert sessions.person(secret) is None


def test_session_survives_a_restart_of_the_console_but_not_its_time_limit(people: People) -> None:
    people.add("Mia", ("viewer",))
    now = [1000.0]
    secret = Sessions(people, lambda: now[0]).begin(people.persons["Mia"])
    again = Sessions(people, lambda: now[0])
    assert again.person(secret) == people.persons["Mia"]
    assert again.person(secret + "x") is None
    now[0] += SESSION_SECONDS + 1
    assert again.person(secret) is None


def test_removed_person_or_one_with_a_new_passphrase_is_signed_out(people: People) -> None:
    people.add("Mia", ("viewer",))
    sessions = Sessions(people)
    secret = sessions.begin(people.persons["Mia"])
    People.of(people.file).remove("Mia")  # by another program
    assert sessions.person(secret) is None
    people.add("Mia", ("viewer",))
    assert sessions.person(secret) is None


def test_unknown_title_is_refused_with_the_list_of_titles(tmp_path: Path) -> None:
    asked = ["person", "add", "Mia", "--title", "emperor", "--file", str(tmp_path / "p.json")]
    answer = CliRunner().invoke(app, asked)
    assert answer.exit_code == 2
    assert "pit-manager" in answer.output
    assert not (tmp_path / "p.json").exists()


def test_number_of_sessions_is_limited_and_the_oldest_ends(people: People) -> None:
    people.add("Mia", ("viewer",))
    people.add("Sam", ("viewer",))
    now = [0.0]
    sessions = Sessions(people, clock=lambda: now[0])
    other = sessions.begin(people.persons["Sam"])
    secrets = []
    for _ in range(MOST_SESSIONS + 1):
        now[0] += 1
        secrets.append(sessions.begin(people.persons["Mia"]))
    open_now = [sessions.person(secret) is not None for secret in secrets]
    assert open_now == [False] + [True] * MOST_SESSIONS
    assert sessions.person(other) is not None
