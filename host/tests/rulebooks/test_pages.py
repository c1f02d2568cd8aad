"""The commands of `cutcard rulebook` print values with their rules."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from cutcard.cli.main import app

cli = CliRunner()


def test_show_prints_values_with_their_rules() -> None:
    shown = cli.invoke(app, ["rulebook", "show", "crown-melbourne-26", "crown-pontoon", "--json"])
    rules = json.loads(shown.stdout)["rules"]
    assert rules["super_bonus.large_prize"] == {
        "is": 5000,
        "rules": ["10.6"],
        "layer": "crown-pontoon",
    }


def test_diff_shows_only_differences() -> None:
    names = ["crown-melbourne-26/crown-pontoon", "crown-melbourne-26/six-five-pontoon"]
    rows = json.loads(cli.invoke(app, ["rulebook", "diff", *names, "--json"]).stdout)
    assert [row["what"] for row in rows] == ["blackjack.odds"]


def test_unknown_rulebook_exits_with_2() -> None:
    assert cli.invoke(app, ["rulebook", "show", "macau"]).exit_code == 2
