"""The output and exit codes of `cutcard case` and `cutcard play`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from tests.cases_format.test_loader import GOOD

cli = CliRunner()


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_a_case_that_agrees_exits_0(tmp_path: Path) -> None:
    result = cli.invoke(app, ["case", "run", str(write(tmp_path, "a.toml", GOOD))])
    assert result.exit_code == 0
    assert "agrees" in result.output
    assert "5.1(e)" in result.output


def test_a_case_that_differs_exits_1_and_shows_the_difference(tmp_path: Path) -> None:
    file = write(tmp_path, "a.toml", GOOD.replace('"stand-off", net = 0', '"win", net = 10'))
    result = cli.invoke(app, ["case", "run", str(file)])
    assert result.exit_code == 1
    assert "stand-off $0, expected win $10" in result.output


def test_a_malformed_case_exits_2_and_outranks_a_difference(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", GOOD.replace("net = 0", "net = 1"))
    write(tmp_path, "b.toml", GOOD.replace("decks = 6", ""))
    write(tmp_path, "c.toml", GOOD)
    result = cli.invoke(app, ["case", "run", str(tmp_path)])
    assert result.exit_code == 2
    assert "b.toml: decks: is missing" in result.output
    assert "3 cases: 1 agree, 1 differ, 1 malformed" in result.output


def test_card_without_a_call_is_malformed(tmp_path: Path) -> None:
    file = write(tmp_path, "a.toml", GOOD.replace("Ts 2c", "Ts 2c 3c"))
    result = cli.invoke(app, ["case", "run", "--json", str(file)])
    assert result.exit_code == 2
    assert "steps[2]" in json.loads(result.stdout)["malformed"]


def test_a_round_that_is_not_complete_is_malformed(tmp_path: Path) -> None:
    file = write(tmp_path, "a.toml", GOOD.replace(', { deal = "Ts 2c" }', ""))
    result = cli.invoke(app, ["case", "run", "--json", str(file)])
    assert result.exit_code == 2
    assert "waits for a card for the dealer" in json.loads(result.stdout)["malformed"]


def test_json_has_the_documented_structure(tmp_path: Path) -> None:
    file = write(tmp_path, "a.toml", GOOD)
    line = json.loads(cli.invoke(app, ["case", "run", "--json", str(file)]).stdout)
    assert line == {
        "file": str(file),
        "ok": True,
        "round": "complete",
        "wagers": [
            {
                "box": 1,
                "player": "A",
                "bet": "main",
                "result": "stand-off",
                "net": 0,
                "rules": ["5.1(e)"],
            }
        ],
        "rulings": [],
        "differences": [],
    }


def test_json_of_a_refused_table_lists_the_rules(tmp_path: Path) -> None:
    start = GOOD[: GOOD.index("steps")]
    text = start.replace("decks = 6", "decks = 3") + 'invalid = "3.3"\n'
    file = write(tmp_path, "a.toml", text)
    line = json.loads(cli.invoke(app, ["case", "run", "--json", str(file)]).stdout)
    assert line == {"file": str(file), "ok": True, "invalid": ["3.3(a)"]}


def test_case_run_without_files_exits_2(tmp_path: Path) -> None:
    assert cli.invoke(app, ["case", "run", str(tmp_path)]).exit_code == 2


def test_explain_prints_the_round_with_its_rules(tmp_path: Path) -> None:
    result = cli.invoke(app, ["case", "explain", str(write(tmp_path, "a.toml", GOOD))])
    assert result.exit_code == 0
    assert "The dealer shows 6d. [8.2]" in result.output
    assert "A on box 1, main: stands off. [5.1(e)]" in result.output


def test_a_played_round_is_saved_as_a_case_that_agrees(tmp_path: Path) -> None:
    file = tmp_path / "played.toml"
    command = ["play", "crown-melbourne-26", "crown-pontoon", "--boxes", "2", "--seed", "7"]
    played = cli.invoke(app, [*command, "--save", str(file)], input="n\nstand\nhit\n" * 60)
    assert played.exit_code == 0, played.output
    assert cli.invoke(app, ["case", "run", str(file)]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["play", "nz-division-2", "--wager", "1000001"], "1000000"),
        (["play", "nz-division-2", "--decks", "0"], "equal to 1"),
        (["play", "nz-division-2", "--decks", "9"], "equal to 8"),
        (["play", "nz-division-2", "--seed", "-1"], "equal to 0"),
        (
            ["play", "crown-melbourne-26", "--side", "perfect-pairs=" + "9" * 5000],
            "$1 to $1,000,000",
        ),
        (["play", "crown-melbourne-26", "--side", "perfect-pairs=0"], "$1 to $1,000,000"),
        (["table", "run", "--seed", "-1"], "equal to 0"),
        (["table", "jackpot", "--seed", "4294967296"], "4294967295"),
        (["tournament", "schedule", "10001"], "10000"),
    ],
)
def test_number_out_of_bounds_is_refused_with_the_bounds(arguments: list[str], says: str) -> None:
    refused = cli.invoke(app, arguments)
    assert refused.exit_code == 2
    assert says in refused.output


def test_explain_without_a_file_names_a_folder_with_cases() -> None:
    result = cli.invoke(app, ["case", "explain", "nowhere.toml"])
    assert result.exit_code == 2
    assert "`cutcard case list`" in result.output
    assert "Errno" not in result.output


def test_explain_fits_a_terminal(tmp_path: Path) -> None:
    name = "A player with a name that is rather longer than most names of players are"
    long = GOOD.replace('"A"', f'"{name}"')
    case = write(tmp_path, "a.toml", long)
    result = cli.invoke(app, ["case", "explain", str(case)])
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
