"""Invalid case files: each message names the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.cases.case import MalformedCaseError
from cutcard.cases.loader import load_case

GOOD = """
title = "A round"
rulebook = "nz-division-2"
decks = 6
shuffler = "shoe"
wagers = [ { box = 1, player = "A", bet = "main", amount = 10 } ]
steps = [ { deal = "Th 6d 8h" }, { act = "stand" }, { deal = "Ts 2c" } ]
round = "complete"
expect = [ { box = 1, player = "A", bet = "main", result = "stand-off", net = 0 } ]
"""


def complaint(tmp_path: Path, text: str) -> str:
    file = tmp_path / "case.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(MalformedCaseError) as error:
        load_case(file)
    return str(error.value)


def test_a_good_file_is_a_case(tmp_path: Path) -> None:
    file = tmp_path / "case.toml"
    file.write_text(GOOD, "utf-8")
    assert load_case(file).title == "A round"


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('rulebook = "nz-division-2"', "", "rulebook"),
        ("nz-division-2", "macau", "rulebook"),
        ("decks = 6", 'decks = "six"', "decks"),
        ("decks = 6", "decks = 6\nsuits = 4", "suits"),
        ('"shoe"', '"bucket"', "shuffler"),
        ("amount = 10", "amount = 10.005", "wagers[0].amount"),
        ("amount = 10", "amount = -10", "wagers[0].amount"),
        ("amount = 10", "amount = 1000000001", "wagers[0].amount"),
        ("amount = 10", "amount = 1e99999999", "file"),
        ("amount = 10", "amount = inf", "file"),
        ("amount = 10", "amount = true", "wagers[0].amount"),
        ('bet = "main", amount', 'bet = "mane", amount', "wagers[0].bet"),
        ("Th 6d 8h", "Th 6d 8x", "steps[0].deal"),
        ('act = "stand"', 'act = "fold"', "steps[1].act"),
        ('act = "stand"', 'act = "stand", deal = "Th"', "steps[1]"),
        ('act = "stand"', 'irregularity = "flood"', "steps[1].irregularity"),
        ('act = "stand"', 'fault = "flood"', "steps[1].fault"),
        ('act = "stand"', 'fault = "fraud", irregularity = "fraud"', "steps[1]"),
        ('act = "stand"', 'irregularity = "face-up"', "steps[1].card"),
        ('act = "stand"', 'ruling = "shrug"', "steps[1].ruling"),
        ('act = "stand"', 'act = "stand", colour = "red"', "steps[1].colour"),
        ('round = "complete"', "", "round"),
        ('round = "complete"', 'round = "over"', "round"),
        ('result = "stand-off"', 'result = "draw"', "expect[0].result"),
        ("net = 0", 'net = "0"', "expect[0].net"),
        ("net = 0", "", "expect[0].net"),
        ("title =", "title", "file"),
    ],
)
def test_mistake_is_reported_with_its_key(tmp_path: Path, old: str, new: str, key: str) -> None:
    assert old in GOOD
    text = GOOD.replace(old, new)
    if key == "expect[0].net" and not new:
        text = text.replace(",  }", " }").replace(", }", " }")
    assert complaint(tmp_path, text).startswith(f"{key}:")


def test_the_same_wager_twice_is_malformed(tmp_path: Path) -> None:
    twice = '{ box = 1, player = "A", bet = "main", amount = 10 }'
    text = GOOD.replace(twice, f"{twice}, {twice}")
    assert complaint(tmp_path, text).startswith("wagers[1]:")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MalformedCaseError, match="cannot be read"):
        load_case(tmp_path / "nowhere.toml")
