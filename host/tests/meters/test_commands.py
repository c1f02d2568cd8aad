"""`cutcard meter` in text and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.meters import groups

CREATE = ["create", "city", "--meter", "blackjack-jackpots=10000@1.5%"]


@pytest.fixture(autouse=True)
def database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a separate file with signs that may be carried out immediately."""
    path = tmp_path / "meters.sqlite"
    monkeypatch.setenv("CUTCARD_METERS", str(path))
    monkeypatch.setattr(groups, "NOTICE", groups.NOTICE * 0)
    return path


def call(*arguments: str, exit_code: int = 0) -> str:
    result = CliRunner().invoke(app, ["meter", *arguments])
    assert result.exit_code == exit_code, result.output
    return result.stdout or result.stderr


def json_result(*arguments: str, exit_code: int = 0) -> Any:
    return json.loads(call(*arguments, "--json", exit_code=exit_code))


def test_commands_play_an_evening() -> None:
    call(*CREATE)
    call("create", "east", "--meter", "blackjack-jackpots=10000@1.5%")
    call("notice", "join", "T1", "city")
    call("join", "T1", "city")
    call("deposit", "12", "50", "--key", "a")
    call("wager", "T1", "1", "3", "--manager", "12")
    call("settle", "T1", "1", "3=suited-aces-spades")
    assert "Personal Bet Manager 12: $10,051" in call("show")
    call("cash-out", "12", "51", "--key", "b")
    call("notice", "move", "T1", "city", "east")
    call("move", "T1", "city", "east")
    call("notice", "close", "city")
    call("close", "city", "--into", "east")
    call("notice", "leave", "T1", "east")
    call("leave", "T1", "east")
    assert "The ledger is valid" in call("verify")
    (left,) = json_result("show")["systems"]
    assert (left["system"], left["tables"]) == ("east", [])


def test_wager_returns_its_entries_with_their_rules() -> None:
    call(*CREATE)
    call("notice", "join", "T1", "city")
    call("join", "T1", "city")
    call("deposit", "12", "50")
    first = json_result("wager", "T1", "1", "3", "--manager", "12")
    kinds = [(entry["kind"], entry["cents"], entry["rules"]) for entry in first["entries"]]
    assert kinds == [
        ("wager", "500", ["21.7.3(c)", "21.7.3(d)"]),
        ("increment", "15/2", ["21.5.2(a)"]),
    ]
    again = json_result("wager", "T1", "1", "3", "--manager", "12")
    assert again == first | {"repeated": True}
    (city,) = json_result("show")["systems"]
    assert city["meters"]["blackjack-jackpots"]["value"] == "2000015/2"


def test_history_prints_one_object_per_line() -> None:
    call(*CREATE)
    call("deposit", "12", "50")
    lines = [json.loads(line) for line in call("history", "--json").splitlines()]
    assert [line["kind"] for line in lines] == ["seed", "deposit"]


