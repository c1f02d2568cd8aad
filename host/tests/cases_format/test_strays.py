"""Keys and values that do not fit the table, step or rulebook are reported, never ignored."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cases.runner import run_file
from cutcard.cli.main import app

cli = CliRunner()
MAIN = '{ box = 1, player = "A", bet = "main", amount = 20 }'
EXPECT = '{ box = 1, player = "A", bet = "main", result = "win", net = 20 }'


def malformed(
    tmp_path: Path,
    *,
    rulebook: str = "crown-melbourne-26",
    head: str = "",
    wagers: str = MAIN,
    steps: str = '{ deal = "Th 6d 9d" }, { act = "stand" }, { deal = "Kd Qd" }',
    sign: str = "",
    expect: str = EXPECT,
) -> str:
    file = tmp_path / "case.toml"
    file.write_text(
        f"""
title = "A round"
rulebook = "{rulebook}"
decks = 6
{head}
wagers = [ {wagers} ]
steps = [ {steps} ]
round = "complete"
expect = [ {expect} ]
[table]
{sign}
""",
        "utf-8",
    )
    return run_file(file).malformed or ""


def test_base_file_of_these_tests_is_a_valid_case(tmp_path: Path) -> None:
    assert malformed(tmp_path) == ""


@pytest.mark.parametrize(
    ("sign", "key"),
    [
        ("meters = { toaster = 100 }", "table.meters.toaster"),
        ("meters = { supernova-major = 100 }", "table.meters.supernova-major"),
        ("seeds = { toaster = 100 }", "table.seeds.toaster"),
        ("stakes = { toaster = 5 }", "table.stakes.toaster"),
        ("max_payout = { perfect-pairs = 5 }", "table.max_payout.perfect-pairs"),
        ("ante = 1", "table.ante"),
        ("ante_waived_from = 100", "table.ante_waived_from"),
        ("shoe_round = 0", "table.shoe_round"),
        ("min = 10\nmax = 5", "table.max"),
        (
            'offers = { blackjack-jackpots = "" }\nmeters = { blackjack-jackpots = 0 }',
            "table.meters.blackjack-jackpots",
        ),
    ],
)
def test_sign_rejects_keys_without_a_matching_wager(tmp_path: Path, sign: str, key: str) -> None:
    assert malformed(tmp_path, sign=sign).startswith(f"{key}:")


def test_forced_draw_on_the_sign_is_only_for_crown(tmp_path: Path) -> None:
    why = malformed(tmp_path, rulebook="nz-division-2", sign="forced_draw = true")
    assert why.startswith("table.forced_draw:")


@pytest.mark.parametrize("rulebook", ["uk-blackjack", "crown-melbourne-26", "mbs-free-bet-3"])
def test_rulebook_with_one_text_rejects_a_date(tmp_path: Path, rulebook: str) -> None:
    why = malformed(tmp_path, rulebook=rulebook, head="as_of = 2013-04-01")
    assert why == f"as_of: {rulebook} has only one text; nz-division-2 has dated texts"


@pytest.mark.parametrize(
    ("stray", "key"),
    [
        ("carried = true", "carried"),
        ("picked = true", "picked"),
        ("ante = false", "ante"),
    ],
)
def test_main_wager_rejects_keys_of_other_wagers(tmp_path: Path, stray: str, key: str) -> None:
    wager = MAIN.replace(" }", f", {stray} }}")
    assert malformed(tmp_path, wagers=wager).startswith(f"wagers[0].{key}:")


@pytest.mark.parametrize("name", ["", "  ", "dealer"])
def test_player_needs_a_name_that_is_not_a_role(tmp_path: Path, name: str) -> None:
    wager = MAIN.replace('"A"', f'"{name}"')
    assert malformed(tmp_path, wagers=wager).startswith("wagers[0].player:")


@pytest.mark.parametrize(
    ("act", "key"),
    [
        ('act = "hit", amount = 5', "amount"),
        ('act = "stand", hand = 2', "hand"),
        ('act = "stand", free = false', "free"),
        ('act = "double", bet = "main"', "bet"),
        ('act = "split", for = "B"', "for"),
        ('act = "even-money", amount = 5', "amount"),
        ('ruling = "void-round", hands = [1]', "hands"),
        ('ruling = "continue", card = 1', "card"),
        ('ruling = "burn", player = "A"', "player"),
        ('ruling = "void-hands", cards = "Th"', "cards"),
        ('irregularity = "power-failure", device = "shoe"', "device"),
        ('irregularity = "malfunction", card = "Th"', "card"),
        ('settled = "interim", by = "dealer"', "by"),
    ],
)
def test_step_rejects_keys_of_other_kinds(tmp_path: Path, act: str, key: str) -> None:
    why = malformed(tmp_path, steps=f'{{ deal = "Th 6d 9d" }}, {{ {act} }}')
    assert why.startswith(f"steps[1].{key}: is an unknown key")


@pytest.mark.parametrize(
    ("step", "key"),
    [
        ('irregularity = "malfunction", device = "toaster"', "device"),
        ('irregularity = "jackpot-failure", bet = "supernova", device = "shoe"', "device"),
        ('irregularity = "jackpot-failure"', "bet"),
        ('irregularity = "jackpot-failure", bet = "madness-21"', "bet"),
        ('irregularity = "meter-mismatch", bet = "supernova", meter = 1, panel = 2', "bet"),
        ('irregularity = "button-misfire", bet = "main", box = 1', "bet"),
        ('irregularity = "wager-not-entered", box = 1', "bet"),
        ('irregularity = "simultaneous-draw", cards = "2d"', "cards"),
        ('irregularity = "simultaneous-draw", cards = "2d 3d", disclosed = [3]', "disclosed"),
        ('irregularity = "simultaneous-draw", cards = "2d 3d", disclosed = [1, 1]', "disclosed"),
        ('irregularity = "face-up", card = ""', "card"),
        ('irregularity = "face-up", card = "2d 3d"', "card"),
        ('irregularity = "no-wager", box = 1', "box"),
        ('irregularity = "absent", box = 2', "box"),
        ('irregularity = "not-offered", box = 4, option = "insurance"', "box"),
        (
            'irregularity = "not-offered", box = 1, option = "draw", cards = "2d 3d", boxes = [1]',
            "boxes",
        ),
        (
            'fault = "not-offered", box = 1, option = "insurance", cards = "2d", boxes = [1]',
            "cards",
        ),
        ('ruling = "withdraw", player = "Z"', "player"),
        ('ruling = "void-round", by = "toaster"', "by"),
        ('ruling = "withdraw", player = "A", bet = "perfect-pair"', "bet"),
        ('press = "madness-21", box = 1, player = "A", prize = 25', "press"),
        ('metered = "toaster", records = 5', "metered"),
        ('press = "supernova", box = 1, prize = -25', "prize"),
        ('irregularity = "no-burn", card = "2d 3d"', "card"),
        ('act = "designate", hand = 0', "hand"),
        ('deal = ""', "deal"),
        ('deal = "2d", to = "1.0"', "to"),
        ('deal = "2d", to = "²"', "to"),
    ],
)
def test_step_rejects_values_of_other_tables(tmp_path: Path, step: str, key: str) -> None:
    why = malformed(tmp_path, steps=f'{{ deal = "Th 6d 9d" }}, {{ {step} }}')
    assert why.startswith(f"steps[1].{key}:")


def test_irregularity_of_another_rulebooks_bet_is_reported(tmp_path: Path) -> None:
    step = '{ irregularity = "jackpot-failure", bet = "pontoon-pandemonium" }'
    why = malformed(tmp_path, rulebook="nz-division-2", steps=step)
    assert why.startswith("steps[0].bet: 'pontoon-pandemonium' is not offered at this table")


@pytest.mark.parametrize(
    "step",
    [
        'deal = "2d", to = "1.2"',
        'deal = "2d", to = 10',
        'irregularity = "malfunction", device = "shoe", hands = ["1.2"]',
        'irregularity = "drawn-in-error", card = "2d", exposed = true, to = "1.2"',
        'irregularity = "misdeal", boxes = [10]',
    ],
)
def test_card_needs_an_existing_place(tmp_path: Path, step: str) -> None:
    """During the initial deal, without a split, and after it."""
    for dealt in ("Th", "Th 6d 9d"):
        why = malformed(tmp_path, steps=f'{{ deal = "{dealt}" }}, {{ {step} }}')
        assert why.startswith("steps[1]: there is no ")


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (
            'irregularity = "jackpot-failure", bet = "perfect-pairs"',
            "bet: 'perfect-pairs' has no button or",
        ),
        (
            'irregularity = "meter-mismatch", bet = "perfect-pairs", panel = 5',
            "bet: 'perfect-pairs' has no",
        ),
        (
            'irregularity = "button-misfire", box = 1, bet = "perfect-pairs", prize = 5',
            "bet: 'perfect-",
        ),
        (
            'irregularity = "wager-not-entered", box = 1, bet = "perfect-pairs"',
            "bet: 'perfect-pairs' has",
        ),
        ('press = "perfect-pairs", box = 1, player = "A", prize = 5', "press: 'perfect-pairs' has"),
    ],
)
def test_irregularity_of_a_button_or_meter_needs_a_bet_with_one(
    tmp_path: Path, step: str, why: str
) -> None:
    sign = 'offers = { perfect-pairs = "a" }'
    steps = f'{{ deal = "Th 6d 9d" }}, {{ {step} }}'
    assert malformed(tmp_path, steps=steps, sign=sign).startswith(f"steps[1].{why}")


def test_act_needs_a_bet_of_this_table(tmp_path: Path) -> None:
    act = '{ act = "keep-riding", box = 1, player = "A", bet = "house-money", amount = 5 }'
    why = malformed(tmp_path, rulebook="nz-division-2", steps=f'{{ deal = "9h 6d 9d" }}, {act}')
    assert why.startswith("steps[1].bet: 'house-money' is not offered at this table")


def test_fraud_needs_players_with_a_wager(tmp_path: Path) -> None:
    steps = '{ deal = "Th 6d 9d" }, { irregularity = "fraud", players = ["Z"] }'
    assert malformed(tmp_path, steps=steps).startswith("steps[1].players: 'Z' has no wager here")


@pytest.mark.parametrize("variant", ["[]", '["blackjack", "blackjack"]', "[1]"])
def test_variants_must_be_different(tmp_path: Path, variant: str) -> None:
    assert malformed(tmp_path, head=f"variant = {variant}").startswith("variant:")


def test_mismatch_at_crown_needs_the_panels_amount(tmp_path: Path) -> None:
    """The panel's amount is paid (11.6.3(a)). The meter may be dark."""
    steps = '{ irregularity = "meter-mismatch", bet = "pontoon-pandemonium", meter = 50 }'
    sign = 'offers = { pontoon-pandemonium = "1" }'
    assert malformed(tmp_path, steps=steps, sign=sign).startswith("steps[0].panel: is missing")
    steps = steps.replace("meter", "panel").replace("panel-mis", "meter-mis")
    assert "panel" not in malformed(tmp_path, steps=steps, sign=sign)


