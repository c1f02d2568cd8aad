"""`cutcard rulebook show`: the exact chance of every prize, their mean and variance."""

import json
from fractions import Fraction
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.rulebooks import RULEBOOKS
from cutcard.rulebooks.side_wagers.catalogue import side_wagers


def show(rulebook: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["rulebook", "show", rulebook, "--json"])
    shown: dict[str, Any] = json.loads(result.stdout)["side_wagers"]
    return shown


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_every_prize_table_has_its_figures(rulebook: str) -> None:
    shown = show(rulebook)
    for bet, side in side_wagers(rulebook).items():
        assert bool(shown[bet]["meters"]) == bool(side.meter_share)
        for column, printed in zip(side.columns, shown[bet]["tables"], strict=True):
            assert bool(printed["figures"]) == bool(column.prizes.chances)
            if printed["figures"]:
                counts = dict(column.prizes.chances)
                total = sum(counts.values())
                chances = {int(p): Fraction(c) for p, c in printed["figures"]["chances"].items()}
                assert chances == {p: Fraction(n, total) for p, n in counts.items()}
                mean = sum(prize * chance for prize, chance in chances.items())
                spread = sum((prize - mean) ** 2 * chance for prize, chance in chances.items())
                assert Fraction(printed["figures"]["mean"]) == mean
                assert Fraction(printed["figures"]["variance"]) == spread


def test_text_output_has_each_prize_with_fraction_and_decimal() -> None:
    result = CliRunner().invoke(app, ["rulebook", "show", "nz-division-2"])
    assert "Mean 52031/3750 = $13.8749" in " ".join(result.stdout.split())
    line = next(line for line in result.stdout.splitlines() if "1/3750 " in line)
    assert ("$1,000" in line, "0.0002666667" in line) == (True, True)


def test_text_output_has_the_chances_of_a_meter() -> None:
    result = CliRunner().invoke(app, ["rulebook", "show", "crown-melbourne-26"])
    line = next(line for line in result.stdout.splitlines() if "1/250666" in line)
    assert "suited-aces-spades" in line
