"""The duties of Crown 31.2 and 31.3, and their command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.tournament.preparation import PreparationFileError, open_duties, read_preparation

DONE = """
[before]
terms_documented = true
terms_available = 2026-11-01T10:00:00
inspectorate_advised = 2026-11-01T11:00:00
entries_open = 2026-11-02T10:00:00
play_begins = 2026-11-19T18:00:00
[people]
director = "Kim"
director_present = true
players = ["Ann", "Ben"]
briefed = ["Ann", "Ben"]
practised = true
[tables]
designated = ["T1", "T2"]
in_other_use = ["T3"]
"""


def rules(folder: Path, text: str) -> list[str]:
    file = folder / "preparation.toml"
    file.write_text(text)
    return [duty.rule for duty in open_duties(read_preparation(file))]


def test_complete_preparation_has_no_open_duty(tmp_path: Path) -> None:
    assert rules(tmp_path, DONE) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("terms_documented = true", "terms_documented = false", "31.2.1"),
        ("terms_available = 2026-11-01T10:00:00\n", "", "31.2.2(a)"),
        ("terms_available = 2026-11-01", "terms_available = 2026-11-03", "31.2.2(a)"),
        ("inspectorate_advised = 2026-11-01", "inspectorate_advised = 2026-11-02", "31.2.2(b)"),
        ('director = "Kim"\n', "", "31.2.3"),
        ("director_present = true", "director_present = false", "31.2.3"),
        ('designated = ["T1", "T2"]\n', "", "31.2.4"),
        ('in_other_use = ["T3"]', 'in_other_use = ["T2"]', "31.2.5"),
        ('briefed = ["Ann", "Ben"]', 'briefed = ["Ann"]', "31.3.1"),
        ('players = ["Ann", "Ben"]\n', "", "31.3.1"),
    ],
)
def test_each_open_duty_is_reported_with_its_rule(
    tmp_path: Path, old: str, new: str, rule: str
) -> None:
    assert old in DONE
    assert rules(tmp_path, DONE.replace(old, new)) == [rule]


def test_deputy_may_be_present_for_the_director(tmp_path: Path) -> None:
    """31.2.3(a)."""
    text = DONE.replace("director_present = true", 'deputies = ["Lee"]')
    assert rules(tmp_path, text) == []


def test_practice_hands_are_optional(tmp_path: Path) -> None:
    """31.3.2."""
    assert rules(tmp_path, DONE.replace("practised = true\n", "")) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[befor]\n", "use before, people, tables"),
        ("[before]\nterms = true\n", "unknown key before.terms"),
        ('[before]\nplay_begins = "soon"\n', "a date and a time"),
        ('[people]\nplayers = "Ann"\n', "a list of names"),
        ("[people]\ndirector = 7\n", "write a name"),
        ("[people]\ndirector_present = 1\n", "true or false"),
        ("[before\n", "line 1"),
    ],
)
def test_wrong_file_is_rejected_with_the_correction(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PreparationFileError, match=said):
        rules(tmp_path, text)


def test_command_lists_open_duties_with_exit_1(tmp_path: Path) -> None:
    file = tmp_path / "preparation.toml"
    file.write_text(DONE)
    run = CliRunner()
    assert run.invoke(app, ["tournament", "ready", str(file)]).exit_code == 0
    file.write_text(DONE.replace('director = "Kim"\n', ""))
    done = run.invoke(app, ["tournament", "ready", str(file)])
    assert (done.exit_code, done.output) == (1, "31.2.3: appoint a Tournament Director\n")
    data = json.loads(run.invoke(app, ["tournament", "ready", str(file), "--json"]).stdout)
    assert data["open"] == [{"rule": "31.2.3", "text": "appoint a Tournament Director"}]
    assert run.invoke(app, ["tournament", "ready", str(tmp_path / "none")]).exit_code == 2