def test_metered_step_needs_an_amount_above_zero(tmp_path: Path) -> None:
    steps = '{ metered = "blackjack-jackpots", records = 0 }'
    sign = 'offers = { blackjack-jackpots = "" }'
    assert malformed(tmp_path, steps=steps, sign=sign).startswith("steps[0].records:")


def test_refused_step_cannot_contain_a_refused_step(tmp_path: Path) -> None:
    steps = '{ refused = { refused = { act = "hit" }, rule = "" }, rule = "" }'
    assert malformed(tmp_path, steps=steps).startswith(
        "steps[0].refused: must have exactly one of deal"
    )


def test_fraud_ruling_covers_only_the_named_players(tmp_path: Path) -> None:
    other = '{ box = 2, player = "B", bet = "main", amount = 20 }'
    rule = '{ refused = { ruling = "void-wagers", player = "A" }, rule = "32.2.1" }'
    goes_on = '{ ruling = "continue" }, { act = "stand" }, { act = "stand" }, { deal = "Qd 8d" }'
    steps = '{ deal = "Th 9h 6d 9d Td" }, { irregularity = "fraud", players = ["B"] }'
    text = {"wagers": f"{MAIN}, {other}", "steps": f"{steps}, {rule}, {goes_on}"}
    assert malformed(tmp_path, **text) == ""
    assert run_file(tmp_path / "case.toml").differences == [
        "box 2 B main: win $20, but `expect` has no entry for it"
    ]


