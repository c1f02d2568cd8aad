"""A record that ends before the round does is reported as open, in text and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cutcard.cli.main import app

cli = CliRunner()


def record(rulebook: str, steps: str, shuffler: str = "continuous", more: str = "") -> str:
    return f"""
title = "A round"
rulebook = "{rulebook}"
decks = 6
shuffler = "{shuffler}"
wagers = [ {{ box = 1, player = "A", bet = "main", amount = 20 }}{more} ]
steps = [ {steps} ]
round = "complete"
expect = [ {{ box = 1, player = "A", bet = "main", result = "win", net = 20 }} ]
"""


# Surrender is not offered in this game: the round stops there.
REFUSED = record("nz-division-2", '{ deal = "Ah 6d 8d" }, { act = "surrender" }')
# The dealer's cards are missing.
ENDS_EARLY = record("nz-division-2", '{ deal = "Th 6d 9d" }, { act = "stand" }')


def case(command: str, tmp_path: Path, text: str, *options: str) -> Result:
    file = tmp_path / "case.toml"
    file.write_text(text, "utf-8")
    return cli.invoke(app, ["case", command, str(file), *options])


def json_of(tmp_path: Path, text: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(case("run", tmp_path, text, "--json").stdout)
    return line


def test_after_a_refused_step_the_round_is_open_and_so_are_its_wagers(tmp_path: Path) -> None:
    line = json_of(tmp_path, REFUSED)
    assert line["round"] == "open"
    assert [(wager["result"], wager["net"]) for wager in line["wagers"]] == [("open", None)]
    assert line["ok"] is False


def test_text_does_not_report_an_undecided_wager_as_lost(tmp_path: Path) -> None:
    result = case("run", tmp_path, REFUSED)
    assert result.exit_code == 1
    assert "open" in result.output
    assert "lose" not in result.output
    assert "-$20" not in result.output


def test_explain_reports_an_unfinished_record_and_its_next_step(tmp_path: Path) -> None:
    result = case("explain", tmp_path, ENDS_EARLY)
    assert result.exit_code == 2
    assert "A stands on 19, hand 1. [8.3]" in result.output
    assert "A on box 1, main: is open." in result.output
    assert "the round is open: it waits for a card for the dealer." in result.output
    assert "loses" not in result.output


def test_record_that_ends_early_is_malformed_and_its_round_open(tmp_path: Path) -> None:
    line = json_of(tmp_path, ENDS_EARLY)
    assert "waits for a card for the dealer" in line["malformed"]
    assert (line["round"], line["waits_for"]) == ("open", "a card for the dealer")
    assert [wager["result"] for wager in line["wagers"]] == ["open"]


def test_record_that_ends_with_the_initial_deal_reports_one_next_step(
    tmp_path: Path,
) -> None:
    """The next event makes the interim settlement, so the record owes only that event."""
    text = record("crown-melbourne-26", '{ deal = "Ah Ad Kh" }')
    line = json_of(tmp_path, text)
    assert line["malformed"].endswith(f"it waits for {line['waits_for']}")
    assert line["waits_for"] == "a card for the dealer"
    explained = case("explain", tmp_path, text).output
    assert "the round is open: it waits for a card for the dealer." in explained


def test_wager_decided_before_the_record_ends_keeps_its_result(tmp_path: Path) -> None:
    pair = ', { box = 1, player = "A", bet = "perfect-pair", amount = 5 }'
    text = record("nz-division-2", '{ deal = "Th 6d 9d" }, { act = "stand" }', more=pair)
    line = json_of(tmp_path, text + '[table]\noffers = { perfect-pair = "1" }\n')
    assert [(wager["bet"], wager["result"], wager["net"]) for wager in line["wagers"]] == [
        ("main", "open", None),
        ("perfect-pair", "lose", -5),
    ]


def test_undecided_free_bet_is_open_without_money_on_it(tmp_path: Path) -> None:
    """The hand with the money busts; the other hand has only a free bet."""
    steps = '{ deal = "8h 6d 8d" }, { act = "split" }, { deal = "6h" }, { act = "hit" }'
    text = record("mbs-free-bet-3", f'{steps}, {{ deal = "Kc Th" }}, {{ act = "surrender" }}')
    line = json_of(tmp_path, text)
    assert [wager["result"] for wager in line["wagers"]] == ["open"]


@pytest.mark.parametrize("seen", ["[1]", "[1, 2]"])
def test_disclosed_draw_at_the_end_waits_for_the_players_choice(tmp_path: Path, seen: str) -> None:
    """New Zealand 16.4: a player may refuse a seen card, and has not chosen yet."""
    draw = f'{{ irregularity = "simultaneous-draw", cards = "7d Kd", disclosed = {seen} }}'
    steps = f'{{ deal = "5h Td 9d" }}, {{ act = "hit" }}, {draw}'
    line = json_of(tmp_path, record("nz-division-2", steps))
    assert line["round"] == "open"
    assert "a ruling on simultaneous-draw" in line["malformed"]


def test_singapore_waits_for_the_players_selection_before_the_settlement(tmp_path: Path) -> None:
    """5.23.3: the player may select from the seen cards."""
    draw = '{ irregularity = "simultaneous-draw", cards = "Kd 7d", disclosed = [1, 2] }'
    steps = f'{{ deal = "5h 6d 9d" }}, {{ act = "hit" }}, {draw}'
    line = json_of(tmp_path, record("mbs-free-bet-3", steps))
    assert line["waits_for"] == (
        "a ruling on simultaneous-draw: choose (player), refuse-card (player)"
    )


def test_draw_may_be_the_last_step_if_a_rule_assigns_the_cards(tmp_path: Path) -> None:
    """Singapore 5.23.4.3: the dealer gets the disclosed card without a choice; A might withdraw."""
    draw = '{ irregularity = "simultaneous-draw", cards = "Kd Qd", disclosed = [1] }'
    steps = f'{{ deal = "Th 6d 9d" }}, {{ act = "stand" }}, {draw}'
    assert json_of(tmp_path, record("mbs-free-bet-3", steps))["round"] == "complete"


def test_refused_settlement_may_be_an_incomplete_one(tmp_path: Path) -> None:
    steps = '{ deal = "Th 6d 9d" }, { refused = { settled = "round" }, rule = "" }'
    text = record("nz-division-2", f'{steps}, {{ act = "stand" }}, {{ deal = "Kd Qd" }}')
    assert case("run", tmp_path, text).exit_code == 0