def test_verify_exits_1_for_another_ledger() -> None:
    call(*CREATE)
    result = json_result("verify", "--holds", f"1:{'0' * 64}", exit_code=1)
    assert (result["ok"], len(result["problems"])) == (False, 1)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "says"),
    [
        (["wager", "T1", "1", "3", "--manager", "12"], 2, "plays for no prize meter"),
        (["cash-out", "12"], 2, "Personal Bet Manager '12' does not exist"),
        (["deposit", "12", "fifty"], 2, "not an amount of money"),
        (["settle", "T1", "1", "3-aces"], 2, "is not BOX=HAND"),
        (["join", "T1", "city"], 1, "no sign gives notice"),
        (["create", "city", "--meter", "blackjack-jackpots=1@1%"], 1, "with other terms"),
        (["create", "b", "--meter", "blackjack-jackpots"], 2, "METER=SEED@RATE"),
        (["close", "city", "--into", "city"], 1, "no sign gives notice"),
        (["close", "city", "--into", "a", "--into", "a"], 2, "names 'a' twice"),
        (["create", "b", "--meter", "blackjack-jackpots=1@1e99999999"], 2, "is not a rate"),
        (["create", "b", "--meter", "blackjack-jackpots=1@1e-99999999"], 2, "is not a rate"),
        (["create", "b", "--meter", "blackjack-jackpots=1@1/0"], 2, "is not a rate"),
        (["create", "b", "--meter", "blackjack-jackpots=1@0.00001%"], 2, "at least 0.0001%"),
        (["create", "b", "--meter", "blackjack-jackpots=1@100%"], 2, "below 100%"),
        (
            ["create", "b", "--meter", "blackjack-jackpots=999999999999@1%"],
            2,
            "from $0.01 to $100,000,000",
        ),
        (["create", "b", *CREATE[2:], "--cost", "10001"], 2, "to $10,000"),
        (["create", "b" * 5000, *CREATE[2:]], 2, "at most 40"),
        (["create", "b", *CREATE[2:], "--bet", "b" * 5000], 2, "(5000 long)"),
        (["deposit", "12", "1000001"], 2, "from $0.01 to $1,000,000"),
        (["deposit", "12", "9" * 5000], 2, "at most 12 digits"),
        (["deposit", "1" * 41, "5"], 2, "at most 40"),
        (["deposit", "12", "5", "--key", "k" * 101], 2, "1 to 100 printable characters"),
        (["cash-out", "1" * 5000], 2, "at most 40"),
        (["notice", "join", "T" * 41, "city"], 2, "at most 40"),
        (["notice", "join", "T1", "c" * 5000], 2, "(5000 long)"),
        (["wager", "T" * 41, "1", "3"], 2, "at most 40"),
        (["settle", "T1", "1", "9" * 5000 + "=minor"], 2, "boxes are 1 to 9"),
        (["settle", "T1", "1", "\u0663=minor"], 2, "boxes are 1 to 9"),
        (["clock", "--because", "w" * 201], 2, "1 to 200 characters"),
        (["verify", "--holds", "1:00"], 2, "is not NUMBER:HASH"),
    ],
)
def test_refusal_has_a_hint(arguments: list[str], exit_code: int, says: str) -> None:
    call(*CREATE)
    assert says in call(*arguments, exit_code=exit_code)
    refused = json_result(*arguments, exit_code=exit_code)
    assert refused["error"]
    assert refused["hint"]
    assert len(json.dumps(refused)) < 600


@pytest.mark.parametrize(
    "arguments",
    [
        ["wager", "T1", "2147483648", "3"],
        ["wager", "T1", "0", "3"],
        ["wager", "T1", "1", "10"],
        ["settle", "T1", "9" * 5000],
        ["history", "--from", "0"],
        ["history", "--from", "99999999999999999999"],
    ],
)
def test_a_number_out_of_its_bounds_is_refused(arguments: list[str]) -> None:
    call(*CREATE)
    call(*arguments, exit_code=2)


def test_query_without_a_database_makes_no_file(database: Path) -> None:
    assert "cutcard meter create" in call("show", exit_code=2)
    assert not database.exists()


def test_meters_with_similar_names_are_shown_in_full() -> None:
    meters = ("supernova-major=20000@2%", "supernova-minor=500@1/300", "supernova-mystery=1000@1%")
    call("create", "nova", "--bet", "supernova", *(f"--meter={meter}" for meter in meters))
    shown = call("show")
    for text in ("supernova-major", "supernova-minor", "supernova-mystery", "2%", "1/300"):
        assert text in shown


@pytest.fixture
def wagered() -> None:
    """Place $5 of manager 12 on box 3 in round 1 of T1, from a balance of $50."""
    call(*CREATE)
    call("notice", "join", "T1", "city")
    call("join", "T1", "city")
    call("deposit", "12", "50", "--key", "a")
    call("wager", "T1", "1", "3", "--manager", "12")
    assert "Personal Bet Manager 12: $45\n" in call("show")


@pytest.mark.usefixtures("wagered")
def test_retract_returns_the_wager_to_its_manager() -> None:
    """21.11.3"""
    call("retract", "T1", "1", "3")
    assert "Personal Bet Manager 12: $50\n" in call("show")


@pytest.mark.usefixtures("wagered")
def test_void_returns_every_wager_of_the_round() -> None:
    """21.11.2"""
    call("wager", "T1", "1", "5", "--manager", "12")
    call("void", "T1", "1")
    assert "Personal Bet Manager 12: $50\n" in call("show")


@pytest.mark.usefixtures("wagered")
def test_pick_pays_the_lucky_player_six_to_one() -> None:
    """$5 at 6 to 1 is $30, and the wager is returned: $45 + $35."""
    call("pick", "T1", "1", "3")
    assert "Personal Bet Manager 12: $80\n" in call("show")