def test_duplicate_entry_in_expect_is_rejected(tmp_path: Path) -> None:
    assert malformed(tmp_path, expect=f"{EXPECT}, {EXPECT}").startswith("expect[1]:")


JACKPOT = f'{MAIN}, {{ box = 1, player = "A", bet = "blackjack-jackpots", amount = 5 }}'
SUITED_ACES = '{ deal = "As As As" }, { act = "stand" }, { deal = "Kd" }'


def test_won_jackpot_without_a_reading_keeps_the_round_open(tmp_path: Path) -> None:
    why = malformed(
        tmp_path, wagers=JACKPOT, steps=SUITED_ACES, sign='offers = { blackjack-jackpots = "" }'
    )
    assert "waits for the reading of the meter blackjack-jackpots" in why


def test_jackpot_win_at_fixed_odds_needs_no_reading(tmp_path: Path) -> None:
    sign = 'offers = { blackjack-jackpots = "" }'
    steps = SUITED_ACES.replace("As As As", "Ah Ad As")
    assert malformed(tmp_path, wagers=JACKPOT, steps=steps, sign=sign) == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--save", "nowhere/round.toml"], "there is no folder nowhere"),
        (["--save", "."], "is a folder"),
        (["--side", "blackjack-jackpots=5"], "--meter blackjack-jackpots=25000"),
        (["--side", "blackjack-jackpots=5", "--meter", "toaster=5"], "--meter toaster=5"),
        (["--side", "perfect-pairs=²"], "write a side wager such as"),
        (["--side", "perfect-pairs=0:a"], "write a side wager such as"),
        (["--side", "perfect-pairs=5:a", "--side", "perfect-pairs=5:a"], "placed once"),
    ],
)
def test_play_reports_invalid_options_before_the_first_card(options: list[str], said: str) -> None:
    result = cli.invoke(app, ["play", "crown-melbourne-26", *options], input="")
    assert result.exit_code == 2
    assert said in result.output
    assert "Box 1" not in result.output


def test_round_that_cannot_be_saved_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    save = ["--save", str(tmp_path / "round.toml"), "--seed", "3"]
    result = cli.invoke(app, ["play", "crown-melbourne-26", *save], input="stand\n" * 9)
    assert result.exit_code == 1
    assert 'rulebook = "crown-melbourne-26"' in result.output
    assert "No space left on device" in result.output


def test_a_played_jackpot_is_saved_with_its_meter(tmp_path: Path) -> None:
    file = tmp_path / "round.toml"
    side = ["--side", "blackjack-jackpots=5", "--meter", "blackjack-jackpots=25000"]
    command = ["play", "crown-melbourne-26", *side, "--save", str(file), "--seed", "3"]
    assert cli.invoke(app, command, input="stand\n" * 9).exit_code == 0
    assert cli.invoke(app, ["case", "run", str(file)]).exit_code == 0
